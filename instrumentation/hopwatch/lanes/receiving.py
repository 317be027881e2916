"""The lanes that arrive at a receiver: finds the numbers that are missing."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hopwatch import finding
from hopwatch.finding import Finding
from hopwatch.frames import as_bytes
from hopwatch.ids import as_text
from hopwatch.journal.counters import Slot, Words
from hopwatch.journal.journal import Journal
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.stamp import SHARED_OUT, WHOLE_STREAM_LANE, Stamp, decode, unpack
from hopwatch.words import (
    DUPLICATED,
    GAPS,
    LANE_COUNT,
    LANE_FIRST,
    LANE_INDEX,
    LANE_NEWEST_SENT_AT,
    LANE_NEXT,
    LANE_STREAM,
    LOST,
    REORDERED,
    SOCKET,
)

MOST_LANES = 20_000
GAPS_REMEMBERED = 64


@dataclass
class ReceivingLane:
    """One lane as this receiver sees it. ``words`` is None where it cannot be checked."""

    topic: bytes
    words: Words | None
    newest_number: int = 0
    paused: bool = False
    open_gaps: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=GAPS_REMEMBERED))


class ReceivingLanes:
    """Follows the lanes of every stream that reaches one socket.

    ``subscriptions`` is None for receivers that do not filter. ``find`` is told of findings.
    """

    def __init__(
        self, socket: int, counters: Words, journal: Journal, subscriptions: Subscriptions | None
    ) -> None:
        self._socket = socket
        self._counters = counters
        self._journal = journal
        self._subscriptions = subscriptions
        self._lanes: dict[tuple[int, int], ReceivingLane] = {}
        self.slots: list[Slot] = []
        self.find: Callable[[Finding], None] = lambda _: None

    def take(self, frame: bytes, first_frame: Any) -> None:
        """Account for one message by its stamp and its first frame (bytes or zmq.Frame; None: not known)."""
        _, flags, _, index, stream, number, lane_number, sent_at = unpack(frame)
        lane = self._lanes.get((stream, index))
        if lane is None:
            self._open(decode(frame), first_frame)
            return
        words = lane.words
        if words is None:
            return
        expected = words[LANE_NEXT]
        if lane_number == expected:
            words[LANE_COUNT] += 1
            words[LANE_NEXT] = expected + 1
            words[LANE_NEWEST_SENT_AT] = sent_at
            lane.newest_number = number
        elif flags & SHARED_OUT:
            self._take_shared_out(lane, words, decode(frame))
        elif lane_number > expected:
            self._jump(lane, words, decode(frame))
        else:
            self._step_back(lane, words, decode(frame))

    def unsubscribed(self) -> None:
        """Subscriptions have become fewer: lanes that are no longer covered start afresh when they come back."""
        for lane in self._lanes.values():
            lane.paused = lane.paused or not self._is_owed(lane.topic)

    def _is_owed(self, topic: bytes) -> bool:
        return self._subscriptions is None or self._subscriptions.cover(topic)

    def _open(self, stamp: Stamp, first_frame: Any) -> None:
        topic = b"" if first_frame is None else as_bytes(first_frame)[: stamp.topic_length]
        owed = self._is_owed(topic) or (first_frame is None and stamp.topic_length > 0)
        if len(self._lanes) >= MOST_LANES or not owed:
            self._lanes[stamp.stream, stamp.lane] = ReceivingLane(topic, None)
            self.find(finding.partial_lane(topic_known=stamp.lane != WHOLE_STREAM_LANE))
            return
        slot = self._journal.lane_slot()
        self.slots.append(slot)
        words = slot.words
        words[LANE_STREAM] = stamp.stream
        words[LANE_INDEX] = stamp.lane
        words[LANE_COUNT] = 1
        words[LANE_FIRST] = stamp.lane_number
        words[SOCKET] = self._socket
        lane = ReceivingLane(topic, words)
        self._advance(lane, words, stamp)
        self._lanes[stamp.stream, stamp.lane] = lane
        self._event("lane", stamp, topic=topic.hex(), slot=slot.place)

    @staticmethod
    def _advance(lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        words[LANE_NEXT] = stamp.lane_number + 1
        words[LANE_NEWEST_SENT_AT] = stamp.sent_at
        lane.newest_number = stamp.number

    def _take_shared_out(self, lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        words[LANE_COUNT] += 1
        if stamp.lane_number > words[LANE_NEXT]:
            self._advance(lane, words, stamp)
        elif stamp.lane_number < words[LANE_FIRST]:
            words[LANE_FIRST] = stamp.lane_number

    def _jump(self, lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        first, last = words[LANE_NEXT], stamp.lane_number - 1
        words[LANE_COUNT] += 1
        if lane.paused:
            lane.paused = False
            self._event("skipped", stamp, first=first, last=last)
        else:
            self._counters[GAPS] += 1
            self._counters[LOST] += last - first + 1
            lane.open_gaps.append((first, last))
            self._event(
                "gap",
                stamp,
                first=first,
                last=last,
                before=lane.newest_number,
                after=stamp.number,
                before_sent_at=words[LANE_NEWEST_SENT_AT],
                after_sent_at=stamp.sent_at,
                received=words[LANE_COUNT],
            )
        self._advance(lane, words, stamp)

    def _step_back(self, lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        number = stamp.lane_number
        gap = next((gap for gap in lane.open_gaps if gap[0] <= number <= gap[1]), None)
        if gap is None:
            self._counters[DUPLICATED] += 1
            return
        lane.open_gaps.remove(gap)
        lane.open_gaps.extend(
            part for part in ((gap[0], number - 1), (number + 1, gap[1])) if part[0] <= part[1]
        )
        words[LANE_COUNT] += 1
        self._counters[REORDERED] += 1
        self._counters[LOST] -= 1
        self._event("late", stamp, number=number)

    def _event(self, event: str, stamp: Stamp, **fields: object) -> None:
        self._journal.event(
            event, socket=as_text(self._socket), stream=as_text(stamp.stream), lane=stamp.lane, **fields
        )
