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
    counts_only, sparse = not numbering.stamps, numbering.every > 1
    sent = sent_bytes = 0
    alone: object = NOT_NOW
    not_last: object = NOT_NOW
    retired = False

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if flags == alone and data.__class__ is bytes and routing_id is None and group is None:
            lane = numbering.single_frame_lane
            if lane is not None:
                due = due_after(lane.count) if sparse and lane.count >= lane.due else lane.due
                try:
                    tracker = try_send(self, stamped(data, lane), DONTWAIT, copy, track)
                except REFUSED as error:
                    if not is_refusal(error):
                        raise
                else:
                    lane.due = due
                    count_in(lane, len(data))
                    return tracker
        return send_part(self, data, flags, copy, track, routing_id, group)

    def send_part(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if not_last is NOT_NOW or not state.sends_parts or routing_id is not None or group is not None:
            return self._hopwatch_send(data, flags, copy, track, routing_id, group)
        begun = state.sending_more
        try:
            if flags == not_last:
                if begun:
                    tracker = backend_send(self, data, flags, copy, track)
                else:
                    tracker = try_send(self, data, flags | DONTWAIT, copy, track)
                state.sending_more = True
                if state.numbering is not None:
                    parts.append(data)
                count_sent(len(data) if data.__class__ is bytes else size_of(data), True)
                return tracker
            if begun and flags == plain and data.__class__ is bytes:
                lane = lane_of_parts()
                if lane is not None:
                    due = due_after(lane.count) if sparse and lane.count >= lane.due else lane.due
                    tracker = backend_send(self, stamped(data, lane), flags, copy, track)
                    lane.due = due
                    lane.words[LANE_MORE_FRAMES] += len(parts)
                    parts.clear()
                    state.sending_more = False
                    count_in(lane, len(data))
                    begin_afresh()
                    return tracker
        except REFUSED as error:
            if not is_refusal(error):
                raise
            if begun:
                self._hopwatch_drop_begun()
                raise
        return self._hopwatch_send(data, flags, copy, track, routing_id, group)

    def stamped(data: bytes, lane: SendingLane) -> bytes:
        number = lane.count
        if counts_only or (sparse and number < lane.due):
            return data
        return data + pack_numbers((sent - number) & WHOLE_WORD, sent, now()) + lane.label

    def lane_of_parts() -> SendingLane | None:
        if known_lane is None or not parts or state.numbering is not numbering or state.faulty:
            return None
        return None if state.onset_due or state.connected_within else known_lane(parts[0])

    def count_in(lane: SendingLane, size: int) -> None:
        nonlocal sent, sent_bytes
        lane.count += 1
        lane.words[LANE_COUNT] = lane.count
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        sent += 1
        words[SENT] = sent

    def count_sent(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes, alone
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        if more:
            words[SENT_MORE_FRAMES] += 1
            alone = NOT_NOW
        else:
            sent += 1
            words[SENT] = sent
            begin_afresh()

    def begin_afresh() -> None:
        nonlocal alone, not_last
        if not first.sends and not retired:
            alone, not_last = plain, plain | SNDMORE

    def retire() -> None:
        nonlocal alone, not_last, retired
        alone = not_last = NOT_NOW
        retired = True

    return {
        "_hopwatch_send_now": send,
        "_hopwatch_count_sent": count_sent,
        "_hopwatch_begin_afresh": begin_afresh,
        "_hopwatch_retire_send": retire,
    }
