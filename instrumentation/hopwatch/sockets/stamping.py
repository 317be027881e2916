"""The hot path of sockets that stamp, and of those that take stamps off (see ``counting.py``)."""

from __future__ import annotations

import time
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.interruptions import raised_by_signal_handler
from hopwatch.journal.counters import Words
from hopwatch.sockets.counting import Methods, Sender, recv_as_it_is_now, send_as_it_is_now, slow_send
from hopwatch.sockets.numbering import Numbering
from hopwatch.sockets.state import SocketState
from hopwatch.stamp import MAGIC, pack
from hopwatch.stamp import SIZE as STAMP_SIZE
from hopwatch.words import (
    LANE_COUNT,
    LANE_MORE_FRAMES,
    RECEIVED,
    RECEIVED_BYTES,
    SENT,
    SENT_BYTES,
    SENT_MORE_FRAMES,
)

DONTWAIT = int(zmq.DONTWAIT)
SNDMORE = int(zmq.SNDMORE)

Again = zmq.Again
backend_send = BackendSocket.send
backend_recv = BackendSocket.recv
time_ns = time.time_ns


def stamping_send(words: Words, numbering: Numbering, plain: int = 0) -> Methods:
    """``send`` of a socket that counts and stamps: here the messages of one frame, for which one lane serves."""
    sent = sent_bytes = 0
    plain_now: int | None = plain
    otherwise: Sender = slow_send
    stream, stamp_flags, due_after = numbering.stream, numbering.flags, numbering.due_after

    def send(
        self: Any,
        data: Any,
        flags: int = 0,
        copy: bool = True,
        track: bool = False,
        routing_id: int | None = None,
        group: str | None = None,
    ) -> Any:
        """As ``zmq.Socket.send``; the stamp, where one is due, follows as the message's last frame."""
        nonlocal sent, sent_bytes
        lane = numbering.single_frame_lane
        if (
            flags == plain_now
            and lane is not None
            and not numbering.begun
            and routing_id is None
            and group is None
        ):
            number = lane.count
            try:
                if number < lane.due:
                    tracker = backend_send(self, data, DONTWAIT, copy, track)
                else:
                    stamp = pack(MAGIC, stamp_flags, 0, lane.index, stream, sent, number, time_ns())
                    tracker = send_with_stamp(self, data, stamp, DONTWAIT, copy, track)
                    lane.due = due_after(number)
                    lane.more_frames = lane.words[LANE_MORE_FRAMES] = lane.more_frames + 1
            except Again:
                pass
            else:
                lane.count = lane.words[LANE_COUNT] = number + 1
                sent += 1
                words[SENT] = sent
                sent_bytes += len(data) if data.__class__ is bytes else size_of(data)
                words[SENT_BYTES] = sent_bytes
                return tracker
        return otherwise(self, data, flags, copy, track, routing_id, group)

    def count_sent(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        if more:
            words[SENT_MORE_FRAMES] += 1
        else:
            sent += 1
            words[SENT] = sent

    def retire() -> None:
        nonlocal plain_now, otherwise
        plain_now, otherwise = None, send_as_it_is_now

    return {
        "send": send,
        "_hopwatch_count_sent": staticmethod(count_sent),
        "_hopwatch_retire_send": staticmethod(retire),
    }


def send_with_stamp(self: Any, data: Any, stamp: bytes, flags: int, copy: bool, track: bool) -> Any:
    """Send a last frame and its stamp in one go.

    Raises Again if the frame is refused. A pipe that dies between the two takes the message with it, as it does
    that of a bare socket. pyzmq runs signal handlers within its sends: a handler's exception must not leave the message open.
    Where it is not known whether it is, the stamp is sent (again): a receiver takes off a stamp that stands alone.
    """
    trackers: list[Any] = []
    both = map(
        backend_send, (self, self), (data, stamp), (flags | SNDMORE, DONTWAIT), (copy, True), (track, False)
    )
    try:
        trackers.extend(both)
    except Again:
        if not trackers:
            raise
    except (zmq.ZMQError, TypeError):
        raise
    except BaseException:
        backend_send(self, stamp, DONTWAIT)
        raise
    return trackers[0]


def stamped_recv(words: Words, state: SocketState) -> Methods:  # noqa: C901 -- each message would pay for one more call
    """``recv`` of a socket that takes stamps off: here messages of one frame that are there already."""
    incoming = state.incoming
    plain = state.way.plain_flags
    take = state.receiving.take
    count_unstamped = state.receiving.unstamped.count
    received = words[RECEIVED]
    received_bytes = words[RECEIVED_BYTES]
    plain_now: int | None = plain

    def otherwise(self: Any, flags: int, copy: bool, track: bool) -> Any:
        frame = self._hopwatch_next(flags, track, copy)
        return frame.bytes if copy else frame

    def recv(self: Any, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``, the stamps left out."""
        nonlocal received, received_bytes
        if flags == plain_now and incoming.held is None and not incoming.frames and not state.faulty:
            try:
                frame = backend_recv(self, DONTWAIT, False, track)
            except Again:
                pass
            else:
                following: Any = b""
                if frame.more:
                    following = backend_recv(self, DONTWAIT, copy)
                    if not copy or len(following) != STAMP_SIZE or not following.startswith(MAGIC):
                        self._hopwatch_hold(frame, following)
                        return frame.bytes if copy else frame
                    frame.more = False
                elif len(frame) == STAMP_SIZE and frame.bytes.startswith(MAGIC):
                    self._hopwatch_take_orphan(frame)
                    return self.recv(flags, copy, track)
                incoming.more = False
                try:
                    if following:
                        take(following, frame)
                    else:
                        count_unstamped(frame, False)
                except Exception as error:
                    if raised_by_signal_handler(error.__traceback__):
                        raise
                    state.fault(error)
                received += 1
                words[RECEIVED] = received
                received_bytes += len(frame)
                words[RECEIVED_BYTES] = received_bytes
                return frame.bytes if copy else frame
        return otherwise(self, flags, copy, track)

    def count_received(messages: int, size: int) -> None:
        nonlocal received, received_bytes
        received += messages
        words[RECEIVED] = received
        received_bytes += size
        words[RECEIVED_BYTES] = received_bytes

    def retire() -> None:
        nonlocal plain_now, otherwise
        plain_now, otherwise = None, recv_as_it_is_now

    return {
        "recv": recv,
        "_hopwatch_count_received": staticmethod(count_received),
        "_hopwatch_retire_receive": staticmethod(retire),
    }
