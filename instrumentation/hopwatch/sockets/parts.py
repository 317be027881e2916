"""The hot path of messages of several frames; what it leaves goes to ``sending.py``, as from ``counting.py``."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.lanes.sending import SendingLane
from hopwatch.sockets.counting import Sender, slow_send
from hopwatch.sockets.numbering import KnownLane, Numbering
from hopwatch.sockets.refusals import send_with_stamp
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.stamp import MAGIC, WHOLE_WORD, pack_head, pack_numbers
from hopwatch.words import LANE_COUNT, LANE_MORE_FRAMES, SENT

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

backend_send = BackendSocket.send
now = time.time

CountSent = Callable[[int, bool], None]
"""Counts a frame, by its size, which more of its message follow or not."""


def counting_parts(state: SocketState, try_send: Sender, count_sent: CountSent) -> Sender:
    """Sends a frame of a message of several, and counts it. The first is tried without blocking (see ``refusals.py``)."""
    last = state.way.plain_flags
    not_last, first = last | SNDMORE, last | SNDMORE | DONTWAIT

    def send_part(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        more, begun = flags == not_last, state.sending_more
        if state.sends_parts and (more or (begun and flags == last)) and routing_id is None and group is None:
            try:
                send = backend_send if begun else try_send
                tracker = send(self, data, flags if begun else first, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
                if begun:
                    self._hopwatch_drop_begun()
                    raise
            else:
                state.sending_more = more
                count_sent(len(data) if data.__class__ is bytes else size_of(data), more)
                return tracker
        return slow_send(self, data, flags, copy, track, routing_id, group)

    return send_part


def stamping_parts(
    state: SocketState, numbering: Numbering, known_lane: KnownLane, try_send: Sender, count_sent: CountSent
) -> Sender:
    """As ``counting_parts``; the last frame is numbered, and followed by the stamp where one is due."""
    words, parts = state.slot.words, numbering.begun
    last = state.way.plain_flags
    not_last, first = last | SNDMORE, last | SNDMORE | DONTWAIT

    def send_part(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if (
            state.numbering is numbering
            and state.sends_parts
            and not state.faulty
            and routing_id is None
            and group is None
        ):
            begun = state.sending_more
            try:
                if flags == not_last:
                    send = backend_send if begun else try_send
                    tracker = send(self, data, not_last if begun else first, copy, track)
                    state.sending_more = True
                    parts.append(data)
                    count_sent(len(data) if data.__class__ is bytes else size_of(data), True)
                    return tracker
                if begun and flags == last and not state.onset_due and not state.connected_within:
                    lane = known_lane(parts[0])
                    if lane is not None:
                        tracker = send_last(self, data, lane, copy, track)
                        state.sending_more = False
                        count_sent(len(data) if data.__class__ is bytes else size_of(data), False)
                        return tracker
            except REFUSED as error:
                if not is_refusal(error):
                    raise
                if begun:
                    self._hopwatch_drop_begun()
                    raise
        return slow_send(self, data, flags, copy, track, routing_id, group)

    def send_last(self: Any, data: Any, lane: SendingLane, copy: bool, track: bool) -> Any:
        number = lane.count
        if number < lane.due:
            tracker = backend_send(self, data, last, copy, track)
            lane.more_frames += len(parts)
        else:
            # a signal handler may have raised between the counts of the message before: then the lane is ahead
            sent = words[SENT]
            stamp = (lane.head or head_of(lane)) + pack_numbers((sent - number) & WHOLE_WORD, sent, now())
            tracker = send_with_stamp(self, data, stamp, last, copy, track)
            lane.more_frames += len(parts) + 1
            lane.due = numbering.due_after(number)
        lane.words[LANE_MORE_FRAMES] = lane.more_frames
        lane.count = lane.words[LANE_COUNT] = number + 1
        parts.clear()
        return tracker

    def head_of(lane: SendingLane) -> bytes:
        lane.head = pack_head(MAGIC, numbering.flags, lane.topic_length, lane.index, numbering.stream)
        return lane.head

    return send_part
