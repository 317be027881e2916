"""Which lane and number the next message of a stamped socket gets."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from hopwatch.frames import as_bytes
from hopwatch.journal.counters import Words
from hopwatch.lanes.sending import SendingLane, SendingLanes
from hopwatch.lanes.topics import LONGEST_TOPIC, TopicRule, length_in_first_frame
from hopwatch.sockets.unrouted import Place
from hopwatch.stamp import (
    BY_FIRST_FRAME,
    SHARED_OUT,
    WHOLE_STREAM_LANE,
    WHOLE_WORD,
    interval_flags,
    pack_label,
    pack_stamp,
)
from hopwatch.words import LANE_COUNT, LANE_MORE_FRAMES, SENT

NEVER = 1 << 62
"""``every`` of a socket that numbers its messages and stamps none."""

LaneChooser = Callable[[list[Any]], SendingLane]
"""From the frames of a message, as the application gave them, to its lane."""

KnownLane = Callable[[Any], SendingLane | None]
"""From the first frame of a message of several to its lane; None: it is to be chosen, or opened, from all of them."""


class Numbered(NamedTuple):
    """A message's place: its lane, its number there, and its stamp (empty: it gets none)."""

    lane: SendingLane
    lane_number: int
    stamp: bytes


class Numbering:
    """Numbers the messages of one stream. A number that ``end`` gave goes back to its lane if the message is not accepted.

    ``begun`` holds the frames accepted of a message that is not complete. ``single_frame_lane`` is the lane of every message of
    one frame, once it is open, where they all share one. ``rule_flags`` tell a receiver of sparse stamps whose lane a message without
    one belongs to.
    """

    def __init__(
        self,
        stream: int,
        flags: int,
        counters: Words,
        choose: LaneChooser,
        single_frames_share: bool,
        every: int = 1,
        rule_flags: int = 0,
        known_lane: KnownLane | None = None,
    ) -> None:
        self.stream = stream
        self.every = every
        self.stamps = every != NEVER
        self.flags = flags | (interval_flags(every) | rule_flags if every > 1 else 0)
        self.begun: list[Any] = []
        self.single_frame_lane: SendingLane | None = None
        self.lane_of_stranger: Callable[[bytes], SendingLane | None] = lambda _: None
        self._in_no_lane = False
        self._drifts = bool(flags & SHARED_OUT)
        self._rule = rule_flags
        self._counters = counters
        self._choose = choose
        self._known = known_lane
        self._single_frames_share = single_frames_share

    def stop(self) -> None:
        """Number no more single frames on the hot path."""
        self.single_frame_lane = None
        self._single_frames_share = False

    def end(self, last_frame: Any) -> Numbered | None:
        """Place and stamp of the message that ends with this frame; None where it has no lane."""
        if self._in_no_lane:
            self.drop_begun()
            return None
        frames = [*self.begun, last_frame]
        lane = self._choose(frames)
        if not lane.label:
            lane.label = pack_label(self.stream, lane.index, lane.topic_length, self.flags)
        if self._single_frames_share and len(frames) == 1:
            self.single_frame_lane = lane
        if not self.stamps:
            lane.due = NEVER
        number = lane.take_number()
        return Numbered(lane, number, self.stamp_of(lane, number, always=self._is_hidden(lane, len(frames))))

    def known_lane(self) -> SendingLane | None:
        """The lane of the message that is begun, where its first frame tells, and the lane is open."""
        return self._known(self.begun[0]) if self._known is not None and self.begun else None

    def stamp_of(self, lane: SendingLane, number: int, always: bool = False) -> bytes:
        """The stamp of the message of this number in its lane; empty where it gets none."""
        if (number < lane.due and not always) or not self.stamps:
            return b""
        sent = self._counters[SENT]
        # an interrupted send may be counted in its lane alone: then the lane is ahead of the stream
        return pack_stamp((sent - number) & WHOLE_WORD, sent, time.time(), lane.label)

    def place(self, routing_id: Any, *, peer_is_there: bool) -> Place:
        """Place of the message that begins with this routing id, and is swallowed."""
        lane = self._choose([routing_id]) if peer_is_there else self.lane_of_stranger(as_bytes(routing_id))
        self._in_no_lane = lane is None
        return Place(self._counters[SENT], *(() if lane is None else (lane.index, lane.count)))

    def drop_begun(self) -> None:
        """Forget the frames accepted of the message that is begun."""
        self.begun.clear()
        self._in_no_lane = False

    def sent(self, lane: SendingLane, lane_number: int) -> None:
        """The message of this number was accepted, with its last frame."""
        lane.words[LANE_MORE_FRAMES] += len(self.begun)
        lane.words[LANE_COUNT] = lane.count
        if lane_number >= lane.due:
            lane.due = self.due_after(lane_number)
        self.begun.clear()

    def due_after(self, lane_number: int) -> int:
        """The number that gets the next stamp after this one.

        Where messages are dealt out in turn, stamps that come in step with the turns would all reach the same receiver: so
        they drift by one each time.
        """
        block = lane_number // self.every + 1
        return block * self.every + (block % self.every if self._drifts else 0)

    def _is_hidden(self, lane: SendingLane, frames: int) -> bool:
        """Whether a receiver would count the message, without a stamp, to another lane: its topic has no lane of its own."""
        has_topic = frames > 1 if self._rule & BY_FIRST_FRAME else bool(self._rule)
        return has_topic and lane.index == WHOLE_STREAM_LANE


def single_lane(lanes: SendingLanes) -> LaneChooser:
    """One lane for the whole stream, opened with its first message."""

    def choose(_: list[Any]) -> SendingLane:
        return lanes.lane(b"", 0)

    return choose


def known_single_lane(lanes: SendingLanes) -> KnownLane:
    """The lane of ``single_lane``."""
    return lambda _: lanes.known(b"")


def known_by_topic(lanes: SendingLanes) -> KnownLane:
    """The lane of ``lane_by_topic`` where the topic is the first frame."""
    return lambda frame: lanes.known(frame) if frame.__class__ is bytes else None


def lane_by_topic(lanes: SendingLanes, rule: TopicRule) -> LaneChooser:
    """A lane a topic; messages without one, or with an overlong one, share the whole-stream lane."""

    def choose(frames: list[Any]) -> SendingLane:
        contents = [as_bytes(frame) for frame in frames]
        topic = rule(contents)
        if topic is None:
            return lanes.lane(None, 0)
        if len(topic) > LONGEST_TOPIC:
            lanes.gathering()
            return lanes.lane(None, 0)
        return lanes.lane(topic, length_in_first_frame(topic, contents))

    return choose


def lane_by_routing_id(lanes: SendingLanes) -> LaneChooser:
    """A lane a peer: the first frame that a ROUTER sends is the routing id, which stays behind.

    What peers share is not stamped: a receiver that does not filter would take each number that went to another peer for lost.
    """

    def choose(frames: list[Any]) -> SendingLane:
        lane = lanes.lane(as_bytes(frames[0]), 0)
        if lane.index == WHOLE_STREAM_LANE:
            lane.due = NEVER
        return lane

    return choose
