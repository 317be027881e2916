"""One receiver and senders that come and go: what it keeps of them is bounded, and what it says of losses stays true."""

from collections.abc import Callable
from random import Random
from typing import Any

import hopwatch
import pytest
import zmq
from hopwatch import stamp
from hopwatch.finding import Finding
from hopwatch.journal.counters import Slot, private_slot
from hopwatch.journal.journal import NoJournal
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.unstamped import TopicCounts, Unstamped
from hopwatch.stamp import SHARED_OUT, Stamp, interval_flags
from hopwatch.words import (
    DUPLICATED,
    GAPS,
    LANE_COUNT,
    LANE_FIRST,
    LANE_NEXT,
    LANE_SOCKET,
    LOST,
    SOCKET_SLOT_WORDS,
)
from journal_reader import Journal

Limits = Callable[..., None]
SOCKET = 1 << 60


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Limits:
    """Sets bounds of what is followed."""

    def set_limits(**bounds: int) -> None:
        for name, bound in bounds.items():
            monkeypatch.setattr(f"hopwatch.lanes.following.{name}", bound)

    return set_limits


class Events(NoJournal):
    """Keeps what is journaled, and which slots are in use."""

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self.taken: list[Slot] = []

    def event(self, event: str, **fields: Any) -> None:
        self.written.append({"event": event, **fields})

    def lane_slot(self) -> Slot:
        self.taken.append(super().lane_slot())
        return self.taken[-1]

    def give_back_lanes(self, lane_slots: list[Slot]) -> None:
        assert all(slot.words[LANE_SOCKET] == 0 for slot in lane_slots)
        gone = {id(slot) for slot in lane_slots}
        self.taken = [slot for slot in self.taken if id(slot) not in gone]

    def of(self, event: str) -> list[dict[str, Any]]:
        return [written for written in self.written if written["event"] == event]


class Receiver:
    """The lanes of one receiver, fed with stamps."""

    def __init__(self) -> None:
        self.counters = private_slot(SOCKET_SLOT_WORDS).words
        self.journal = Events()
        self.found: list[Finding] = []
        unstamped = Unstamped(0, TopicCounts(SOCKET, self.journal, wanted=False))
        self.lanes = ReceivingLanes(SOCKET, self.counters, self.journal, None, unstamped)
        self.lanes.find = self.found.append

    def take(self, stream: int, *numbers: int, flags: int = 0) -> None:
        for number in numbers:
            self.lanes.take(stamp.encode(Stamp(flags, 0, 0, stream, number, number, 1_000)), b"")

    def lost(self) -> list[int]:
        return [self.counters[word] for word in (GAPS, LOST, DUPLICATED)]

    def told(self) -> dict[str, list[int]]:
        """The last word on each stream: count, first and next."""
        told = {row[0]: row[2:3] + row[4:6] for lanes in self.journal.of("lanes") for row in lanes["lanes"]}
        for slot in self.lanes.slots:
            words = slot.words
            told[f"{words[1]:016x}"] = [words[word] for word in (LANE_COUNT, LANE_FIRST, LANE_NEXT)]
        return told


def test_a_receiver_keeps_slots_for_no_more_senders_than_may_be_there_still(
    context: zmq.Context, journal: Journal, limits: Limits
) -> None:
    limits(MANY_STREAMS=20)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence="stamp")
    pull.bind("inproc://pull")

    def sender() -> zmq.Socket:
        push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
        push.connect("inproc://pull")
        return push

    steady = sender()
    most = 0
    for _ in range(100):
        passing = sender()
        for push in (steady, passing):
            push.send(b"x")
            pull.recv()
        passing.close()
        most = max(most, len(journal.lanes()))
    assert most <= 24
    identity = journal.of("pull", "opened")[0]["socket"]
    pull.close()
    last_words = {
        stream: (count, first, following)
        for event in journal.events("lanes")
        if event["socket"] == identity
        for stream, _, count, _, first, following, _ in event["lanes"]
    }
    assert sorted(last_words.values()) == [(1, 0, 1)] * 100 + [(100, 0, 100)]
    assert journal.faults() == []


def test_a_stream_that_speaks_again_goes_on_where_it_stood(limits: Limits) -> None:
    limits(MANY_STREAMS=5)
    receiver = Receiver()
    receiver.take(1, 0, 1, 2)
    for stream in range(2, 40):
        receiver.take(stream, 0)
    assert len(receiver.journal.taken) == len(receiver.lanes.slots) <= 6
    assert 1 not in [slot.words[1] for slot in receiver.lanes.slots]
    receiver.take(1, 3)
    assert receiver.lost() == [0, 0, 0]
    for stream in range(40, 80):
        receiver.take(stream, 0)
    receiver.take(1, 6)
    assert receiver.lost() == [1, 2, 0]
    [gap] = receiver.journal.of("gap")
    assert (gap["first"], gap["last"], gap["before"], gap["after"], gap["received"]) == (4, 5, 3, 6, 5)
    assert receiver.told()[f"{1:016x}"] == [5, 0, 7]


def test_streams_that_are_heard_of_stay_however_many(limits: Limits) -> None:
    limits(MANY_STREAMS=5)
    receiver = Receiver()
    for number in range(20):
        for stream in range(1, 31):
            receiver.take(stream, number)
    assert len(receiver.journal.of("lane")) <= 90
    assert len(receiver.lanes.slots) == 30
    assert (receiver.lost(), receiver.found) == ([0, 0, 0], [])


@pytest.mark.parametrize("flags", [0, SHARED_OUT], ids=["all to one", "shared out"])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_lost_is_told_as_by_a_receiver_that_gives_nothing_up(
    limits: Limits, seed: int, flags: int
) -> None:
    """Who speaks moves on from stream to stream, and comes round again."""
    dice = Random(seed)  # noqa: S311 -- no secret
    traffic = []
    numbers = [0] * 60
    for place in range(3000):
        stream = (place // 20 + int(dice.expovariate(0.5))) % 60
        numbers[stream] += 1 if dice.random() < 0.9 else dice.randint(2, 5)
        traffic.append((stream + 1, numbers[stream] - 1))
    wide = Receiver()
    limits(MANY_STREAMS=6)
    narrow = Receiver()
    for receiver in (wide, narrow):
        for stream, number in traffic:
            receiver.take(stream, number, flags=flags)
    assert narrow.lost() == wide.lost()
    assert narrow.told() == wide.told()
    assert len(narrow.journal.of("lane")) > len(wide.journal.of("lane"))
    assert len(narrow.journal.taken) == len(narrow.lanes.slots)


@pytest.mark.parametrize("flags", [0, SHARED_OUT], ids=["all to one", "shared out"])
def test_of_a_lane_with_sparse_stamps_that_speaks_again_no_loss_is_told(limits: Limits, flags: int) -> None:
    limits(MANY_STREAMS=5)
    receiver, sparse = Receiver(), flags | interval_flags(4)
    receiver.take(1, 0, flags=sparse)
    receiver.lanes.unstamped.count(b"", False)
    for stream in range(2, 40):
        receiver.take(stream, 0)
    receiver.lanes.unstamped.count(b"", False)
    receiver.take(1, 4, flags=sparse)
    assert receiver.lost() == [0, 0, 0]
    assert receiver.told()[f"{1:016x}"] == ([4, 0, 5] if flags else [5, 0, 5])
    receiver.take(1, 8, flags=sparse)
    assert receiver.lost() == ([0, 0, 0] if flags else [1, 3, 0])


def test_past_the_bound_of_lanes_nothing_is_kept_and_a_finding_says_so(limits: Limits) -> None:
    limits(MOST_LANES=10, MANY_STREAMS=5, REFUSALS_A_LOOK=8)
    receiver = Receiver()
    for number in range(5):
        for stream in range(1, 11):
            receiver.take(stream, number)
    for number in range(3):
        for stream in range(1, 16):
            receiver.take(stream, number + 5 * (stream < 11))
    assert len(receiver.lanes.slots) == 10
    assert {finding.rule for finding in receiver.found} == {"lanes_not_followed"}
    for number in range(3, 20):
        receiver.take(15, number)
    assert receiver.lost() == [0, 0, 0]
    [skipped] = receiver.journal.of("skipped")
    opened = receiver.journal.of("lane")[-1]
    assert opened["stream"] == skipped["stream"] == f"{15:016x}"
    receiver.take(15, 21)
    assert receiver.lost() == [1, 1, 0]


def test_of_a_stream_that_is_forgotten_nothing_is_told_that_is_not_known(limits: Limits) -> None:
    limits(MANY_STREAMS=5, MOST_REMEMBERED=3)
    receiver = Receiver()
    receiver.take(1, 0, 1, 2)
    for stream in range(2, 60):
        receiver.take(stream, 0)
    receiver.take(1, 9)
    assert receiver.lost() == [0, 0, 0]
    [skipped] = receiver.journal.of("skipped")
    assert (skipped["stream"], skipped["first"], skipped["last"]) == (f"{1:016x}", 0, 8)
