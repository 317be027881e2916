"""Receiving: counted; and once stamps are known to come, with the stamps taken off."""

from __future__ import annotations

from typing import Any, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import stamp
from hopwatch.frames import as_bytes
from hopwatch.rules.conflate import conflate_stamped
from hopwatch.sockets.classes import exchange
from hopwatch.sockets.counting import stamped_recv
from hopwatch.sockets.hooks import HookedSocket, unwrapped_meanwhile
from hopwatch.sockets.state import Guard
from hopwatch.words import (
    RECEIVED,
    RECEIVED_MORE_FRAMES,
    WAITED_RECEIVES,
)

DONTWAIT = int(zmq.DONTWAIT)
RCVMORE = int(zmq.RCVMORE)
POLLIN = int(zmq.POLLIN)
STAMP_SIZE = stamp.SIZE

FRAMES_ASKED_AT_FIRST = 64
"""Whether more frames follow costs several times what the receive itself does. It is asked of each of the first frames, then of one
frame in sixty-four, and of every frame again from the first multipart message on."""

backend_recv = BackendSocket.recv
backend_get = BackendSocket.get


def has_way(socket: object, way: type) -> bool:
    """Whether it still receives this way; not so where somebody held on to a method while the socket was given another."""
    return isinstance(socket, way)


class CountingReceive(HookedSocket):
    """Counts messages, frames and bytes; a stamp that turns up makes the socket a ``StampedReceive``."""

    @staticmethod
    def _hopwatch_count_received(messages: int, size: int) -> None:
        """Count messages and bytes; made for each socket by ``counting.py``."""
        raise NotImplementedError

    @staticmethod
    def _hopwatch_ask_sometimes(sometimes: bool) -> None:
        """Ask of some frames only, or of each, whether more follow; made by ``counting.py`` for sockets that ask."""

    def recv_multipart(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv_multipart``."""
        if not has_way(self, CountingReceive):
            return self.recv_multipart(flags, copy, track)
        if not self._hopwatch_direct:
            return super().recv_multipart(flags, copy, track)
        try:
            parts = [backend_recv(self, flags, copy, track)]
        except zmq.Again:
            if not unwrapped_meanwhile(self):
                self._hopwatch_count_refused_receive()
            raise
        while backend_get(self, RCVMORE):
            parts.append(backend_recv(self, flags, copy, track))
        if unwrapped_meanwhile(self):
            return parts
        incoming = self._hopwatch.incoming
        if len(parts) + incoming.frames > 1 and stamp.is_stamp(as_bytes(parts[-1])):
            first_frame = incoming.first_frame if incoming.frames else as_bytes(parts[0])
            several = len(parts) + incoming.frames > 2
            found = as_bytes(parts.pop())
            self._hopwatch_count_last(len(parts), sum(map(len, parts)))
            self._hopwatch_meet_stamp(found, first_frame, several)
            return parts or self.recv_multipart(flags, copy, track)
        self._hopwatch_count_last(len(parts), sum(map(len, parts)))
        return parts

    def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
        """As ``zmq.Socket.recv_into``; a stamp that fills the buffer stays in it."""
        if not has_way(self, CountingReceive):
            return self.recv_into(buffer, nbytes=nbytes, flags=flags)
        if self._hopwatch.way.looks_ahead:
            self._hopwatch_read_stamps(self._hopwatch_words[RECEIVED])
            return self.recv_into(buffer, nbytes=nbytes, flags=flags)
        try:
            size: int = BackendSocket.recv_into(self, buffer, nbytes=nbytes, flags=flags)
        except zmq.Again:
            if not unwrapped_meanwhile(self):
                self._hopwatch_count_refused_receive()
            raise
        if unwrapped_meanwhile(self):
            return size
        if backend_get(self, RCVMORE):
            self._hopwatch_count_more(size, None)
        else:
            self._hopwatch_count_last(1, size)
        return size

    def _hopwatch_look(self, frame: Any, flags: int, copy: bool, track: bool) -> Any:
        """Look closer at a frame: is it a stamp, and does its message go on?"""
        incoming = self._hopwatch.incoming
        size = len(frame)
        more = backend_get(self, RCVMORE)
        if size == STAMP_SIZE and not more and stamp.is_stamp(as_bytes(frame)):
            first_frame, several = incoming.first_frame, incoming.frames > 1
            if incoming.frames:
                self._hopwatch_count_last(0, 0)
            self._hopwatch_meet_stamp(as_bytes(frame), first_frame, several)
            return self.recv(flags, copy, track)
        if more:
            self._hopwatch_count_more(size, as_bytes(frame))
        else:
            self._hopwatch_count_last(1, size)
        return frame

    def _hopwatch_look_ahead(self, frame: zmq.Frame) -> None:
        """Others follow this frame: a stamp among them must not be left for the next receive to find."""
        self._hopwatch_read_stamps(self._hopwatch_words[RECEIVED])
        cast(StampedReceive, self)._hopwatch_hold(frame, backend_recv(self, DONTWAIT))

    def _hopwatch_count_more(self, size: int, frame: bytes | None) -> None:
        """Take in a frame that others of its message follow."""
        incoming = self._hopwatch.incoming
        if not incoming.frames:
            incoming.first_frame = frame
        incoming.frames += 1
        incoming.multipart = True
        self._hopwatch_ask_sometimes(False)
        self._hopwatch_count_received(0, size)

    def _hopwatch_count_last(self, frames: int, size: int) -> None:
        """A message has ended, with these frames after the ones already seen of it."""
        words = self._hopwatch_words
        incoming = self._hopwatch.incoming
        words[RECEIVED_MORE_FRAMES] += incoming.frames + frames - 1
        self._hopwatch_count_received(1, size)
        incoming.frames = 0
        incoming.first_frame = None
        if words[RECEIVED] == FRAMES_ASKED_AT_FIRST and not incoming.multipart and self._hopwatch_direct:
            self._hopwatch_ask_sometimes(True)

    def _hopwatch_meet_stamp(
        self, frame: bytes, first_frame: bytes | zmq.Frame | None, several: bool
    ) -> None:
        """From here on stamps come: take them off before the application sees them."""
        state = self._hopwatch
        self._hopwatch_read_stamps(self._hopwatch_words[RECEIVED] - 1)
        with Guard(state):
            if backend_get(self, zmq.CONFLATE):
                state.find(conflate_stamped())
            state.receiving.take(frame, first_frame, several)

    def _hopwatch_read_stamps(self, before: int) -> None:
        """Take off the stamps that come after so many messages."""
        with Guard(self._hopwatch):
            self._hopwatch.receiving.unstamped.before += before
        self._hopwatch_retire_receive()
        exchange(self, CountingReceive, StampedReceive, stamped_recv(self._hopwatch_words, self._hopwatch))


class StampedReceive(HookedSocket):
    """Takes stamps off: behind each frame that is not the last of its message it looks at the next one."""

    @staticmethod
    def _hopwatch_count_received(messages: int, size: int) -> None:
        """Count messages and bytes; made for each socket by ``counting.py``."""
        raise NotImplementedError

    def recv_multipart(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv_multipart``, the stamps left out."""
        if not has_way(self, StampedReceive):
            return self.recv_multipart(flags, copy, track)
        if not self._hopwatch_direct:
            return super().recv_multipart(flags, copy, track)
        incoming = self._hopwatch.incoming
        parts = [self._hopwatch_next(flags, track, copy)]
        while incoming.more and not unwrapped_meanwhile(self):
            parts.append(self._hopwatch_next(flags, track, copy))
        while unwrapped_meanwhile(self) and parts[-1].more:
            parts.append(backend_recv(self, flags, False, track))
        return [part.bytes for part in parts] if copy else parts

    def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
        """As ``zmq.Socket.recv_into``, the stamps left out."""
        if not has_way(self, StampedReceive):
            return self.recv_into(buffer, nbytes=nbytes, flags=flags)
        view = memoryview(buffer)
        if view.readonly or not view.contiguous or not 0 <= nbytes <= view.nbytes:
            return BackendSocket.recv_into(self, buffer, nbytes=nbytes, flags=flags)
        frame = self._hopwatch_next(flags, track=False)
        kept = min(len(frame), nbytes or view.nbytes)
        view.cast("B")[:kept] = frame.buffer[:kept]
        return len(frame)

    def get(self, option: int) -> Any:
        """As the bare socket's; stamps are no frames to the application."""
        if not has_way(self, StampedReceive):
            return self.get(option)
        value = backend_get(self, option)
        if option == RCVMORE:
            return int(self._hopwatch.incoming.more)
        if option == zmq.EVENTS and self._hopwatch.incoming.held is not None:
            return cast(int, value) | POLLIN
        return value

    getsockopt = get

    def poll(self, timeout: int | None = None, flags: int = zmq.POLLIN) -> int:
        """As ``zmq.Socket.poll``; a frame that was looked at already is still to be had."""
        if not has_way(self, StampedReceive):
            return self.poll(timeout, flags)
        if self._hopwatch.incoming.held is None or not flags & POLLIN:
            return super().poll(timeout, flags)
        return super().poll(0, flags) | POLLIN

    def _hopwatch_next(self, flags: int, track: bool, copy: bool = True) -> zmq.Frame:
        """The application's next frame; its ``more`` is as if there were no stamp.

        The one after it is kept as a frame where the application may ask it for what bytes do not have, such as ``User-Id``.
        """
        frame = self._hopwatch.incoming.held
        fresh = frame is None
        if frame is None:
            frame = self._hopwatch_receive(flags, track)
        if unwrapped_meanwhile(self):
            return frame
        if fresh and len(frame) == STAMP_SIZE and self._hopwatch_is_orphan(frame):
            self._hopwatch_take_orphan(frame)
            return self._hopwatch_next(flags, track, copy)
        following = backend_recv(self, DONTWAIT, copy) if frame.more else b""
        self._hopwatch_hold(frame, following)
        return frame

    def _hopwatch_hold(self, frame: zmq.Frame, following: bytes | zmq.Frame) -> None:
        """Account for a frame and the one that follows it in its message, which is kept unless it is the stamp."""
        state = self._hopwatch
        incoming = state.incoming
        if not incoming.frames:
            incoming.first_frame = frame
        incoming.held = None
        incoming.more = frame.more
        if not frame.more:
            self._hopwatch_take_unstamped()
        elif len(following) == STAMP_SIZE and stamp.is_stamp(as_bytes(following)):
            frame.more = incoming.more = False
            self._hopwatch_take(as_bytes(following))
        else:
            incoming.held = following if isinstance(following, zmq.Frame) else zmq.Frame(following)
            incoming.held.more = bool(backend_get(self, RCVMORE))
        self._hopwatch_count(len(frame))

    def _hopwatch_is_orphan(self, frame: zmq.Frame) -> bool:
        return not frame.more and not self._hopwatch.incoming.frames and stamp.is_stamp(frame.bytes)

    def _hopwatch_take_orphan(self, frame: zmq.Frame) -> None:
        """A stamp whose message was taken by a receive that a signal handler's exception ended."""
        state = self._hopwatch
        if not state.faulty:
            with Guard(state):
                state.receiving.take(frame.bytes, None)

    def _hopwatch_receive(self, flags: int, track: bool) -> zmq.Frame:
        """A frame from libzmq, first without blocking: so it is seen whether this receiver had to wait."""
        if isinstance(flags, int) and not flags & DONTWAIT:
            try:
                return backend_recv(self, flags | DONTWAIT, False, track)
            except zmq.Again:
                self._hopwatch_words[WAITED_RECEIVES] += 1
        try:
            return backend_recv(self, flags, False, track)
        except zmq.Again:
            if not unwrapped_meanwhile(self):
                self._hopwatch_count_refused_receive()
            raise

    def _hopwatch_take(self, frame: bytes) -> None:
        state = self._hopwatch
        incoming = state.incoming
        if not state.faulty:
            with Guard(state):
                state.receiving.take(frame, incoming.first_frame, incoming.frames > 0)

    def _hopwatch_take_unstamped(self) -> None:
        state = self._hopwatch
        incoming = state.incoming
        if not state.faulty:
            with Guard(state):
                state.receiving.unstamped.count(incoming.first_frame, incoming.frames > 0)

    def _hopwatch_count(self, size: int) -> None:
        incoming = self._hopwatch.incoming
        if incoming.more:
            incoming.frames += 1
            self._hopwatch_count_received(0, size)
            return
        self._hopwatch_count_received(1, size)
        self._hopwatch_words[RECEIVED_MORE_FRAMES] += incoming.frames
        incoming.frames = 0
        incoming.first_frame = None
