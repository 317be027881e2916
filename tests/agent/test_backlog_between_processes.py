"""What is said of where messages sit holds though two processes are never read at the same moment."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hosts import environment_of
from journal_writer import LANE_SLOTS, JournalWriter
from programs import Program

SCRIPT = Path(__file__).parents[1] / "support" / "kept_behind.py"
BEHIND = {9, 10}
BETWEEN = "00000000000000b1"


@pytest.fixture
def behind(bench: Any) -> Iterator[Callable[[str, str], None]]:
    """Starts a sender, and a receiver in a process of its own."""
    started: list[Program] = []

    def run(*arguments: str) -> Program:
        path = bench.journal.parent / f"{arguments[0]}.stderr"
        environment = environment_of("web-1", bench.journal)
        started.append(Program([sys.executable, str(SCRIPT), *arguments], environment, path))
        return started[-1]

    def start(sender: str, receiver: str) -> None:
        ports = run(sender).expect("bound")
        run(receiver, *ports).expect("behind")

    yield start
    for program in started:
        program.reap()


def one_that_takes_long(bench: Any) -> JournalWriter:
    """A process that is read between the two there are."""
    first, second = sorted(int(path.name[:16], 16) for path in bench.journal.glob("*.lock"))
    writer: JournalWriter = bench.writer(process=f"{(first + second) // 2:016x}")
    writer.opened(BETWEEN)
    return writer


@pytest.mark.parametrize(
    ("sender", "receiver", "role"), [("PUB", "SUB", "receive"), ("PUSH", "PULL", "send")]
)
def test_bounds_between_two_busy_processes_hold(
    bench: Any,
    behind: Callable[[str, str], None],
    alive: Callable[[JournalWriter], AbstractContextManager[None]],
    sender: str,
    receiver: str,
    role: str,
) -> None:
    behind(sender, receiver)
    writer = one_that_takes_long(bench)
    told = []
    with alive(writer):
        for number in count(1):
            for slot in range(LANE_SLOTS):
                writer.set_lane(slot, BETWEEN, BETWEEN, slot, number, 0, 0, number, 0)
            bench.tick()
            lanes = [lane for lane in bench.view.lanes() if lane.role == role and lane.stream != BETWEEN]
            told += [lane.backlog for lane in lanes if lane.backlog is not None]
            if len(told) == 10 or number == 30:
                break
    assert len(told) == 10
    assert [one for one in told if not one.at_least <= max(BEHIND)] == []
    assert [one for one in told if not one.at_most >= min(BEHIND)] == []
