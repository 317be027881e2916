"""The hot path: what a receive does for each frame (see ``counting.py``)."""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.interruptions import raised_by_signal_handler
from hopwatch.sockets.backend import backend_recv
from hopwatch.sockets.counting import NOT_NOW
from hopwatch.sockets.hooks import unwrapped_meanwhile
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.trying import try_recv
from hopwatch.sockets.ways import Methods
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.stamp import LABEL_SIZE, LAST_BYTE
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import RECEIVED, RECEIVED_BYTES

DONTWAIT = int(zmq.DONTWAIT)
RCVMORE = int(zmq.RCVMORE)

ASKED_AGAIN = 63
ASK_SOMETIMES = 62
"""Masks of the counts of messages at which is asked: two frames in a row, so that one of them shows a message of two frames."""

Again = zmq.Again

backend_get = BackendSocket.get


def counting_recv(state: SocketState) -> Methods:
    """``recv`` of a socket to which no stamp has come; frames that need a closer look go to ``_hopwatch_look``."""
    words = state.slot.words
    received = received_bytes = look_at = 0
    sometimes = retired = False

    def recv(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal received, received_bytes
        try:
            frame = backend_recv(self, flags, copy, track)
        except Again:
            if not retired:
                self._hopwatch_count_refused_receive()
            raise
        size = len(frame)
        if received == look_at or not copy or (size >= STAMP_SIZE and frame[-1] == LAST_BYTE):
            return frame if retired else self._hopwatch_look(frame, copy)
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes
        received += 1
        words[RECEIVED] = received
        return frame

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes
        received += messages
        words[RECEIVED] = received
        look_next()

    def look_next() -> None:
        nonlocal look_at
        now = not sometimes or not received & ASK_SOMETIMES
        look_at = received if now else (received | ASKED_AGAIN) + 1

    def ask_sometimes(now: bool) -> None:
        nonlocal sometimes
        sometimes = now
        look_next()

    def retire() -> None:
        nonlocal retired, look_at
        retired, look_at = True, received

    return {
        "_hopwatch_recv_now": recv,
        "_hopwatch_count_received": count_received,
        "_hopwatch_ask_sometimes": ask_sometimes,
        "_hopwatch_retire_receive": retire,
    }


def stamped_recv(state: SocketState) -> Methods:
    """``recv`` of a socket that takes stamps off: here messages of one frame that are there already."""
    words, incoming, first, plain = state.slot.words, state.incoming, state.first_calls, state.way.plain_flags
    followed, take_next, unstamped = (
        state.receiving.followed,
        state.receiving.take_next,
        state.receiving.unstamped,
    )
    received, received_bytes = words[RECEIVED], words[RECEIVED_BYTES]
    plain_now: object = NOT_NOW if first.receives else plain

    def recv(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal received, received_bytes
        if flags != plain_now or not copy or incoming.frames or state.faulty:
            return otherwise(self, flags, copy, track)
        by_frames = unstamped.by_frames
        try:
            frame = try_recv(self, DONTWAIT, not by_frames, track)
        except REFUSED as error:
            if not is_refusal(error):
                raise
            return otherwise(self, flags, copy, track)
        data = frame.bytes if by_frames else frame
        size = len(data)
        try:
            lane = followed.get(data[-LABEL_SIZE:])
            if lane is not None and take_next(lane, data):
                size -= STAMP_SIZE
                data = data[:size]
            elif (size >= STAMP_SIZE and data[-1] == LAST_BYTE) or (
                frame.more if by_frames else backend_get(self, RCVMORE)
            ):
                return data if unwrapped_meanwhile(self) else self._hopwatch_take_in(frame, copy)
            else:
                unstamped.count(frame, False)
        except Exception as error:
            if raised_by_signal_handler(error.__traceback__):
                raise
            state.fault(error)
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes
        received += 1
        words[RECEIVED] = received
        return data

    def otherwise(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal plain_now
        if first.receives:
            state.look_at_receive()
        else:
            plain_now = plain
        return self._hopwatch_next(flags, copy, track)

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes
        received += messages
        words[RECEIVED] = received

    return {"_hopwatch_recv_now": recv, "_hopwatch_count_received": count_received}
