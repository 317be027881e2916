"""The hot path: what an instrumented send or receive does for each message.

A function a socket, with its counters in its closure: an attribute of a pyzmq socket takes about as long to read as a word of the
mapped file. Whatever is not the plain case goes to the slower methods of ``sending.py`` and ``receiving.py``, which
count through the ``count_*`` functions made here, so that each counter has one owner. A compiled hot path would take
the place of this module.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.journal.counters import Words
from hopwatch.sockets.numbering import Numbering
from hopwatch.sockets.state import SocketState
from hopwatch.stamp import MAGIC, pack
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import (
    EAGAIN_RECEIVES,
    LANE_COUNT,
    LANE_FRAMES,
    RECEIVED,
    RECEIVED_BYTES,
    SENT,
    SENT_BYTES,
    SENT_MORE_FRAMES,
)

Methods = dict[str, Any]
"""Methods of one socket's class, by name."""

DONTWAIT = int(zmq.DONTWAIT)
STAMPED_DONTWAIT = int(zmq.DONTWAIT) | int(zmq.SNDMORE)

ASK_SOMETIMES = 63

Again = zmq.Again
backend_send = BackendSocket.send
backend_recv = BackendSocket.recv
time_ns = time.time_ns


def slower_send(socket: Any) -> Any:
    """For what is not the plain case; the bare way, where the socket was unwrapped while somebody held its ``send``."""
    return getattr(socket, "_hopwatch_send", None) or partial(zmq.Socket.send, socket)


def counting_send(words: Words) -> Methods:
    """``send`` of a socket that counts; ``words`` is its slot."""
    sent = sent_bytes = 0

    def send(
        self: Any,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``."""
        nonlocal sent, sent_bytes
        if flags == 0 and routing_id is None and group is None:
            try:
                tracker = backend_send(self, data, DONTWAIT, copy, track)
            except Again:
                pass
            else:
                sent += 1
                words[SENT] = sent
                sent_bytes += len(data) if data.__class__ is bytes else size_of(data)
                words[SENT_BYTES] = sent_bytes
                return tracker
        return slower_send(self)(data, flags, copy, track, routing_id, group)

    def count_sent(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        if more:
            words[SENT_MORE_FRAMES] += 1
        else:
            sent += 1
            words[SENT] = sent

    return {"send": send, "_hopwatch_count_sent": staticmethod(count_sent)}


def stamping_send(words: Words, numbering: Numbering) -> Methods:
    """``send`` of a socket that counts and stamps: here the messages of one frame, for which one lane serves."""
    counting = counting_send(words)
    count_sent: Callable[[int, bool], None] = counting["_hopwatch_count_sent"].__func__
    stream, stamp_flags = numbering.stream, numbering.flags

    def send(
        self: Any,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``; the stamp follows as the message's last frame."""
        lane = numbering.single_frame_lane
        if flags == 0 and lane is not None and not numbering.begun and routing_id is None and group is None:
            lane_words = lane.words
            number = lane_words[LANE_COUNT]
            stamp = pack(MAGIC, stamp_flags, 0, lane.index, stream, words[SENT], number, time_ns())
            try:
                tracker = backend_send(self, data, STAMPED_DONTWAIT, copy, track)
            except Again:
                pass
            else:
                backend_send(self, stamp, DONTWAIT)
                lane_words[LANE_FRAMES] += 2
                lane_words[LANE_COUNT] = number + 1
                count_sent(len(data) if data.__class__ is bytes else size_of(data), False)
                return tracker
        return slower_send(self)(data, flags, copy, track, routing_id, group)

    return {"send": send, "_hopwatch_count_sent": counting["_hopwatch_count_sent"]}


def stamped_recv(words: Words, state: SocketState) -> Methods:
    """``recv`` of a socket that takes stamps off: here messages of one frame that are there already."""
    incoming = state.incoming
    take = state.receiving.take
    received = words[RECEIVED]
    received_bytes = words[RECEIVED_BYTES]

    def recv(self: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``, the stamps left out."""
        nonlocal received, received_bytes
        if flags == 0 and incoming.held is None and not incoming.frames and not state.faulty:
            try:
                frame = backend_recv(self, DONTWAIT, False, track)
            except Again:
                pass
            else:
                following: Any = backend_recv(self, DONTWAIT, copy) if frame.more else b""
                if not copy or len(following) != STAMP_SIZE or not following.startswith(MAGIC):
                    self._hopwatch_hold(frame, following)
                    return frame.bytes if copy else frame
                frame.more = incoming.more = False
                try:
                    take(following, frame)
                except Exception as error:  # noqa: BLE001 -- a fault of ours is not the application's
                    state.fault(error)
                received += 1
                words[RECEIVED] = received
                received_bytes += len(frame)
                words[RECEIVED_BYTES] = received_bytes
                return frame.bytes if copy else frame
        try:
            receive: Any = self._hopwatch_next
        except AttributeError:  # unwrapped while somebody held this method
            return backend_recv(self, flags, copy, track)
        frame = receive(flags, track, copy)
        return frame.bytes if copy else frame

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received += messages
        words[RECEIVED] = received
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes

    return {"recv": recv, "_hopwatch_count_received": staticmethod(count_received)}


def arming_send(methods: Methods) -> Methods:
    """``send`` of a socket that is to be probed from its first send on; whoever holds on to it goes on through it."""
    hot = methods["send"]
    armed = False

    def send(
        self: Any,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``."""
        nonlocal armed
        if not armed:
            armed = True
            if hasattr(self, "_hopwatch_arm"):  # it may have been unwrapped while somebody held this method
                self._hopwatch_arm()
        return hot(self, data, flags, copy, track, routing_id, group)

    return {**methods, "send": send, "_hopwatch_armed": methods}


def counting_recv(words: Words) -> Methods:
    """``recv`` of a socket that counts; frames that need a closer look go to ``_hopwatch_look``."""
    received = received_bytes = ask = 0

    def recv(self: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``."""
        nonlocal received, received_bytes
        try:
            frame = backend_recv(self, flags, copy, track)
        except Again:
            words[EAGAIN_RECEIVES] += 1
            raise
        size = len(frame)
        if size == STAMP_SIZE or not received & ask:
            try:
                look = self._hopwatch_look
            except AttributeError:  # unwrapped by another thread during the receive
                return frame
            return look(frame, flags, copy, track)
        received += 1
        words[RECEIVED] = received
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes
        return frame

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received += messages
        words[RECEIVED] = received
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes

    def ask_sometimes(sometimes: bool) -> None:
        nonlocal ask
        ask = ASK_SOMETIMES if sometimes else 0

    return {
        "recv": recv,
        "_hopwatch_count_received": staticmethod(count_received),
        "_hopwatch_ask_sometimes": staticmethod(ask_sometimes),
    }
