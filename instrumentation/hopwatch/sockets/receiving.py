"""Receiving: counted, and given over to ``stamped_receiving.py`` once stamps are known to come."""

from __future__ import annotations

from typing import Any, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import stamp
from hopwatch.frames import as_bytes
from hopwatch.rules.conflate import conflate_stamped
from hopwatch.sockets.backend import RECEIVES_INTO, backend_recv
from hopwatch.sockets.classes import exchange
from hopwatch.sockets.hooks import unwrapped_meanwhile
from hopwatch.sockets.in_turn import IN_TURN
from hopwatch.sockets.receive import Receive
from hopwatch.sockets.stamped_receiving import StampedReceive, has_way
from hopwatch.sockets.state import Guard
from hopwatch.sockets.taking_stamps import stamped_recv
from hopwatch.words import (
    RECEIVED,
    RECEIVED_MORE_FRAMES,
)

DONTWAIT = int(zmq.DONTWAIT)
RCVMORE = int(zmq.RCVMORE)
POLLIN = int(zmq.POLLIN)
STAMP_SIZE = stamp.SIZE

FRAMES_ASKED_AT_FIRST = 64
"""Whether more frames follow costs several times what the receive itself does. It is asked of each of the first frames, then of two
frames in sixty-four, and of every frame again from the first multipart message on. A REQ or REP always asks: a frame that is left unread
keeps it from its turn. Where the application asks itself, or receives
frames that tell, nothing is missed."""


backend_get = BackendSocket.get


class CountingReceive(Receive):
    """Counts messages, frames and bytes; a stamp that turns up makes the socket a ``StampedReceive``."""

    @staticmethod
    def _hopwatch_ask_sometimes(sometimes: bool) -> None:
        """Ask of some frames only, or of each, whether more follow; made by the hot path for sockets that ask."""

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
            last, expected = parts.pop(), incoming.told_more
            self._hopwatch_count_last(len(parts), sum(map(len, parts)))
            self._hopwatch_meet_stamp(as_bytes(last), first_frame, several)
            return parts or ([last] if expected else self.recv_multipart(flags, copy, track))
        self._hopwatch_count_last(len(parts), sum(map(len, parts)))
        return parts

    if RECEIVES_INTO:

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

    def get(self, option: int) -> Any:
        """As the bare socket's; what the application asks about more frames we need not ask."""
        if not has_way(self, CountingReceive):
            return self.get(option)
        value = backend_get(self, option)
        if option == RCVMORE and value:
            incoming = self._hopwatch.incoming
            incoming.told_more = True
            if incoming.asked_sometimes:
                self._hopwatch_goes_on()
        return value

    getsockopt = get

    def _hopwatch_goes_on(self) -> None:
        """The frame that was taken for a whole message, and counted, is followed by others."""
        incoming = self._hopwatch.incoming
        incoming.frames, incoming.counted = 1, True
        incoming.multipart = True
        incoming.asked_sometimes = False
        self._hopwatch_ask_sometimes(False)

    def _hopwatch_look(self, frame: Any, flags: int, copy: bool, track: bool) -> Any:
        """Look closer at a frame: is it a stamp, and does its message go on?"""
        state = self._hopwatch
        if state.first_calls.receives:
            state.look_at_receive()
        incoming = state.incoming
        size = len(frame)
        if frame.more if isinstance(frame, zmq.Frame) else backend_get(self, RCVMORE):
            self._hopwatch_count_more(size, as_bytes(frame))
        elif (
            size == STAMP_SIZE
            and stamp.is_stamp(as_bytes(frame))
            # else it came alone, as anybody may send it; a conflating receiver gets nothing but the last frame of a message
            and (incoming.frames or incoming.asked_sometimes or backend_get(self, zmq.CONFLATE))
        ):
            first_frame, several = incoming.first_frame, incoming.frames > 1
            alone, expected = not incoming.frames, incoming.told_more
            if not alone:
                self._hopwatch_count_last(0, 0)
            self._hopwatch_meet_stamp(as_bytes(frame), first_frame, several, alone)
            if not expected:
                return self.recv(flags, copy, track)
        elif incoming.asked_sometimes:
            self._hopwatch_count_received(1, size)
        else:
            self._hopwatch_count_last(1, size)
        return as_bytes(frame) if copy else frame

    def _hopwatch_look_ahead(self, frame: bytes | zmq.Frame) -> None:
        """Others follow this frame: a stamp among them must not be left for the next receive to find."""
        self._hopwatch_read_stamps(self._hopwatch_words[RECEIVED])
        cast(StampedReceive, self)._hopwatch_hold(frame, backend_recv(self, DONTWAIT), True)

    def _hopwatch_count_more(self, size: int, frame: bytes | None) -> None:
        """Take in a frame that others of its message follow."""
        incoming = self._hopwatch.incoming
        if not incoming.frames:
            incoming.first_frame = frame
        incoming.frames += 1
        incoming.multipart = True
        incoming.asked_sometimes = False
        self._hopwatch_ask_sometimes(False)
        self._hopwatch_count_received(0, size)

    def _hopwatch_count_last(self, frames: int, size: int) -> None:
        """A message has ended, with these frames after the ones already seen of it."""
        words = self._hopwatch_words
        incoming = self._hopwatch.incoming
        words[RECEIVED_MORE_FRAMES] += incoming.frames + frames - 1
        self._hopwatch_count_received(0 if incoming.counted else 1, size)
        incoming.counted = incoming.told_more = False
        incoming.frames = 0
        incoming.first_frame = None
        every = incoming.multipart or self._hopwatch.type_name in IN_TURN or not self._hopwatch_direct
        if words[RECEIVED] == FRAMES_ASKED_AT_FIRST and not every:
            incoming.asked_sometimes = True
            self._hopwatch_ask_sometimes(True)

    def _hopwatch_meet_stamp(
        self, frame: bytes, first_frame: bytes | zmq.Frame | None, several: bool, alone: bool = False
    ) -> None:
        """From here on stamps come: take them off before the application sees them.

        ``alone``: this one came without a message.
        """
        state = self._hopwatch
        self._hopwatch_read_stamps(self._hopwatch_words[RECEIVED] - (not alone))
        with Guard(state):
            if backend_get(self, zmq.CONFLATE):
                state.find(conflate_stamped())
            state.receiving.take(frame, first_frame, several)

    def _hopwatch_read_stamps(self, before: int) -> None:
        """Take off the stamps that come after so many messages."""
        with Guard(self._hopwatch):
            self._hopwatch.receiving.unstamped.before += before
        self._hopwatch_retire_receive()
        counts = LookingReceive if self._hopwatch.way.looks_ahead else CountingReceive
        exchange(self, counts, StampedReceive, stamped_recv(self._hopwatch_words, self._hopwatch))


class LookingReceive(CountingReceive):
    """Each frame tells whether more follow: what the application asks needs no look. pyzmq's event loops ask three times a message."""

    get = getsockopt = BackendSocket.get
