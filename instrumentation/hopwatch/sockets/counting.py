"""The hot path: what a counting send does for each frame. Of receives it is in ``counting_receives.py``; ``stamping.py`` and
``taking_stamps.py`` do more, and ``routing.py``'s ``routing_send`` what a ROUTER needs.

A function a socket (``Methods``), with its counters in its closure: an attribute of a pyzmq socket takes about as long to read as a word of
shared memory. Whatever is not the plain case goes to the slower methods of ``sending.py`` and ``receiving.py``, which
count through the ``count_*`` functions made here, so that each counter has one owner. ``hot_paths.py`` chooses among them: it is what
a compiled hot path is put in at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.ways import Methods
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.words import SENT, SENT_BYTES, SENT_MORE_FRAMES

Sender = Callable[..., Any]

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

NOT_NOW = object()
"""What the flags of no send or receive are: stands for the plain ones while no call is plain."""

Again = zmq.Again
backend_send = BackendSocket.send


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


def counting_send(state: SocketState, try_send: Sender = backend_send) -> Methods:
    """``send`` of a socket that counts. ``try_send`` makes the first try of a message's first frame, without waiting (see ``refusals.py``)."""
    words, first, plain = state.slot.words, state.first_calls, state.way.plain_flags
    sent = sent_bytes = 0
    alone: object = NOT_NOW
    not_last: object = NOT_NOW
    retired = False

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        nonlocal sent, sent_bytes
        if flags == alone and routing_id is None and group is None:
            try:
                tracker = try_send(self, data, DONTWAIT, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
            else:
                sent_bytes += len(data) if data.__class__ is bytes else size_of(data)
                words[SENT_BYTES] = sent_bytes
                sent += 1
                words[SENT] = sent
                return tracker
        return send_part(self, data, flags, copy, track, routing_id, group)

    def send_part(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        nonlocal sent, sent_bytes, alone
        begun = state.sending_more
        is_part = not_last is not NOT_NOW and (flags == not_last or (begun and flags == plain))
        if is_part and state.sends_parts and routing_id is None and group is None:
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
            else:
                sent_bytes += len(data) if data.__class__ is bytes else size_of(data)
                words[SENT_BYTES] = sent_bytes
                if flags == not_last:
                    words[SENT_MORE_FRAMES] += 1
                    state.sending_more, alone = True, NOT_NOW
                else:
                    sent += 1
                    words[SENT] = sent
                    state.sending_more, alone = False, plain
                return tracker
        return self._hopwatch_send(data, flags, copy, track, routing_id, group)

    def count_sent(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes, alone, not_last
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


def looking_send(methods: Methods) -> Methods:
    """``send`` of a socket each of whose frames is looked at, such as an XSUB's, which may be subscriptions."""
    return {**methods, "_hopwatch_send_now": slow_send}


def arming_send(methods: Methods) -> Methods:
    """``send`` of a socket that is to be probed from its first send on."""
    hot = methods["_hopwatch_send_now"]

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        self._hopwatch_arm()
        return hot(self, data, flags, copy, track, routing_id, group)

    return {**methods, "_hopwatch_send_now": send, "_hopwatch_armed": hot}
