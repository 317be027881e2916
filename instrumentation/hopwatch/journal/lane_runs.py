"""The lane numbers that are not stored for each message, because the count of messages tells them (FORMAT.md, "The stamp in the slot").

While all that a socket sends goes into one lane, the first words of its slot are the stamp of its next message: the one store of the
count moves them on, and the lane with them. The word that says so is the last to be written when that begins and when it ends:
what the words say is exact at every instant, also that at which the process is killed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hopwatch.stamp import INTERVAL_MASK, WHOLE_WORD, first_word, flags_of, nanoseconds
from hopwatch.words import (
    BEHIND,
    LANE_COUNT,
    LANE_INDEX,
    LANE_MORE_FRAMES,
    LANE_NEWEST_SENT_AT,
    LANE_RUN_MORE_FRAMES,
    LANE_SOCKET,
    LANE_STREAM,
    SENT,
    SOCKET,
    STAMP_HEAD,
    STAMP_LANE,
    STAMP_WORDS,
)

_MOST = (1 << 63) - 1


@dataclass(frozen=True)
class LaneRun:
    """The run of a sending socket, in its slot."""

    words: memoryview

    @property
    def stamp(self) -> memoryview:
        """The bytes of the next message's stamp, as far as a run goes on."""
        return self.words[:STAMP_WORDS].cast("B")

    @property
    def times(self) -> "memoryview[float]":
        """The slot as seconds: of the send time in the stamp."""
        return self.words.cast("B").cast("d")

    def begin(self, flags: int, topic_length: int, lane: int, count: int, more_frames: int) -> None:
        """From now on each message sent is one of this lane, which has counted so many of them."""
        words = self.words
        words[STAMP_LANE] = lane
        words[BEHIND] = (words[SENT] - count) & WHOLE_WORD
        words[LANE_RUN_MORE_FRAMES] = (more_frames - _with_stamp(flags) * count) & WHOLE_WORD
        words[STAMP_HEAD] = first_word(flags, topic_length)

    @property
    def more_frames(self) -> int:
        """Frames beyond the first of the lane's messages so far."""
        return _more_frames(self.words)

    def end(self) -> None:
        """The lane's own slot tells its numbers again."""
        self.words[STAMP_HEAD] = 0


def with_time(lane: Sequence[int]) -> list[int]:
    """The words of a lane's slot, its send time in nanoseconds."""
    told = list(lane)
    told[LANE_NEWEST_SENT_AT] = nanoseconds(told[LANE_NEWEST_SENT_AT])
    return told


def with_lane_run(lane: Sequence[int], socket: Sequence[int]) -> list[int]:
    """The words of a lane's slot, moved on where those of its socket's slot tell of a run in it.

    The socket's are to be read first: where the process went on meanwhile, what is told was so between the two readings. Where they do
    not fit each other, the lane's own numbers are given.
    """
    told = list(lane)
    head = socket[STAMP_HEAD]
    count = (socket[SENT] - socket[BEHIND]) & WHOLE_WORD
    place = (socket[SOCKET], socket[SOCKET], socket[STAMP_LANE])
    more_frames = _more_frames(socket)
    if (
        not head
        or max(count, more_frames) > _MOST
        or place != (lane[LANE_SOCKET], lane[LANE_STREAM], lane[LANE_INDEX])
        or count < lane[LANE_COUNT]
    ):
        return told
    told[LANE_COUNT] = count
    told[LANE_MORE_FRAMES] = more_frames
    return told


def _more_frames(socket: Sequence[int]) -> int:
    count = socket[SENT] - socket[BEHIND]
    return (socket[LANE_RUN_MORE_FRAMES] + _with_stamp(flags_of(socket[STAMP_HEAD])) * count) & WHOLE_WORD


def _with_stamp(flags: int) -> int:
    """How many stamps come with each message of a run, for certain: 1, or 0 where they are sparse."""
    return 0 if flags & INTERVAL_MASK else 1
