"""The lanes that arrive at a receiver: finds the numbers that are missing."""

import time
from collections.abc import Callable
from typing import Any

from hopwatch import finding
from hopwatch.finding import Finding
from hopwatch.frames import as_bytes
from hopwatch.journal.counters import Words
from hopwatch.journal.journal import Journal
from hopwatch.lanes.following import MOST_LANES, Followed, Following, Key, ReceivingLane
from hopwatch.lanes.plausible import MOST_NUMBER, Reach, is_of_a_sender
from hopwatch.lanes.sending import lane_event
from hopwatch.lanes.subscriptions import Owed, Subscriptions
from hopwatch.lanes.unstamped import Unstamped, connection_of
from hopwatch.stamp import (
    INTERVAL_MASK,
    LABEL_SIZE,
    SHARED_OUT,
    SIZE,
    WHOLE_STREAM_LANE,
    Stamp,
    decode,
    encode,
    nanoseconds,
    time_word,
    unpack_words,
)
from hopwatch.words import (
    DUPLICATED,
    GAPS,
    LANE_COUNT,
    LANE_FIRST,
    LANE_NEWEST_SENT_AT,
    LANE_NEXT,
    LOST,
    REORDERED,
)


class ReceivingLanes:
    """Follows the lanes of every stream that reaches one socket.

    ``subscriptions`` is None for receivers that do not filter; ``find`` is told of findings.
    """

    def __init__(
        self,
        socket: int,
        counters: Words,
        journal: Journal,
        subscriptions: Subscriptions | None,
        unstamped: Unstamped,
    ) -> None:
        self._socket = socket
        self._counters = counters
        self._journal = journal
        self._owed = Owed(subscriptions)
        self._following = following = Following(socket, counters, journal, unstamped)
        self._lanes, self.followed, self.slots = following.by_key, following.by_label, following.slots
        self._reopened: set[Key] = set()
        self._reach = Reach(time.monotonic())
        self._impossible = 0
        self.unstamped = unstamped
        self.find: Callable[[Finding], None] = lambda _: None

    def let_go(self) -> None:
        """Touch the slots no more."""
        self.slots.clear()

    @staticmethod
    def take_next(followed: Followed, content: bytes, frame: Any) -> bool:
        """Account for one message by its last frame, as bytes and as it came, that ends with the label of a lane which is followed.

        False: it is not the next of its lane, or something else is to be looked at.
        """
        lane, words = followed
        at = len(content) - SIZE
        if at < 0 or lane.paused:
            return False
        behind, number, sent_at = unpack_words(content, at)
        next_number, sparse = words[LANE_NEXT], lane.sparse
        if sparse is None:
            if number - behind != next_number:
                return False
            words[LANE_COUNT] += 1
        else:
            since = sparse.since
            next_number += since
            is_next = number - behind == next_number and sparse.followed
            if not is_next or connection_of(frame) != sparse.connection:
                return False
            sparse.begin()
            words[LANE_COUNT] += since + 1
        words[LANE_NEXT] = next_number + 1
        words[LANE_NEWEST_SENT_AT] = sent_at
        lane.newest_number = number
        return True

    def take(self, frame: bytes, first_frame: Any, several: bool = False) -> None:
        """Account for one message by its stamp, whatever its number is.

        ``first_frame``: of the message (bytes or zmq.Frame). ``several``: it has more than one frame.
        """
        stamp = decode(frame)
        lane = self._lanes.get((stamp.stream, stamp.lane))
        if lane is not None:
            if lane.words is not None:
                self._take(lane, lane.words, stamp, first_frame)
        elif stamp.stream == self._socket:
            pass  # somebody sent it back
        elif is_of_a_sender(stamp, first_frame):
            self._open(stamp, first_frame, several)
        else:
            self._set_aside()

    def tell_impossible(self) -> None:
        """Tell how many stamps were set aside so far, if any were."""
        if self._impossible:
            self.find(finding.impossible_stamps(self._impossible))

    def _set_aside(self) -> None:
        self._impossible += 1
        if self._impossible.bit_count() == 1:
            self.tell_impossible()

    def _take(self, lane: ReceivingLane, words: Words, stamp: Stamp, first_frame: Any) -> None:
        if not self._reach.holds(words, stamp):
            self._set_aside()
        elif stamp.flags & INTERVAL_MASK:
            self._take_sparse(lane, words, stamp, first_frame)
        elif stamp.lane_number == words[LANE_NEXT]:
            words[LANE_COUNT] += 1
            self._advance(lane, words, stamp)
            lane.paused = lane.paused and not self._owed.is_in_force(lane.topic, stamp.sent_at)
        elif stamp.flags & SHARED_OUT:
            self._take_shared_out(lane, words, stamp)
        elif stamp.lane_number > words[LANE_NEXT]:
            self._jump(lane, words, stamp)
        else:
            self._step_back(lane, words, stamp)

    def subscribed(self) -> None:
        """Subscriptions have become more: lanes that could not be checked may be now, from their next number on."""
        for key, lane in list(self._lanes.items()):
            if lane.words is None and self._owed.is_all_of(lane.topic):
                del self._lanes[key]
                self._reopened.add(key)
        self._owed.subscribed()

    def unsubscribed(self) -> None:
        """Subscriptions have become fewer: lanes that are no longer covered start afresh when they come back."""
        for lane in self._lanes.values():
            lane.paused = lane.paused or not self._owed.is_all_of(lane.topic)

    def _open(self, stamp: Stamp, first_frame: Any, several: bool) -> None:
        topic = as_bytes(first_frame)[: stamp.topic_length]
        owed = self._owed.is_all_of(topic)
        key = stamp.stream, stamp.lane
        if not self._following.has_room(key):
            self.find(finding.lanes_not_followed(MOST_LANES))
            return
        if not owed:
            self._following.keep(key, ReceivingLane(topic, None))
            self.find(finding.partial_lane(topic_known=stamp.lane != WHOLE_STREAM_LANE))
            return
        lane, words, is_back = self._following.open(key, topic, stamp.lane_number)
        lane.paused = self._owed.was_left(topic) and (
            is_back or not self._owed.is_in_force(topic, stamp.sent_at)
        )
        if not is_back:
            self._advance(lane, words, stamp)
        came = 0
        if stamp.flags & INTERVAL_MASK:
            lane.sparse, came = self.unstamped.open(words, stamp, first_frame, several)
            if self.unstamped.mixed:
                self.find(finding.sparse_mixed())
        else:
            self.unstamped.each_is_stamped()
        lane.label = encode(stamp)[-LABEL_SIZE:]
        self._following.keep(key, lane)
        self._event("lane", stamp, topic=topic.hex(), slot=lane.slot and lane.slot.place)
        if is_back:
            if lane.sparse is not None and self._reach.holds(words, stamp):
                between = stamp.lane_number - words[LANE_NEXT]
                lane.sparse.go_on(between, came, shared_out=bool(stamp.flags & SHARED_OUT))
            self._take(lane, words, stamp, first_frame)
            return
        came = min(came, stamp.lane_number)
        words[LANE_COUNT] += came
        words[LANE_FIRST] -= came
        if stamp.lane_number and self._may_have_had_more(key, stamp):
            self._event("skipped", stamp, first=0, last=stamp.lane_number - 1)

    def _may_have_had_more(self, key: Key, stamp: Stamp) -> bool:
        """Whether the numbers before a lane's first stamp may have come here too."""
        was_reopened = key in self._reopened
        self._reopened.discard(key)
        return was_reopened or (self._following.forgot and not stamp.flags & SHARED_OUT)

    @staticmethod
    def _advance(lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        words[LANE_NEXT] = stamp.lane_number + 1
        words[LANE_NEWEST_SENT_AT] = time_word(stamp.sent_at)
        lane.newest_number = stamp.number

    def _take_shared_out(self, lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        words[LANE_COUNT] += 1
        if stamp.lane_number >= words[LANE_NEXT]:
            self._advance(lane, words, stamp)
        elif stamp.lane_number < words[LANE_FIRST]:
            words[LANE_FIRST] = stamp.lane_number

    def _take_sparse(self, lane: ReceivingLane, words: Words, stamp: Stamp, first_frame: Any) -> None:
        """Between two stamps that came, as many messages are lost as were numbered and did not come."""
        sparse = lane.sparse
        if sparse is None:
            return
        between = stamp.lane_number - words[LANE_NEXT]
        if between < 0 and not stamp.flags & SHARED_OUT:
            self._step_back(lane, words, stamp)
            return
        came = sparse.take(max(0, between))
        surplus = self.unstamped.stamped(sparse, first_frame)
        if surplus and not self.unstamped.mixed:
            self.find(finding.sparse_surplus())
        if stamp.flags & SHARED_OUT:
            words[LANE_COUNT] += came
            self._take_shared_out(lane, words, stamp)
        elif came < between:
            self._jump(lane, words, stamp, came)
        else:
            lane.paused = lane.paused and not self._owed.is_in_force(lane.topic, stamp.sent_at)
            words[LANE_COUNT] += came + 1
            self._advance(lane, words, stamp)

    def _jump(self, lane: ReceivingLane, words: Words, stamp: Stamp, came: int = 0) -> None:
        """Numbers are missing before this stamp, all but the ``came`` that came without one."""
        first, last = words[LANE_NEXT], stamp.lane_number - 1
        words[LANE_COUNT] += 1
        if lane.paused:
            lane.paused = stamp.sent_at <= self._owed.resubscribed_at
            self._event("skipped", stamp, first=first, last=last)
        else:
            lost = last - first + 1 - came
            words[LANE_COUNT] += came
            self._counters[GAPS] += 1
            self._counters[LOST] = min(self._counters[LOST] + lost, MOST_NUMBER)
            lane.open_gaps.add(first, last)
            self._event(
                "gap",
                stamp,
                first=first,
                last=last,
                lost=lost,
                before=min(lane.newest_number, stamp.number),
                after=stamp.number,
                before_sent_at=nanoseconds(words[LANE_NEWEST_SENT_AT]),
                after_sent_at=stamp.sent_at,
                received=words[LANE_COUNT],
            )
        self._advance(lane, words, stamp)

    def _step_back(self, lane: ReceivingLane, words: Words, stamp: Stamp) -> None:
        number = stamp.lane_number
        if not lane.open_gaps.fill(number):
            self._counters[DUPLICATED] += 1
            return
        words[LANE_COUNT] += 1
        self._counters[REORDERED] += 1
        self._counters[LOST] -= bool(self._counters[LOST])
        self._event("late", stamp, number=number)

    def _event(self, event: str, stamp: Stamp, **fields: object) -> None:
        lane_event(self._journal, event, self._socket, stamp.stream, stamp.lane, **fields)
