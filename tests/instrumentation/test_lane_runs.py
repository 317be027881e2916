"""Lane numbers that follow from the count of messages are exact at every instant, and never more than there were."""

import hopwatch
import pytest
import zmq
from hopwatch.journal.lane_runs import LaneRun, with_lane_run, with_time
from hopwatch.stamp import INTERVAL_MASK, decode
from hopwatch.words import (
    LANE_COUNT,
    LANE_INDEX,
    LANE_MORE_FRAMES,
    LANE_NEWEST_SENT_AT,
    LANE_SLOT_WORDS,
    LANE_SOCKET,
    LANE_STREAM,
    SENT,
    SOCKET,
    SOCKET_SLOT_WORDS,
    STAMP_SENT_AT,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_reader import Journal

IDENTITY, LANE = 77, 3


class Slots:
    """A sending socket's slot and the slot of one of its lanes; keeps all numbers that a reader could have seen."""

    def __init__(self) -> None:
        self.socket = memoryview(bytearray(SOCKET_SLOT_WORDS * 8)).cast("Q")
        self.lane = memoryview(bytearray(LANE_SLOT_WORDS * 8)).cast("Q")
        self.socket[SOCKET] = self.lane[LANE_SOCKET] = self.lane[LANE_STREAM] = IDENTITY
        self.lane[LANE_INDEX] = LANE
        self.run = LaneRun(self.socket)

    def told(self) -> tuple[int, int]:
        """Count and further frames, as a reader makes them out."""
        words = with_lane_run(with_time(self.lane), self.socket)
        return words[LANE_COUNT], words[LANE_MORE_FRAMES]

    def leave(self) -> None:
        """As the hot path ends a run."""
        count, more_frames = self.told()
        self.lane[LANE_MORE_FRAMES] = more_frames
        assert self.told() == (count, more_frames)
        self.lane[LANE_COUNT] = count
        assert self.told() == (count, more_frames)
        self.run.end()
        assert self.told() == (count, more_frames)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5), st.integers(0, 50)), max_size=20),
    st.sampled_from([0, 1 << 1]),
)
def test_between_any_two_stores_the_slots_tell_what_was_sent(
    turns: list[tuple[int, int, int]], flags: int
) -> None:
    slots = Slots()
    count = more_frames = 0
    for elsewhere, several, in_run in turns:
        slots.socket[SENT] += elsewhere  # messages of other lanes
        slots.socket[SENT] += several  # messages of two frames and a stamp, counted in the lane's own slot
        slots.lane[LANE_MORE_FRAMES] = more_frames = more_frames + 2 * several
        slots.lane[LANE_COUNT] = count = count + several
        slots.run.begin(flags, 0, LANE, count, more_frames)
        assert slots.told() == (count, more_frames)
        for _ in range(in_run):
            slots.socket[SENT] += 1
            count += 1
            more_frames += 0 if flags & INTERVAL_MASK else 1
            assert slots.told() == (count, more_frames)
        slots.leave()


def test_a_run_moves_on_no_other_lane() -> None:
    slots = Slots()
    slots.run.begin(0, 0, LANE + 1, 0, 0)
    slots.socket[SENT] = 9
    assert slots.told() == (0, 0)
    slots.run.begin(0, 0, LANE, 0, 0)
    slots.lane[LANE_STREAM] = IDENTITY + 1  # what the same socket receives
    assert slots.told() == (0, 0)


def test_slots_read_at_different_times_never_tell_less_than_the_lanes_own() -> None:
    slots = Slots()
    slots.socket[SENT] = 10
    slots.run.begin(0, 0, LANE, 10, 10)
    slots.lane[LANE_COUNT] = slots.lane[LANE_MORE_FRAMES] = 500
    assert slots.told() == (500, 500)


def test_what_stands_in_the_slot_is_the_next_stamp() -> None:
    slots = Slots()
    slots.socket[SENT] = 10
    slots.run.begin(1, 0, LANE, 4, 4)
    slots.run.times[STAMP_SENT_AT] = 1_700_000_000.25
    stamp = decode(bytes(slots.run.stamp))
    assert (stamp.flags, stamp.lane, stamp.stream) == (1, LANE, IDENTITY)
    assert (stamp.number, stamp.lane_number, stamp.sent_at) == (10, 4, 1_700_000_000_250_000_000)


@pytest.mark.parametrize("word", [0x7FF0_0000_0000_0000, 0x7FF8_0000_0000_0001, 2**64 - 1, 2**63])
def test_a_send_time_that_is_none_reads_as_none(word: int) -> None:
    lane = Slots().lane
    lane[LANE_NEWEST_SENT_AT] = word
    assert with_time(lane)[LANE_NEWEST_SENT_AT] == 0


@pytest.mark.parametrize("every", [1, 4])
def test_a_lane_is_told_while_it_runs_and_after_messages_of_several_frames(
    context: zmq.Context, journal: Journal, link, every: int
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp", stamp_every=every)
    pull = hopwatch.wrap(context.socket(zmq.PULL), sequence="stamp")
    link(push, pull)
    for number in range(1, 41):
        push.send(b"x")
        (lane,) = [lane for lane in journal.lanes() if lane["next"] == 0]
        assert lane["count"] == number
    push.send_multipart([b"x", b"y"])
    push.send(b"x")
    (lane,) = [lane for lane in journal.lanes() if lane["next"] == 0]
    stamps = {1: 42, 4: len([0, 5, 10, 15, 16, 21, 26, 31, 32, 37])}[every]
    assert (lane["count"], lane["more_frames"]) == (42, stamps + 1)
    push.close()
    (final,) = journal.of("push", "lanes")
    assert final["lanes"][0][2:4] == [42, stamps + 1]
