"""The hot path of sends: what is done for each frame that is sent as most are.

A function a socket, with what it needs in its closure: an attribute of a pyzmq socket takes about as long to read as a word of shared
memory. Whatever is not the plain case goes to the slower methods of ``sends.py``. ``hot_paths.py`` chooses among the functions: it is what
a compiled hot path is put in at.
"""

import time
from collections.abc import Callable
from typing import Any

from hopwatch.frames import as_bytes, size_of
from hopwatch.lanes.sending import SendingLane
from hopwatch.sockets.backend import DONTWAIT, REFUSED, backend_send, is_refusal
from hopwatch.sockets.counts import NOT_NOW
from hopwatch.sockets.numbering import Numbering
from hopwatch.sockets.sends import Sends
from hopwatch.sockets.state import SocketState
from hopwatch.stamp import WHOLE_WORD, pack_stamp
from hopwatch.words import LANE_COUNT, SENT, SENT_BYTES

Sender = Callable[..., Any]


now = time.time


def counting_send(state: SocketState, sends: Sends, try_send: Sender = backend_send) -> Sender:
    """``send`` of a socket that counts. ``try_send`` makes the first try of a message's first frame, without waiting (see ``refusals.py``)."""
    out, send_part = state.outgoing, part_send(state, sends, try_send)

    def send(
        socket: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if flags == out.alone and routing_id is None and group is None:
            try:
                tracker = try_send(socket, data, DONTWAIT, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
            else:
                size = len(data) if data.__class__ is bytes else size_of(data)
                out.total_bytes = out.words[SENT_BYTES] = out.total_bytes + size
                out.messages = out.words[SENT] = out.messages + 1
                return tracker
        return send_part(socket, data, flags, copy, track, routing_id, group)

    return send


def stamping_send(
    state: SocketState, sends: Sends, numbering: Numbering, try_send: Sender = backend_send
) -> Sender:
    """``send`` of a socket that numbers its messages: here those of one frame, of bytes, whose lane is open.

    A send that a signal handler's exception ends is not counted, though libzmq may have taken the message: the next one then gets
    the same number, and its receiver counts a duplicate. A number is taken before the send: a handler that sends meanwhile takes the next one.
    """
    out, due_after, sparse = state.outgoing, numbering.due_after, numbering.every > 1
    counting, send_part = counting_send(state, sends, try_send), part_send(state, sends, try_send)

    def send(
        socket: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        if flags == out.alone and data.__class__ is bytes and routing_id is None and group is None:
            lane = numbering.single_frame_lane
            if lane is None:
                way = send_part if state.numbering is numbering else counting
                return way(socket, data, flags, copy, track, routing_id, group)
            frame, number, lane.count = data, lane.count, lane.count + 1
            try:
                if number >= lane.due:
                    sent = out.messages
                    frame = data + pack_stamp((sent - number) & WHOLE_WORD, sent, now(), lane.label)
                tracker = try_send(socket, frame, DONTWAIT, copy, track)
            except BaseException as error:
                lane.give_back(number)
                if not isinstance(error, REFUSED) or not is_refusal(error):
                    raise
            else:
                if sparse and frame is not data:
                    lane.due = due_after(number)
                lane.words[LANE_COUNT] = lane.count
                out.total_bytes = out.words[SENT_BYTES] = out.total_bytes + len(data)
                out.messages = out.words[SENT] = out.messages + 1
                return tracker
        return send_part(socket, data, flags, copy, track, routing_id, group)

    return send


def part_send(state: SocketState, sends: Sends, try_send: Sender) -> Sender:
    """``send`` of the frames of messages that have several."""
    out, plain = state.outgoing, state.way.plain_flags

    def send(
        socket: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        more, begun, numbering = flags == out.not_last, out.begun, state.numbering
        ends = begun and flags == plain and out.not_last is not NOT_NOW
        lane = known_lane(state, data) if ends and numbering is not None else None
        is_plain = more or (ends and (lane is not None or numbering is None))
        if not is_plain or not state.sends_parts or routing_id is not None or group is not None:
            return sends.send(socket, data, flags, copy, track, routing_id, group)
        number, refused = 0 if lane is None else lane.take_number(), False
        try:
            frame = data if lane is None or numbering is None else data + numbering.stamp_of(lane, number)
            if begun:
                tracker = backend_send(socket, frame, flags, copy, track)
            else:
                tracker = try_send(socket, frame, flags | DONTWAIT, copy, track)
        except BaseException as error:
            if lane is not None:
                lane.give_back(number)
            refused = isinstance(error, REFUSED) and is_refusal(error)
            if refused and begun:
                sends.drop_begun()
            if begun or not refused:
                raise
        if refused:
            return sends.send(socket, data, flags, copy, track, routing_id, group)
        if numbering is not None:
            if lane is not None:
                numbering.sent(lane, number)
            elif state.numbering is numbering:
                numbering.begun.append(as_bytes(data))
        out.count(len(data) if data.__class__ is bytes else size_of(data), more)
        return tracker

    return send


def known_lane(state: SocketState, last_frame: Any) -> SendingLane | None:
    """The lane of the message that this frame ends, where nothing has to be looked at before it is stamped."""
    numbering = state.numbering
    if numbering is None or last_frame.__class__ is not bytes or state.faulty:
        return None
    return None if state.onset_due or state.connected_within else numbering.known_lane()
