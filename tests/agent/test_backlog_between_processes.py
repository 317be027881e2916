"""What is said of where messages sit holds though two processes are never read at the same moment."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from agent_process import eventually
from hopwatch_agent.backlog.read import LanesRead, Span, TwoReadings
from hopwatch_agent.live.state import LaneKey, SocketState
from journal_writer import LANE_SLOTS, JournalWriter
from programs import Program

SCRIPT = Path(__file__).parents[1] / "support" / "kept_behind.py"
BEHIND = {9, 10}
BETWEEN = "00000000000000b1"
SENT: LaneKey = ("s", "s", 0)
SEEN: LaneKey = ("r", "s", 0)


@pytest.fixture
def behind(launch: Callable[..., Program]) -> Callable[[str, str], None]:
    """Starts a sender, and a receiver in a process of its own."""

    def start(sender: str, receiver: str) -> None:
        ports = launch(SCRIPT, sender).expect("bound")
        launch(SCRIPT, receiver, *ports).expect("behind")

    return start


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
    told: list[Any] = []
    with alive(writer):
        numbers = count(1)

        def ten_are_told() -> bool:
            number = next(numbers)
            for slot in range(LANE_SLOTS):
                writer.set_lane(slot, BETWEEN, BETWEEN, slot, number, 0, 0, number, 0)
            bench.tick()
            lanes = [lane for lane in bench.view.lanes() if lane.role == role and lane.stream != BETWEEN]
            told.extend(lane.backlog for lane in lanes if lane.backlog is not None)
            return len(told) >= 10

        eventually(ten_are_told)
    assert [one for one in told if not one.at_least <= max(BEHIND)] == []
    assert [one for one in told if not one.at_most >= min(BEHIND)] == []


def socket_of(name: str) -> SocketState:
    return SocketState(
        name, f"of {name}", name, "PUSH", None, probed=False, proxy=None, options={}, slot=None, opened_at=0
    )


def read(sender: tuple[float, float, int], receiver: tuple[float, float, int]) -> LanesRead:
    """When each was read, and its number."""
    (*sent_at, sent), (*seen_at, seen) = sender, receiver
    lanes = {SENT: (sent, 0, 0, 0, 0), SEEN: (seen, 0, 0, seen, 0)}
    return LanesRead(lanes, {"of s": Span(*sent_at), "of r": Span(*seen_at)})


@pytest.mark.parametrize(
    ("first", "second", "sent", "seen"),
    [
        (read((1, 2, 50), (2, 3, 40)), read((4, 5, 90), (5, 6, 80)), 90, 40),
        (read((2, 3, 50), (1, 2, 40)), read((5, 6, 90), (4, 5, 80)), 50, 80),
        (read((1, 2, 50), (2, 3, 40)), read((1, 2, 50), (5, 6, 80)), None, 40),
        (read((2, 3, 50), (1, 2, 40)), read((5, 6, 90), (1, 2, 40)), 50, None),
    ],
    ids=["sender first", "receiver first", "sender not read again", "receiver not read again"],
)
def test_what_was_read_is_compared_only_in_the_order_in_which_it_was(
    first: LanesRead, second: LanesRead, sent: int | None, seen: int | None
) -> None:
    readings = TwoReadings(first, second, {name: socket_of(name) for name in "sr"})
    assert readings.sent_by_then(SENT, [SEEN]) == sent
    received = readings.received_by_then(SEEN, SENT)
    assert (received and received[0]) == seen
