"""Real sockets whose first events are gone, and a real agent that comes late or was away."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import dying_agent
import pytest
from agent_process import AgentProcess, eventually
from journal_writer import JournalWriter
from small_disks import fill, small_disk
from stages import HEAD, stages

LANES = 25_000
SOCKET = "00000000000000a1"

# executes each line of its input; a flood drops every event that was written before it
PROGRAM = """
import sys
import hopwatch, zmq
from hopwatch.journal import events
events.SEGMENT_BYTES = 20_000
context = zmq.Context()
push = hopwatch.wrap(context.socket(zmq.PUSH), name="brief")
pub = hopwatch.wrap(context.socket(zmq.PUB), name="quotes", sequence="stamp")
pub.sndhwm = 77
sub = hopwatch.wrap(context.socket(zmq.SUB), name="trader", sequence="stamp")
sub.subscribe(b"a")
sub.connect(f"tcp://127.0.0.1:{pub.bind_to_random_port('tcp://127.0.0.1')}")
push.bind("inproc://brief")
while not sub.poll(10):
    pub.send_multipart([b"a", b"x"])
def flood():
    for number in range(events.SEGMENTS_KEPT * 300):
        pub.linger = number
print("ready", flush=True)
for line in sys.stdin:
    exec(line)
    print("done", flush=True)
"""


LATE = "late = hopwatch.wrap(context.socket(zmq.REP), name='late'); late.bind('inproc://late')"


class Sockets:
    """The program above."""

    def __init__(self, journal: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HOPWATCH_")}
        self.journal = journal
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "HOPWATCH_DIR": str(journal), "HOPWATCH_HOST": "web-1"},
        )
        self._says("ready")

    def do(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        self._says("done")

    def _says(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"


@contextmanager
def running(journal: Path) -> Iterator[Sockets]:
    sockets = Sockets(journal)
    try:
        yield sockets
    finally:
        sockets.process.kill()
        sockets.process.communicate()


@pytest.fixture
def sockets(agent: AgentProcess) -> Iterator[Sockets]:
    with running(agent.journal) as sockets:
        yield sockets


def shown(agent: AgentProcess) -> dict[str, Any]:
    return {socket["name"]: socket for socket in agent.get("/v1/sockets")}


def assert_landed_once(agent: AgentProcess) -> None:
    for kind in ("socket", "option", "endpoint", "subscription", "connection", "lane", "finding"):
        numbers = [row["n"] for row in agent.rows(kind) if row["n"] is not None]
        assert len(numbers) == len(set(numbers)), kind
    assert agent.rows("fault") == []


def test_an_agent_that_comes_late_knows_who_everybody_is(agent: AgentProcess, sockets: Sockets) -> None:
    sockets.do("flood()")
    assert not list(agent.journal.glob("*.0000.events"))
    agent.start()
    known = eventually(lambda: len(found := shown(agent)) == 3 and found)
    quotes, trader = known["quotes"], known["trader"]
    assert (quotes["type"], trader["type"]) == ("PUB", "SUB")
    assert quotes["options"]["sndhwm"] == 77
    assert quotes["endpoints"] == trader["endpoints"]
    assert [peer["state"] for peer in quotes["peers"] + trader["peers"]] == ["ready", "ready"]
    lanes = agent.get("/v1/lanes")
    assert {lane["topic"] for lane in lanes} == {b"a".hex()}
    sockets.do("sub.recv_multipart(); sub.close(); pub.close(); push.close(); context.term()")
    eventually(lambda: {socket["state"] for socket in agent.get("/v1/sockets")} == {"closed"})
    assert agent.terminate()[0] == 0
    assert {row["topic"] for row in agent.rows("subscription")} == {b"a".hex()}
    assert max(row["events_lost"] or 0 for row in agent.rows("process")) > 0
    assert_landed_once(agent)


def test_an_agent_that_was_away_knows_what_ended_meanwhile(agent: AgentProcess, sockets: Sockets) -> None:
    agent.start()
    eventually(lambda: len(shown(agent)) == 3)
    agent.kill()
    sockets.do(f"push.close(); {LATE}")
    sockets.do("flood()")
    agent.start()
    eventually(lambda: "late" in shown(agent) and shown(agent)["brief"]["state"] == "closed")
    assert {name for name, socket in shown(agent).items() if socket["closed_at"]} == {"brief"}
    sockets.process.kill()
    eventually(lambda: agent.get("/v1/status")["processes"] == 0)
    assert agent.terminate()[0] == 0
    opened = [row["name"] for row in agent.rows("socket") if row["state"] == "opened"]
    assert sorted(opened) == ["brief", "late", "quotes", "trader"]
    closed = [row for row in agent.rows("socket") if row["state"] == "closed"]
    assert [(row["name"], row["n"], row["unread"]) for row in closed] == [("brief", None, None)]
    assert_landed_once(agent)


def test_what_a_full_disk_refused_is_known_once_there_is_room_again(agent: AgentProcess) -> None:
    """The agent reads all the time, and has newer events by then."""
    agent.journal.rmdir()
    with small_disk(agent.journal, 4), running(agent.journal) as sockets:
        agent.start()
        eventually(lambda: len(shown(agent)) == 3)
        filler = fill(agent.journal)
        sockets.do("flood()")
        sockets.do(f"push.close(); {LATE}")
        filler.unlink()

        def is_known() -> bool:
            sockets.do("flood()")
            return "late" in shown(agent) and shown(agent)["brief"]["state"] == "closed"

        eventually(is_known)
        assert agent.get("/v1/status")["events_lost"] > 0
        assert agent.terminate()[0] == 0
    assert_landed_once(agent)


def test_an_agent_that_is_killed_within_a_head_goes_on_in_it(
    agent: AgentProcess, alive: Callable[[JournalWriter], AbstractContextManager[None]], tmp_path: Path
) -> None:
    """The head is larger than what one step reads."""
    writer = JournalWriter(agent.journal, lock=False, segment_limit=1 << 30)
    writer.opened(SOCKET)
    for lane in range(LANES):
        writer.event("lane", socket=SOCKET, stream=SOCKET, lane=lane, topic="61" * 40, slot=None)
    writer.next_with_head(*range(1, LANES + 2), **{SOCKET: []})
    writer.path("events", 0).unlink()
    with alive(writer):
        agent.before = [sys.executable, dying_agent.__file__, HEAD, "1"]
        agent.process = agent.launch()
        _, errors = agent.process.communicate(timeout=120)
        assert agent.process.returncode == -signal.SIGKILL, errors
        assert HEAD in stages(agent, tmp_path / "look")
        agent.before = []
        agent.start()
        # whatever is left is read at its end
    assert agent.terminate()[0] == 0
    assert sorted(row["n"] for row in agent.rows("lane") if row["n"]) == list(range(2, LANES + 2))
    assert_landed_once(agent)
