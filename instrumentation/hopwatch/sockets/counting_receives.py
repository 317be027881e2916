"""The hot path: what a counting receive does for each message (see ``counting.py``)."""

from __future__ import annotations

from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import as_bytes
from hopwatch.journal.counters import Words
from hopwatch.journal.runs import NO_RUN, received_run
from hopwatch.sockets.backend import backend_recv
from hopwatch.sockets.counting import LOOK_FOR_RUN
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.sockets.ways import Methods
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import RECEIVED, RECEIVED_BYTES

ASK_SOMETIMES = 62
"""Mask of the counts of messages at which is asked: two frames in a row, so that one of them shows a message of two frames."""

Again = zmq.Again
RCVMORE = int(zmq.RCVMORE)

backend_get = BackendSocket.get


def counting_recv(words: Words, first: FirstCalls) -> Methods:
    """``recv`` of a socket that counts; frames that need a closer look go to ``_hopwatch_look``."""
    received = received_bytes = look_at = 0
    run, run_size, seen_size = received_run(words), NO_RUN, NO_RUN
    sometimes = retired = False

    def recv(self: Any, flags: int, copy: bool, track: bool) -> Any:
        nonlocal received, received_bytes, look_at
        try:
            if received == look_at:
                frame = backend_recv(self, flags, copy, track)
                asked = sometimes and len(frame) == run_size and not first.receives
                if asked and not (backend_get(self, RCVMORE) if copy else frame.more):
                    received += 1
                    words[RECEIVED] = received
                    look_at = received if not received & ASK_SOMETIMES else (received | LOOK_FOR_RUN) + 1
                    return frame
            else:
                frame = backend_recv(self, flags, copy, track)
                if len(frame) == run_size and copy:
                    received += 1
                    words[RECEIVED] = received
                    return frame
        except Again:
            if not retired:
                self._hopwatch_count_refused_receive()
            raise
        size = len(frame)
        if received == look_at or size == STAMP_SIZE or (not copy and frame.more):
            if retired:
                return as_bytes(frame) if copy else frame
            return self._hopwatch_look(frame, flags, copy, track)
        if size != run_size:
            if run_size >= 0:
                end_run()
            received_bytes += size
            words[RECEIVED_BYTES] = received_bytes
        received += 1
        words[RECEIVED] = received
        return frame

    def end_run() -> None:
        nonlocal received_bytes, run_size, seen_size
        received_bytes, run_size, seen_size = run.end(), NO_RUN, NO_RUN

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes, run_size, seen_size
        if messages != 1 or size != run_size:
            if run_size >= 0:
                end_run()
            elif sometimes and messages == 1 and size == seen_size != STAMP_SIZE:
                run_size = run.begin(size)
            seen_size = size
            received_bytes += size
            words[RECEIVED_BYTES] = received_bytes
        received += messages
        words[RECEIVED] = received
        look_next()

    def look_next() -> None:
        nonlocal look_at
        now = not sometimes or not received & ASK_SOMETIMES
        look_at = received if now else (received | LOOK_FOR_RUN) + 1

    def ask_sometimes(now: bool) -> None:
        nonlocal sometimes
        sometimes = now
        look_next()

    def retire() -> None:
        nonlocal retired, look_at, run_size
        retired, look_at, run_size = True, received, NO_RUN

    return {
        "_hopwatch_recv_now": recv,
        "_hopwatch_count_received": count_received,
        "_hopwatch_ask_sometimes": ask_sometimes,
        "_hopwatch_retire_receive": retire,
    }
