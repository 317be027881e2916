"""Journals of real wrapped sockets, read by a real agent."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agent_process import AgentProcess, eventually

Run = Callable[[str], "subprocess.Popen[str]"]

PUSH_PULL = """
import hopwatch, sys, zmq
context = zmq.Context()
pull = hopwatch.wrap(context.socket(zmq.PULL), name="sink", sequence="stamp")
port = pull.bind_to_random_port("tcp://127.0.0.1")
push = hopwatch.wrap(context.socket(zmq.PUSH), name="source", sequence="stamp")
push.connect(f"tcp://127.0.0.1:{port}")
for number in range(500):
    push.send_multipart([b"topic", b"%d" % number])
    assert pull.recv_multipart() == [b"topic", b"%d" % number]
print("sent", flush=True)
sys.stdin.readline()
"""

CLOSE = """
push.close()
pull.close()
context.term()
"""

LOSSY_PUB = """
import hopwatch, sys, zmq
context = zmq.Context()
pub = context.socket(zmq.PUB)
pub.sndhwm = 10
pub.sndbuf = 4096
hopwatch.wrap(pub, name="quotes", sequence="stamp")
port = pub.bind_to_random_port("tcp://127.0.0.1")
sub = context.socket(zmq.SUB)
sub.rcvhwm = 10
sub.rcvbuf = 4096
hopwatch.wrap(sub, name="slow", sequence="stamp")
sub.subscribe(b"")
sub.connect(f"tcp://127.0.0.1:{port}")
sub.rcvtimeo = 50
got = []
sent = 0
def send():
    global sent
    pub.send(b"%200d" % sent)
    sent += 1
def drain():
    try:
        while True:
            got.append(int(sub.recv()))
    except zmq.Again:
        pass
while not got:
    send()
    drain()
for _ in range(3000):
    send()
drain()
while got[-1] != sent - 1:  # a closed window takes its time to open, and what meets a full pipe is lost
    send()
    drain()
print(sent - got[0] - len(got), flush=True)
sys.stdin.readline()
"""

UNSTAMPED_PUB = """
import hopwatch, sys, zmq
from hopwatch.words import ONSETS
context = zmq.Context()
pub = hopwatch.wrap(context.socket(zmq.PUB), name="quotes")
pub.sndhwm = 10
pub.sndbuf = 4096
sub = context.socket(zmq.SUB)
sub.rcvhwm = 10
sub.rcvbuf = 4096
sub.subscribe(b"")
port = pub.bind_to_random_port("tcp://127.0.0.1")
sub.connect(f"tcp://127.0.0.1:{port}")
while not sub.poll(10):
    pub.send(b"begin")
for number in range(5000):
    pub.send(b"x" * 500)
print(pub._hopwatch.slot.words[ONSETS], flush=True)
context.destroy(linger=0)
"""

SWALLOWING_ROUTERS = """
import hopwatch, sys, zmq
context = zmq.Context()
for name, sequence in (("plain", None), ("numbered", "stamp")):
    router = hopwatch.wrap(context.socket(zmq.ROUTER), name=name, sequence=sequence)
    for _ in range(100):
        router.send_multipart([b"nobody", b"x"])
    if sequence is None:
        router.sndhwm = 1
        router.bind("inproc://full")
        dealer = context.socket(zmq.DEALER)
        dealer.rcvhwm = 1
        dealer.routing_id = b"full"
        dealer.connect("inproc://full")
        router.poll(0)
        for _ in range(10):
            router.send_multipart([b"full", b"x"])
print("sent", flush=True)
sys.stdin.readline()
context.destroy(linger=0)
"""


@pytest.fixture
def run(agent: AgentProcess) -> Iterator[Run]:
    """Starts a program whose journal the agent reads."""
    started: list[subprocess.Popen[str]] = []
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}

    def start(source: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "HOPWATCH_DIR": str(agent.journal), "HOPWATCH_HOST": "web-1"},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def both_of(done: Callable[[Any], bool], agent: AgentProcess) -> dict[str, Any]:
    """The two sockets that the agent shows, by name, once both are as far as that."""
    return eventually(
        lambda: len(shown := {s["name"]: s for s in agent.get("/v1/sockets") if done(s)}) == 2 and shown
    )


def test_sockets_that_close_leave_their_counts_and_lanes(agent: AgentProcess, run: Run) -> None:
    agent.start()
    process = run(PUSH_PULL + CLOSE)
    assert said(process) == "sent"
    shown = both_of(
        lambda socket: (
            socket["counters"]["sent"] + socket["counters"]["received"] == 500 and bool(socket["peers"])
        ),
        agent,
    )
    assert (shown["source"]["type"], shown["sink"]["type"]) == ("PUSH", "PULL")
    process.communicate("\n")
    assert process.returncode == 0
    assert agent.terminate() == (0, "")
    final = {row["socket"]: row for row in agent.rows("counters") if row["final"]}
    assert final[shown["source"]["id"]]["sent"] == 500
    assert final[shown["sink"]["id"]]["received"] == 500
    lanes = {row["role"]: row for row in agent.rows("lane") if row["state"] == "final"}
    assert (lanes["send"]["count"], lanes["receive"]["count"], lanes["receive"]["next"]) == (500, 500, 500)
    assert {row["state"] for row in agent.rows("process")} == {"started", "exited", "gone"}
    assert agent.rows("fault") == []


def test_a_killed_application_loses_no_count(agent: AgentProcess, run: Run) -> None:
    agent.start()
    process = run(PUSH_PULL)
    assert said(process) == "sent"
    process.kill()
    eventually(lambda: agent.get("/v1/sockets") and agent.get("/v1/status")["processes"] == 0)
    eventually(lambda: not list(agent.journal.iterdir()))
    assert agent.terminate() == (0, "")
    final = [row for row in agent.rows("counters") if row["final"]]
    assert sorted((row["sent"], row["received"]) for row in final) == [(0, 500), (500, 0)]
    lanes = {row["role"]: row["count"] for row in agent.rows("lane") if row["state"] == "final"}
    assert lanes == {"send": 500, "receive": 500}
    assert {row["state"] for row in agent.rows("process")} == {"started", "gone"}


def test_gaps_and_onsets_of_a_lossy_pair_are_landed_exactly(agent: AgentProcess, run: Run) -> None:
    agent.start()
    process = run(LOSSY_PUB)
    lost = int(said(process))
    assert lost > 0
    eventually(
        lambda: ("slow", lost) in [(s["name"], s["counters"]["lost"]) for s in agent.get("/v1/sockets")]
    )
    kinds = {event["kind"] for event in agent.get("/v1/events?limit=1000")}
    assert {"socket", "connection", "gap", "onset"} <= kinds
    process.communicate("\n")
    assert agent.terminate() == (0, "")
    gaps = agent.rows("gap")
    assert sum(gap["last"] - gap["first"] + 1 for gap in gaps) == lost
    assert {gap["first"] for gap in gaps} <= {onset["lane_number"] for onset in agent.rows("onset")}
    assert agent.rows("fault") == []


def test_onsets_of_messages_that_carry_no_stamp_are_landed_without_a_lane(
    agent: AgentProcess, run: Run
) -> None:
    agent.start()
    process = run(UNSTAMPED_PUB)
    onsets = int(said(process))
    process.communicate()
    assert agent.terminate() == (0, "")
    assert onsets > 0
    assert [(row["lane"], row["lane_number"]) for row in agent.rows("onset")] == [(None, None)] * onsets
    assert agent.rows("fault") == []
    assert {row["events_lost"] for row in agent.rows("process") if row["state"] == "gone"} == {0}


def test_what_a_router_swallowed_is_landed_stamped_or_not(agent: AgentProcess, run: Run) -> None:
    agent.start()
    process = run(SWALLOWING_ROUTERS)
    assert said(process) == "sent"
    shown = both_of(lambda socket: socket["counters"]["unroutable"] == 100, agent)
    assert set(shown) == {"plain", "numbered"}
    process.communicate("\n")
    assert agent.terminate() == (0, "")
    rows = agent.rows("unroutable")
    of = {name: [row for row in rows if row["socket"] == socket["id"]] for name, socket in shown.items()}
    assert {name: sum(row["messages"] for row in found) for name, found in of.items()} == dict.fromkeys(
        of, 100
    )
    assert {(row["reason"], row["peer"]) for row in rows} == {("unknown_peer", b"nobody".hex())}
    assert {row["lane"] for row in of["plain"]} == {None}
    assert [row["lane_number"] for row in of["numbered"]] == [0, 1, 2, 4, 8, 16, 32, 64]
    assert {row["lane"] for row in agent.rows("onset")} == {None}
    assert agent.rows("fault") == []
