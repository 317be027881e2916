"""Which lane and number the next message of a stamped socket gets."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from hopwatch.frames import as_bytes
from hopwatch.journal.counters import Words
from hopwatch.lanes.sending import SendingLane, SendingLanes
from hopwatch.lanes.topics import LONGEST_TOPIC, TopicRule, length_in_first_frame
from hopwatch.sockets.unrouted import Place
from hopwatch.stamp import MAGIC, pack
from hopwatch.words import LANE_COUNT, LANE_FRAMES, SENT

LaneChooser = Callable[[list[Any]], SendingLane]
"""From the frames of a message, as the application gave them, to its lane."""


class Numbered(NamedTuple):
    """A message's place: its lane, its number there, how many frames it has with its stamp, and the stamp."""

    lane: SendingLane
    lane_number: int
    frames: int
    stamp: bytes


class Numbering:
    """Numbers the messages of one stream. A number is used up only by ``sent``, once the message is accepted.

    ``begun`` holds the frames accepted of a message that is not complete. ``single_frame_lane`` is the lane of every message of
    one frame, once it is open, where they all share one.
    """

    def __init__(
        self, stream: int, flags: int, counters: Words, choose: LaneChooser, single_frames_share: bool
    ) -> None:
        self.stream = stream
        self.flags = flags
        self.begun: list[Any] = []
        self.single_frame_lane: SendingLane | None = None
        self._counters = counters
        self._choose = choose
        self._single_frames_share = single_frames_share

    def stop(self) -> None:
        """Number no more single frames on the hot path."""
        self.single_frame_lane = None
        self._single_frames_share = False

    def end(self, last_frame: Any) -> Numbered:
        """Place and stamp of the message that ends with this frame."""
        frames = [*self.begun, last_frame]
        lane = self._choose(frames)
        if self._single_frames_share and len(frames) == 1:
            self.single_frame_lane = lane
        lane_number = lane.words[LANE_COUNT]
        number = self._counters[SENT]
        fields = (self.flags, lane.topic_length, lane.index, self.stream, number, lane_number, time.time_ns())
        return Numbered(lane, lane_number, len(frames) + 1, pack(MAGIC, *fields))

    def place(self, first_frame: Any) -> Place:
        """Place of the message that begins with this frame, where that frame decides the lane."""
        lane = self._choose([first_frame])
        return Place(self._counters[SENT], lane.index, lane.words[LANE_COUNT])

    def sent(self, message: Numbered) -> None:
        """The message was accepted."""
        words = message.lane.words
        words[LANE_FRAMES] += message.frames
        words[LANE_COUNT] = message.lane_number + 1
        self.begun.clear()


def single_lane(lanes: SendingLanes) -> LaneChooser:
    """One lane for the whole stream, opened with its first message."""

    def choose(_: list[Any]) -> SendingLane:
        return lanes.lane(b"", 0)

    return choose


def lane_by_topic(lanes: SendingLanes, rule: TopicRule) -> LaneChooser:
    """A lane a topic; messages without one, or with an overlong one, share the whole-stream lane."""

    def choose(frames: list[Any]) -> SendingLane:
        contents = [as_bytes(frame) for frame in frames]
        topic = rule(contents)
        if topic is None or len(topic) > LONGEST_TOPIC:
            return lanes.lane(None, 0)
        return lanes.lane(topic, length_in_first_frame(topic, contents))

    return choose


def lane_by_routing_id(lanes: SendingLanes) -> LaneChooser:
    """A lane a peer: the first frame that a ROUTER sends is the routing id, which stays behind."""

    def choose(frames: list[Any]) -> SendingLane:
        return lanes.lane(as_bytes(frames[0]), 0)

    return choose
