"""The hot path of sockets that take stamps off (see ``counting.py``)."""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import as_bytes
from hopwatch.interruptions import raised_by_signal_handler
from hopwatch.journal.counters import Words
from hopwatch.journal.runs import received_run
from hopwatch.sockets.backend import backend_recv
from hopwatch.sockets.counting import NOT_NOW
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.trying import try_recv
from hopwatch.sockets.ways import Methods
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import RECEIVED, RECEIVED_BYTES

DONTWAIT = int(zmq.DONTWAIT)
RCVMORE = int(zmq.RCVMORE)

backend_get = BackendSocket.get


def stamped_recv(words: Words, state: SocketState) -> Methods:
    """``recv`` of a socket that takes stamps off: here messages of one frame that are there already."""
    incoming = state.incoming
    plain = state.way.plain_flags
    lanes = state.receiving
    take_next, follows, take = lanes.take_next, lanes.follows, lanes.take
    unstamped = state.receiving.unstamped
    count_unstamped = unstamped.count
    received, received_bytes = words[RECEIVED], received_run(words).end()
    first = state.first_calls
    plain_now: object = NOT_NOW if first.receives else plain

    def otherwise(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal plain_now
        if plain_now is NOT_NOW:
            if first.receives:
                state.look_at_receive()
            else:
                plain_now = plain
        return self._hopwatch_next(flags, track, copy)

    def recv(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal received, received_bytes
        while flags == plain_now and incoming.held is None and not incoming.frames and not state.faulty:
            copies = copy and not unstamped.by_frames
            try:
                frame = try_recv(self, DONTWAIT, copies, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
                break
            following: Any = b""
            size = len(frame)
            if backend_get(self, RCVMORE) if copies else frame.more:
                following = backend_recv(self, DONTWAIT, copy)
                if not copy or len(following) != STAMP_SIZE:
                    self._hopwatch_hold(frame, following, True)
                    return as_bytes(frame) if copy else frame
            elif size == STAMP_SIZE and self._hopwatch_is_orphan(frame, False):
                self._hopwatch_take_orphan(as_bytes(frame))
                continue
            held = False
            try:
                if not following:
                    count_unstamped(frame, False)
                elif not take_next(following):
                    if follows(following):
                        take(following, frame)
                    else:
                        held = True
            except Exception as error:
                if raised_by_signal_handler(error.__traceback__):
                    raise
                state.fault(error)
            if held:
                self._hopwatch_hold(frame, following, True)
                return as_bytes(frame) if copy else frame
            incoming.more = False
            received += 1
            words[RECEIVED] = received
            received_bytes += size
            words[RECEIVED_BYTES] = received_bytes
            return frame if copies else as_bytes(frame) if copy else frame
        return otherwise(self, flags, copy, track)

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received += messages
        words[RECEIVED] = received
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes

    return {
        "_hopwatch_recv_now": recv,
        "_hopwatch_count_received": count_received,
    }
