"""The hot path: what a counting send does for each message. Of receives it is in ``counting_receives.py``; ``stamping.py``, ``taking_stamps.py`` and
``looking.py`` do more, ``parts.py`` sends messages of several frames, and ``routing.py``'s ``routing_send`` a ROUTER's.

A function a socket (``Methods``), with its counters in its closure: an attribute of a pyzmq socket takes about as long to read as a word of the
mapped file. Whatever is not the plain case goes to the slower methods of ``sending.py`` and ``receiving.py``, which
count through the ``count_*`` functions made here, so that each counter has one owner. ``hot_paths.py`` chooses
among them: it is what a compiled hot path, which would take the place of these six modules and of ``routing_send``, is put in at.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.journal.counters import Words
from hopwatch.journal.runs import NO_RUN, sent_run
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.sockets.ways import Methods
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.words import (
    SENT,
    SENT_BYTES,
    SENT_MORE_FRAMES,
)

Sender = Callable[..., Any]

PartsSender = Callable[[Callable[[int, bool], None]], Sender]
"""From what counts a sent frame to what sends the frames of multipart messages, and all else that is not the plain case."""

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

LOOK_FOR_RUN = 63
"""Mask of the counts of messages at which a sender compares sizes: two in a row that are the same begin a run (see ``runs.py``)."""

NOT_NOW = object()
"""What the flags of no send or receive are: stands for the plain ones while no call is plain."""

Again = zmq.Again
backend_send = BackendSocket.send

time_ns = time.time_ns


def slow_send(
    self: Any,
    data: Any,
    flags: int,
    copy: bool,
    track: bool,
    routing_id: int | None,
    group: str | None,
) -> Any:
    """What the hot path leaves to ``sending.py``."""
    return self._hopwatch_send(data, flags, copy, track, routing_id, group)


def no_parts(count_sent: Callable[[int, bool], None]) -> Sender:  # noqa: ARG001
    """For sockets whose multipart messages all go the longer way."""
    return slow_send


def counting_send(
    words: Words,
    first: FirstCalls,
    plain: int = 0,
    parts: PartsSender = no_parts,
    try_send: Sender = backend_send,
) -> Methods:
    """``send`` of a socket that counts; ``words`` is its slot, ``plain`` the flags of a plain send, ``try_send`` its first try.

    No send is plain within a multipart message: see ``refusals.py``.
    """
    sent = sent_bytes = 0
    run, run_size, seen_size = sent_run(words), NO_RUN, NO_RUN
    plain_now: object = NOT_NOW
    otherwise: Sender = slow_send
    send_part: Sender = slow_send
    retired = False

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        nonlocal sent, sent_bytes
        if flags == plain_now and routing_id is None and group is None:
            try:
                tracker = try_send(self, data, DONTWAIT, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
            else:
                if data.__class__ is not bytes or len(data) != run_size:
                    size = len(data) if data.__class__ is bytes else size_of(data)
                    if size != run_size:
                        if run_size >= 0 or not sent & LOOK_FOR_RUN:
                            end_or_begin_run(size)
                        sent_bytes += size
                        words[SENT_BYTES] = sent_bytes
                sent += 1
                words[SENT] = sent
                return tracker
        return otherwise(self, data, flags, copy, track, routing_id, group)

    def end_or_begin_run(size: int) -> None:
        nonlocal sent_bytes, run_size, seen_size
        if run_size >= 0:
            sent_bytes, run_size, seen_size = run.end(), NO_RUN, NO_RUN
        elif size == seen_size:
            run_size = run.begin(size)
        else:
            seen_size = size

    def count_sent(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes, plain_now
        if run_size >= 0:
            end_or_begin_run(size)
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        plain_now = NOT_NOW
        if more:
            words[SENT_MORE_FRAMES] += 1
        else:
            sent += 1
            words[SENT] = sent
            begin_afresh()

    def begin_afresh() -> None:
        nonlocal plain_now, otherwise
        if not first.sends and not retired:
            plain_now, otherwise = plain, send_part

    def retire() -> None:
        nonlocal send_part, otherwise, retired
        send_part = otherwise = slow_send
        retired = True

    send_part = parts(count_sent)
    return {
        "_hopwatch_send_now": send,
        "_hopwatch_count_sent": count_sent,
        "_hopwatch_begin_afresh": begin_afresh,
        "_hopwatch_retire_send": retire,
    }


def arming_send(methods: Methods) -> Methods:
    """``send`` of a socket that is to be probed from its first send on."""
    hot = methods["_hopwatch_send_now"]

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        self._hopwatch_arm()
        return hot(self, data, flags, copy, track, routing_id, group)

    return {**methods, "_hopwatch_send_now": send, "_hopwatch_armed": hot}
