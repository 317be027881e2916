"""Receiving where stamps come: they are taken off before the application sees them."""

from __future__ import annotations

from typing import Any, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import stamp
from hopwatch.finding import address_taken
from hopwatch.frames import as_bytes
from hopwatch.sockets import polls
from hopwatch.sockets.arguments import are_flags, writable_memory
from hopwatch.sockets.backend import BARE, RECEIVES_INTO, backend_recv
from hopwatch.sockets.hooks import unwrapped_meanwhile
from hopwatch.sockets.in_turn import IN_TURN, events_as_bare
from hopwatch.sockets.receive import Receive
from hopwatch.sockets.state import Guard
from hopwatch.sockets.trying import try_recv
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.words import (
    RECEIVED_MORE_FRAMES,
    WAITED_RECEIVES,
)

DONTWAIT = int(zmq.DONTWAIT)
RCVMORE = int(zmq.RCVMORE)
POLLIN = int(zmq.POLLIN)
STAMP_SIZE = stamp.SIZE

backend_get = BackendSocket.get


def has_way(socket: object, way: type) -> bool:
    """Whether it still receives this way; not so where somebody held on to a method while the socket was given another."""
    return isinstance(socket, way)


def goes_on(socket: zmq.Socket[bytes], frame: bytes | zmq.Frame) -> bool:
    """Whether others of its message follow the frame that was received last."""
    return frame.more if isinstance(frame, zmq.Frame) else bool(backend_get(socket, RCVMORE))


def as_asked(parts: list[Any], copy: bool) -> list[Any]:
    """A message's frames as bytes, or as they are."""
    return [as_bytes(part) for part in parts] if copy else parts


def frame_of(held: bytes | zmq.Frame, more: bool, track: bool) -> zmq.Frame:
    """A frame that was looked at already, for who wants a Frame."""
    frame = held if isinstance(held, zmq.Frame) else zmq.Frame(held)
    frame.more = more
    frame.tracker = zmq.MessageTracker() if track else None
    return frame


class StampedReceive(Receive):
    """Takes stamps off: behind each frame that is not the last of its message it looks at the next one."""

    _hopwatch_reads_whole = True

    def recv_multipart(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv_multipart``, the stamps left out."""
        if not has_way(self, StampedReceive):
            return self.recv_multipart(flags, copy, track)
        if not self._hopwatch_direct:
            return super().recv_multipart(flags, copy, track)
        if self._hopwatch_reads_whole and not self._hopwatch.faulty and self._hopwatch_between_messages():
            return self._hopwatch_read_whole(flags, copy, track)
        incoming = self._hopwatch.incoming
        parts = [self._hopwatch_next(flags, track, copy)]
        while incoming.more and not unwrapped_meanwhile(self):
            parts.append(self._hopwatch_next(flags, track, copy))
        while unwrapped_meanwhile(self) and backend_get(self, RCVMORE):
            parts.append(backend_recv(self, flags, copy, track))
        return parts

    if RECEIVES_INTO:

        def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
            """As ``zmq.Socket.recv_into``, the stamps left out."""
            if not has_way(self, StampedReceive):
                return self.recv_into(buffer, nbytes=nbytes, flags=flags)
            memory = writable_memory(buffer, nbytes, flags)
            if memory is None:
                return BackendSocket.recv_into(self, buffer, nbytes=nbytes, flags=flags)
            frame = self._hopwatch_next(flags, track=False)
            kept = min(len(frame), int(nbytes) or len(memory))
            memory[:kept] = memoryview(frame)[:kept]
            return len(frame)

    def get(self, option: int) -> Any:
        """As the bare socket's; stamps are no frames to the application."""
        if not has_way(self, StampedReceive):
            return self.get(option)
        value = backend_get(self, option)
        if option == RCVMORE:
            return int(self._hopwatch.incoming.more)
        if option == zmq.EVENTS and self._hopwatch.incoming.held is not None:
            return events_as_bare(self._hopwatch, cast(int, value)) | POLLIN
        return value

    getsockopt = get

    def poll(self, timeout: int | None = None, flags: int = zmq.POLLIN) -> Any:
        """As ``zmq.Socket.poll``; a frame that was looked at already is still to be had."""
        if not has_way(self, StampedReceive):
            return self.poll(timeout, flags)
        if self._hopwatch.incoming.held is None:
            return BARE.poll(self, timeout, flags)
        if timeout is not None:
            timeout < 0  # noqa: B015 -- which refuses what is no timeout, as pyzmq's own poll does
        possible = events_as_bare(self._hopwatch, int(flags))
        if flags & POLLIN:
            return BARE.poll(self, 0, possible) | POLLIN
        return BARE.poll(self, timeout, possible)

    def _hopwatch_address_taken(self) -> None:
        if self._hopwatch.type_name not in {"PUSH", "PUB"}:
            self._hopwatch.find(address_taken())

    def _hopwatch_between_messages(self) -> bool:
        incoming = self._hopwatch.incoming
        return incoming.held is None and not incoming.frames

    def _hopwatch_read_whole(self, flags: int, copy: bool, track: bool) -> list[Any]:
        """A message at once: quicker than frame by frame, since none has to be kept."""
        parts: list[Any] = []
        found = b""
        while not parts:
            if found:
                self._hopwatch_take_orphan(found)
            copies = copy and not self._hopwatch_by_frames()
            parts = [self._hopwatch_receive(flags, copies, track)]
            try:
                while goes_on(self, parts[-1]):
                    parts.append(backend_recv(self, flags, copies, track))
            except BaseException:
                if not unwrapped_meanwhile(self):
                    self._hopwatch_broken_off(parts)
                raise
            if unwrapped_meanwhile(self):
                return as_asked(parts, copy)
            last = parts[-1]
            found = self._hopwatch_pop_stamp(parts)
            if not parts and self._hopwatch_gives_alone(found):
                parts, found = [last], b""
        self._hopwatch_account(parts, found)
        if found and not copies:
            parts[-1].more = False
        return as_asked(parts, copy)

    def _hopwatch_by_frames(self) -> bool:
        """Whether frames have to be had as pyzmq's, since these alone tell by which connection they came. Else they are not where the application wants bytes:
        where pyzmq lets go of a Frame it looks for signals, and what their handlers raise there goes to nobody.
        """
        return self._hopwatch.receiving.unstamped.by_frames

    @staticmethod
    def _hopwatch_pop_stamp(parts: list[Any]) -> bytes:
        """Takes the stamp off a message, if it has one; it may have been nothing else."""
        found = as_bytes(parts[-1]) if len(parts[-1]) == STAMP_SIZE else b""
        if not stamp.is_stamp(found):
            return b""
        parts.pop()
        return found

    def _hopwatch_account(self, parts: list[Any], found: bytes) -> None:
        """Count a message, and take its stamp in, or that it has none."""
        state = self._hopwatch
        if not parts:
            self._hopwatch_take_orphan(found)
            return
        state.incoming.more = False
        with Guard(state):
            if not found:
                state.receiving.unstamped.count(parts[0], len(parts) > 1)
            elif not state.receiving.take_next(found):
                state.receiving.take(found, parts[0], len(parts) > 1)
        self._hopwatch_count_received(1, sum(map(len, parts)))
        self._hopwatch_words[RECEIVED_MORE_FRAMES] += len(parts) - 1

    def _hopwatch_broken_off(self, parts: list[Any]) -> None:
        """A signal handler's exception ended the receive within a message, the rest of which is still to come, or just behind it."""
        if not goes_on(self, parts[-1]):
            self._hopwatch_account(parts, self._hopwatch_pop_stamp(parts))
            return
        incoming = self._hopwatch.incoming
        incoming.first_frame, incoming.frames, incoming.more = parts[0], len(parts), True
        self._hopwatch_count_received(0, sum(map(len, parts)))

    def _hopwatch_next(self, flags: int, track: bool, copy: bool = True) -> Any:
        """The application's next frame, as it wants it; a Frame's ``more`` is as if there were no stamp.

        The one after it is kept as a Frame where the application may ask it for what bytes do not have, such as ``User-Id``.
        """
        incoming = self._hopwatch.incoming
        held = incoming.held
        if held is None:
            while True:
                frame = self._hopwatch_receive(flags, copy and not self._hopwatch_by_frames(), track)
                if unwrapped_meanwhile(self):
                    return as_bytes(frame) if copy else frame
                more = goes_on(self, frame)
                if len(frame) != STAMP_SIZE or not self._hopwatch_is_orphan(frame, more):
                    break
                self._hopwatch_take_orphan(as_bytes(frame))
        else:
            self._hopwatch_raise_as_bare(flags)
            more = incoming.held_more
            frame = held if copy else frame_of(held, more, track)
            if unwrapped_meanwhile(self):
                return as_bytes(frame) if copy else frame
        following = backend_recv(self, DONTWAIT, copy) if more else b""
        self._hopwatch_hold(frame, following, more)
        return as_bytes(frame) if copy else frame

    def _hopwatch_raise_as_bare(self, flags: Any) -> None:
        """What libzmq is not asked for, it cannot refuse: flags that are none, a socket that is closed, a context that has ended."""
        if not are_flags(flags):
            backend_recv(self, flags)
        backend_get(self, RCVMORE)

    def _hopwatch_hold(self, frame: bytes | zmq.Frame, following: bytes | zmq.Frame, more: bool) -> None:
        """Account for a frame and, if there is ``more``, the one that follows it in its message, which is kept unless it is the stamp."""
        state = self._hopwatch
        incoming = state.incoming
        if not incoming.frames:
            incoming.first_frame = frame
        incoming.held = None
        incoming.more = more
        if not more:
            self._hopwatch_take_unstamped()
        elif len(following) == STAMP_SIZE and self._hopwatch_take(following):
            incoming.more = False
            if isinstance(frame, zmq.Frame):
                frame.more = False
        else:
            incoming.held, incoming.held_more = following, bool(backend_get(self, RCVMORE))
            if not incoming.held_more and not incoming.told_to_polls:
                incoming.told_to_polls = True
                with Guard(state):
                    polls.PROCESS.know_of(self)
        self._hopwatch_count(len(frame))

    def _hopwatch_is_orphan(self, frame: bytes | zmq.Frame, more: bool) -> bool:
        begins = not self._hopwatch.incoming.frames
        alone = not more and begins and stamp.is_stamp(as_bytes(frame))
        return alone and not self._hopwatch_gives_alone(as_bytes(frame))

    def _hopwatch_gives_alone(self, found: bytes) -> bool:
        """Whether a stamp that stands alone goes to the application, as what anybody may have sent.

        Only an interrupted sender sends one, of a lane that is followed, or any sender to a receiver that conflates. A REQ or REP has
        its turn by it. Where nothing is behind it, an event loop would give the application an error in its place.
        """
        state = self._hopwatch
        if state.type_name in IN_TURN:
            return True
        if not state.receiving.follows(found) and not backend_get(self, zmq.CONFLATE):
            return True
        return state.way.looks_ahead and not cast(int, backend_get(self, zmq.EVENTS)) & POLLIN

    def _hopwatch_take_orphan(self, found: bytes) -> None:
        """A stamp whose message was taken by a receive that a signal handler's exception ended."""
        state = self._hopwatch
        if not state.faulty:
            with Guard(state):
                state.receiving.take(found, None)

    def _hopwatch_receive(self, flags: int, copy: bool, track: bool) -> Any:
        """A frame from libzmq, first without blocking: so it is seen whether this receiver had to wait."""
        waited = isinstance(flags, int) and not flags & DONTWAIT
        if waited:
            try:
                return try_recv(self, flags | DONTWAIT, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
                self._hopwatch_words[WAITED_RECEIVES] += 1
        try:
            return backend_recv(self, flags, copy, track)
        except zmq.Again:
            if not unwrapped_meanwhile(self):
                self._hopwatch_count_refused_receive()
            raise
        except zmq.ZMQError as error:
            if waited and error.errno == zmq.EFSM:  # out of turn: it did not wait
                self._hopwatch_words[WAITED_RECEIVES] -= 1
            raise

    def _hopwatch_take(self, frame: bytes | zmq.Frame) -> bool:
        """Whether the frame is the stamp of its message, and no other follows it: then it is taken in."""
        state = self._hopwatch
        incoming, found = state.incoming, as_bytes(frame)
        if not state.faulty:
            with Guard(state):
                if state.receiving.take_next(found):
                    return True
        if not state.receiving.follows(found) and (not stamp.is_stamp(found) or goes_on(self, frame)):
            return False
        if not state.faulty:
            with Guard(state):
                state.receiving.take(found, incoming.first_frame, incoming.frames > 0)
        return True

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
