"""The hot path of sockets that number their messages (see ``counting.py``)."""

from __future__ import annotations

import time
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.lanes.sending import SendingLane
from hopwatch.sockets.counting import NOT_NOW, Sender
from hopwatch.sockets.numbering import Numbering
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.ways import Methods
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.stamp import WHOLE_WORD, pack_numbers
from hopwatch.words import LANE_COUNT, LANE_MORE_FRAMES, SENT, SENT_BYTES, SENT_MORE_FRAMES

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

backend_send: Any = BackendSocket.send
now = time.time


def stamping_send(state: SocketState, numbering: Numbering, try_send: Sender = backend_send) -> Methods:
    """``send`` of a socket that numbers: here messages whose lane is open, and whose last frame is bytes.

    A send that a signal handler's exception ends is not counted, though libzmq may have taken the message: the next one then gets
    the same number, and its receiver counts a duplicate.
    """
    words, first, plain = state.slot.words, state.first_calls, state.way.plain_flags
    parts, known_lane, due_after = numbering.begun, numbering.known_lane, numbering.due_after
    sent = sent_bytes = 0
    last: object = NOT_NOW
    not_last: object = NOT_NOW
    retired = False

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        nonlocal sent, sent_bytes
        if flags == last and data.__class__ is bytes and routing_id is None and group is None:
            begun = state.sending_more
            lane = lane_of_parts() if begun else numbering.single_frame_lane
            if lane is not None:
                number, due = lane.count, lane.due
                stamped = data
                if number >= due:
                    stamped += pack_numbers((sent - number) & WHOLE_WORD, sent, now()) + lane.label
                    due = due_after(number)
                try:
                    if begun:
                        tracker = backend_send(self, stamped, flags, copy, track)
                    else:
                        tracker = try_send(self, stamped, DONTWAIT, copy, track)
                except REFUSED as error:
                    if not is_refusal(error):
                        raise
                    if begun:
                        self._hopwatch_drop_begun()
                        raise
                else:
                    lane.due = due
                    lane.count = lane.words[LANE_COUNT] = number + 1
                    sent_bytes += len(data)
                    words[SENT_BYTES] = sent_bytes
                    sent += 1
                    words[SENT] = sent
                    if begun:
                        lane.words[LANE_MORE_FRAMES] += len(parts)
                        parts.clear()
                        state.sending_more = False
                    return tracker
        elif flags == not_last and state.sends_parts and routing_id is None and group is None:
            return send_part(self, data, flags, copy, track)
        return self._hopwatch_send(data, flags, copy, track, routing_id, group)

    def send_part(self: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
        begun = state.sending_more
        try:
            if begun:
                tracker = backend_send(self, data, flags, copy, track)
            else:
                tracker = try_send(self, data, flags | DONTWAIT, copy, track)
        except REFUSED as error:
            if not is_refusal(error):
                raise
            if begun:
                self._hopwatch_drop_begun()
                raise
            return self._hopwatch_send(data, flags, copy, track, None, None)
        state.sending_more = True
        if state.numbering is not None:
            parts.append(data)
        count_sent(len(data) if data.__class__ is bytes else size_of(data), True)
        return tracker

    def lane_of_parts() -> SendingLane | None:
        if known_lane is None or not parts or state.numbering is not numbering or state.faulty:
            return None
        return None if state.onset_due or state.connected_within else known_lane(parts[0])

    def count_sent(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes, last, not_last
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        if more:
            words[SENT_MORE_FRAMES] += 1
        else:
            sent += 1
            words[SENT] = sent
        if not first.sends and not retired:
            last, not_last = plain, plain | SNDMORE

    def retire() -> None:
        nonlocal last, not_last, retired
        last = not_last = NOT_NOW
        retired = True

    return {
        "_hopwatch_send_now": send,
        "_hopwatch_count_sent": count_sent,
        "_hopwatch_retire_send": retire,
    }
