"""What was on its way to a receiver whose process died is told as it was counted last: no later message shows it as a gap."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.died_with import DiedWith
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState
from hosts import environment_of
from msgspec.structs import replace
from programs import Program

SENT = 100
SENDER = f"""
import hopwatch, sys, zmq
sender = hopwatch.wrap(zmq.Context().socket(zmq.XPUB), name="sender", sequence="stamp")
print("bound", sender.bind_to_random_port("tcp://127.0.0.1"), flush=True)
sender.recv()
for number in range({SENT}):
    sender.send(b"%d" % number)
print("sent", flush=True)
sys.stdin.readline()
"""
READER = """
import hopwatch, sys, zmq
reader = hopwatch.wrap(zmq.Context().socket(zmq.SUB), name="reader", sequence="stamp")
reader.subscribe(b"")
reader.connect(f"tcp://127.0.0.1:{sys.argv[1]}")
for _ in range(int(sys.argv[2])):
    reader.recv()
print("read", flush=True)
sys.stdin.readline()
reader.close()
"""


class Reading:
    """A reader of so many of the messages that it is sent, before it stands still; the agent has counted the rest."""

    def __init__(self, agent: AgentProcess, read: int) -> None:
        self._agent = agent
        self.programs: list[Program] = []
        (port,) = self._start("sender", SENDER).expect("bound")
        self.reader = self._start("reader", READER, port, str(read))
        self.programs[0].expect("sent")
        self.reader.expect("read")
        eventually(lambda: self._rests_with(SENT - read))

    def _start(self, name: str, source: str, *arguments: str) -> Program:
        stderr = self._agent.journal.parent / f"{name}.stderr"
        argv = [sys.executable, "-c", source, *arguments]
        self.programs.append(Program(argv, environment_of("web-1", self._agent.journal), stderr))
        return self.programs[-1]

    def told(self) -> dict[str, Any]:
        return dict(self._sockets()["reader"])

    def _sockets(self) -> dict[str, dict[str, Any]]:
        return {one["name"]: one for one in self._agent.get("/v1/sockets")}

    def _rests_with(self, waiting: int) -> bool:
        """Whether nothing has moved for some samples, and so many wait."""
        sockets = self._sockets()
        if sockets.keys() != {"sender", "reader"}:
            return False
        sender, reader = sockets["sender"], sockets["reader"]
        stand = (
            sender["counters"]["sent"] == SENT and not sender["rates"]["sent"] + reader["rates"]["received"]
        )
        backlog = reader["backlog_received"]
        return stand and backlog is not None and backlog["at_least"] == waiting

    def told_once_it_has_ended(self) -> dict[str, Any]:
        return eventually(lambda: (told := self.told())["state"] == "closed" and told)


@pytest.fixture
def reading(agent: AgentProcess) -> Iterator[Callable[[int], Reading]]:
    agent.start()
    started: list[Reading] = []

    def start(read: int) -> Reading:
        started.append(Reading(agent, read))
        return started[-1]

    yield start
    for one in started:
        for program in one.programs:
            program.reap()


def test_of_a_reader_that_is_killed_it_is_told_how_much_was_on_its_way(
    reading: Callable[[int], Reading],
) -> None:
    one = reading(10)
    assert one.told()["died_with"] is None
    one.reader.sigkill()
    eventually(lambda: one.told()["died_with"] == SENT - 10)
    assert one.told()["state_text"] == "its process died with 90 messages or more on their way to it"


def test_one_that_closes_with_some_unread_has_not_died(reading: Callable[[int], Reading]) -> None:
    one = reading(10)
    one.reader.tell()
    one.reader.wait()
    assert one.told_once_it_has_ended()["died_with"] is None


class Dying:
    """A receiver of which it has been counted what waits for it, and what it had received by then."""

    def __init__(self) -> None:
        self._died_with = DiedWith()
        self.tables = Tables()
        self.tables.processes["p"] = ProcessState("p", "box-1")
        self.tables.sockets["reader"] = SocketState(
            "reader", "p", "reader", "SUB", "stamp", False, None, {}, None, 1
        )

    def count(self, at_least: int, at_most: int, received: int) -> None:
        counted = {"reader": Backlog(at_most, at_least)}
        self._died_with.note(counted, {"reader": received_so_many(received)}, 100, self.tables)
        assert self._died_with.found(self.tables) == {}

    def cut(self, at: int) -> None:
        self.tables.connections["reader", "1"] = ConnectionState(
            "reader", 1, "p", "tcp://127.0.0.1:1", None, None, False, "disconnected", at
        )

    def die(self, received: int) -> dict[str, int]:
        sockets, processes = self.tables.sockets, self.tables.processes
        sockets["reader"] = replace(sockets["reader"], counters=received_so_many(received))
        processes["p"] = replace(processes["p"], gone_at=200)
        return self._died_with.found(self.tables)


def received_so_many(messages: int) -> tuple[int, ...]:
    return tuple(messages if name == "received" else 0 for name in COUNTERS)


def test_what_it_has_received_since_it_was_counted_was_not_on_its_way_any_more() -> None:
    dying = Dying()
    dying.count(90, 95, received=10)
    dying.count(0, 95, received=10)
    assert dying.die(received=40) == {"reader": 60}


def test_one_that_has_received_all_that_was_counted_took_nothing_that_is_known() -> None:
    dying = Dying()
    dying.count(90, 95, received=10)
    assert dying.die(received=100) == {}


def test_what_its_own_connection_had_lost_before_is_not_its_deaths_doing() -> None:
    dying = Dying()
    dying.count(90, 95, received=10)
    dying.cut(at=150)
    assert dying.die(received=10) == {}


def test_an_earlier_cut_takes_nothing_from_what_is_on_its_way_now() -> None:
    dying = Dying()
    dying.cut(at=50)
    dying.count(90, 95, received=10)
    assert dying.die(received=10) == {"reader": 90}


def test_what_a_gap_has_shown_to_be_lost_is_not_on_its_way() -> None:
    dying = Dying()
    dying.count(90, 95, received=10)
    dying.count(0, 3, received=11)
    assert dying.die(received=11) == {}
