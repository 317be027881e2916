"""The hot path of receives: what is done for each frame that comes as most do (see ``hot_sends.py``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import zmq

from hopwatch.interruptions import raised_by_signal_handler
from hopwatch.sockets.backend import DONTWAIT, RCVMORE, REFUSED, backend_get, backend_recv, is_refusal
from hopwatch.sockets.counts import NOT_NOW
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.trimming import found_in
from hopwatch.sockets.trying import try_recv
from hopwatch.stamp import LABEL_SIZE, LAST_BYTE
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import RECEIVED, RECEIVED_BYTES

if TYPE_CHECKING:
    from hopwatch.sockets.receives import Receives

Receiver = Callable[..., Any]


def counting_recv(state: SocketState, receives: Receives) -> Receiver:
    """``recv`` of a socket to which no stamp has come; frames that need a closer look go to ``Receives.look``."""
    incoming = state.incoming

    def recv(socket: Any, flags: int, copy: bool, track: bool) -> Any:
        try:
            frame = backend_recv(socket, flags, copy, track)
        except zmq.Again:
            if not incoming.retired:
                receives.refused()
            raise
        size = len(frame)
        if (
            incoming.messages >= incoming.look_at
            or not copy
            or (size >= STAMP_SIZE and frame[-1] == LAST_BYTE)
        ):
            return frame if incoming.retired else receives.look(socket, frame, copy)
        incoming.total_bytes = incoming.words[RECEIVED_BYTES] = incoming.total_bytes + size
        incoming.messages = incoming.words[RECEIVED] = incoming.messages + 1
        return frame

    return recv


def stamped_recv(state: SocketState, receives: Receives) -> Receiver:
    """``recv`` of a socket that takes stamps off: here messages of one frame."""
    incoming, first, plain = state.incoming, state.first_calls, state.way.plain_flags
    followed, take_next = state.receiving.followed, state.receiving.take_next
    unstamped = state.receiving.unstamped
    plain_now: object = NOT_NOW if first.receives else plain

    def recv(socket: Any, flags: int, copy: bool, track: bool) -> Any:
        if flags != plain_now or not copy or incoming.frames or state.faulty:
            return looked_at(socket, flags, copy, track)
        by_frames = unstamped.by_frames
        frame = None
        try:
            frame = try_recv(socket, DONTWAIT, not by_frames, track)
        except REFUSED as error:
            if not is_refusal(error):
                raise
        if frame is None:
            frame = receives.wait(socket, flags, not by_frames, track)
        data = frame.bytes if by_frames else frame
        if incoming.retired:
            return data
        try:
            lane, size = followed.get(data[-LABEL_SIZE:]), len(data)
            if lane is not None and take_next(lane, data, frame):
                data = data[: size - STAMP_SIZE]
            elif (size >= STAMP_SIZE and data[-1] == LAST_BYTE) or (
                frame.more if by_frames else backend_get(socket, RCVMORE)
            ):
                return receives.take_in(socket, frame, copy)
            else:
                unstamped.count(frame, False)
        except Exception as error:
            if raised_by_signal_handler(error.__traceback__):
                raise
            state.fault(error)
            data = data[: len(data) - len(found_in(data))]
        incoming.total_bytes = incoming.words[RECEIVED_BYTES] = incoming.total_bytes + len(data)
        incoming.messages = incoming.words[RECEIVED] = incoming.messages + 1
        return data

    def looked_at(socket: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal plain_now
        if first.receives:
            state.look_at_receive()
        else:
            plain_now = plain
        return receives.next(socket, flags, copy, track)

    return recv
