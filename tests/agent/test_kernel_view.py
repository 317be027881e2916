"""What the kernel knows of the connections of real sockets, as a real agent shows and lands it."""

import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from hosts import environment_of
from programs import Program

TWO_LINKS = """
import sys, hopwatch, zmq
context = zmq.Context()
links = []
for host in ("127.0.0.1", "[::1]"):
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    links.append((push, pull))
    for socket in (push, pull):
        socket.ipv6 = True
        socket.sndhwm = socket.rcvhwm = 1000
        hopwatch.wrap(socket, name=("push " if socket is push else "pull ") + host)
    port = pull.bind_to_random_port("tcp://" + host)
    push.connect(f"tcp://{host}:{port}")
    for _ in range(100):
        push.send(b"x" * 1000)
        pull.recv()
print("sent", flush=True)
sys.stdin.readline()
push.sndtimeo = 200
try:
    while True:
        push.send(b"x" * 10_000)
except zmq.Again:
    print("full", flush=True)
sys.stdin.readline()
context.destroy(linger=0)
"""

SYSCALL_SOCKET = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
# as a container runtime's filter would: AF_NETLINK is refused
WITHOUT_NETLINK = """
import ctypes, os, struct, sys
architecture, number = int(sys.argv[1]), int(sys.argv[2])
lines = [
    (0x20, 0, 0, 4), (0x15, 0, 4, architecture), (0x20, 0, 0, 0), (0x15, 0, 2, number),
    (0x20, 0, 0, 16), (0x15, 1, 0, 16), (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050001),
]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(lines), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[3], sys.argv[3:])
"""


@pytest.fixture
def program(agent: AgentProcess, tmp_path: Path) -> Iterator[Program]:
    environment = environment_of("web-1", agent.journal)
    program = Program([sys.executable, "-c", TWO_LINKS], environment, tmp_path / "links.stderr")
    yield program
    program.reap()


def tcp_of(agent: AgentProcess, name: str) -> Any:
    (socket,) = [socket for socket in agent.get("/v1/sockets") if socket["name"] == name]
    return socket["peers"][0]["tcp"]


def test_both_ends_of_a_connection_are_shown_and_landed(agent: AgentProcess, program: Program) -> None:
    agent.start()
    program.expect("sent")
    eventually(lambda: all_are_read(agent))
    for host in ("127.0.0.1", "[::1]"):
        push = eventually(lambda host=host: sender_at_rest(agent, host))
        assert push["rtt_us"] >= push["min_rtt_us"] > 0
    assert {c["tcp"]["congestion"] for c in agent.get("/v1/connections")} == {"open"}
    status = agent.get("/v1/status")
    assert status["errors"] == []
    assert status["usage"]["resident"] > status["usage"]["threads"] > 0
    assert agent.get("/v1/sockets")[0]["process"]["usage"]["descriptors"] > 0

    program.tell("")
    program.expect("full")
    tcp = eventually(lambda: (tcp := tcp_of(agent, "push [::1]"))["limited_by"] == "receiver" and tcp)
    assert any("unread" in text for text in tcp["evidence"])
    assert tcp_of(agent, "pull [::1]")["receive_queue"] > 0
    eventually(lambda: tcp_of(agent, "push 127.0.0.1")["limited_by"] == "neither")

    def landed() -> list[dict[str, Any]]:
        return [row for row in agent.rows("tcp") if row["limited_by"] == "receiver"]

    eventually(lambda: any(row["unsent"] > 0 for row in landed()))
    assert {(row["host"], row["connection"]) for row in landed()} == {("web-1", 1)}


def sender_at_rest(agent: AgentProcess, host: str) -> Any:
    """The sending end, once the other end is told to have got all that it sent."""
    ends = {socket["name"]: socket["peers"][0]["tcp"] for socket in agent.get("/v1/sockets")}
    push, pull = ends[f"push {host}"], ends[f"pull {host}"]
    queues = (push["receive_queue"], push["send_queue"], push["unsent"])
    arrived = pull["bytes_received"] == push["bytes_acknowledged"] - 1 > 100_000
    return push if arrived and queues == (0, 0, 0) else None


def all_are_read(agent: AgentProcess) -> bool:
    read = [peer["tcp"] is not None for socket in agent.get("/v1/sockets") for peer in socket["peers"]]
    return len(read) == 4 and all(read)


@pytest.mark.skipif(platform.machine() not in SYSCALL_SOCKET, reason="the filter is for other processors")
def test_where_netlink_is_refused_nothing_else_suffers(agent: AgentProcess, program: Program) -> None:
    architecture, number = SYSCALL_SOCKET[platform.machine()]
    agent.before = [sys.executable, "-c", WITHOUT_NETLINK, str(architecture), str(number)]
    agent.start()
    program.expect("sent")
    (error,) = eventually(lambda: agent.get("/v1/status")["errors"])
    assert error["source"] == "kernel"
    assert error["text"] == "cannot ask the kernel for TCP connections: [Errno 1] Operation not permitted"
    shown = eventually(
        lambda: (
            (sockets := agent.get("/v1/sockets"))[0]["counters"]["sent"] == 100
            and sockets[0]["process"]["usage"]
            and sum(len(socket["peers"]) for socket in sockets) == 4
            and sockets
        )
    )
    assert [peer["tcp"] for socket in shown for peer in socket["peers"]] == [None] * 4
    assert agent.terminate() == (0, "")
    assert agent.rows("tcp") == []
    assert len(agent.rows("usage")) > 0
