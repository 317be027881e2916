"""Receiving what the hot path leaves, and taking stamps off the ends of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import stamp
from hopwatch.finding import address_taken
from hopwatch.frames import as_bytes
from hopwatch.sockets.arguments import writable_memory
from hopwatch.sockets.backend import RECEIVES_INTO, backend_recv
from hopwatch.sockets.counting_receives import stamped_recv
from hopwatch.sockets.hooks import HookedSocket, unwrapped_meanwhile
from hopwatch.sockets.state import Guard
from hopwatch.sockets.trimming import STAMP_SIZE, as_asked, trimmed
from hopwatch.sockets.trying import try_recv
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.stamp import LAST_BYTE
from hopwatch.words import RECEIVED, RECEIVED_MORE_FRAMES, WAITED_RECEIVES

DONTWAIT = int(zmq.DONTWAIT)
RCVMORE = int(zmq.RCVMORE)
RCVTIMEO = int(zmq.RCVTIMEO)

FRAMES_ASKED_AT_FIRST = 64
"""Whether more frames follow costs several times what the receive itself does. It is asked of each of the first frames, then of two
frames in sixty-four, and of every frame again from the first multipart message on. Where the application asks itself, or receives
frames that tell, nothing is missed."""

SENDING_ONLY = {"PUSH", "PUB"}

backend_get = BackendSocket.get


def goes_on(socket: zmq.Socket[bytes], frame: bytes | zmq.Frame) -> bool:
    """Whether others of its message follow the frame that was received last."""
    return frame.more if isinstance(frame, zmq.Frame) else bool(backend_get(socket, RCVMORE))


class CountingReceive(HookedSocket):
    """Counts messages, frames and bytes. The first stamp that comes makes the socket one that takes stamps off."""

    _hopwatch_recv_now: Callable[..., Any]

    def recv(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``."""
        try:
            recv_now = self._hopwatch_recv_now
        except AttributeError:  # somebody held on to this method, and the socket is wrapped no more
            return self.recv(flags, copy, track)
        return recv_now(self, flags, copy, track)

    def recv_multipart(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv_multipart``."""
        if unwrapped_meanwhile(self):
            return self.recv_multipart(flags, copy, track)
        if not self._hopwatch_direct:
            return super().recv_multipart(flags, copy, track)
        copies = copy and not self._hopwatch_by_frames()
        parts = [self._hopwatch_receive(flags, copies, track)]
        try:
            while backend_get(self, RCVMORE):
                parts.append(backend_recv(self, flags, copies, track))
        except BaseException:  # of a signal handler: what came is gone, and the rest is still to come
            if not unwrapped_meanwhile(self):
                self._hopwatch_broken_off(parts)
            raise
        if not unwrapped_meanwhile(self):
            parts[-1] = self._hopwatch_take_whole(parts)
        return parts if copies else as_asked(parts, copy)

    if RECEIVES_INTO:

        def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
            """As ``zmq.Socket.recv_into``."""
            if unwrapped_meanwhile(self):
                return self.recv_into(buffer, nbytes=nbytes, flags=flags)
            memory = writable_memory(buffer, nbytes, flags)
            if memory is None:
                return int(BackendSocket.recv_into(self, buffer, nbytes=nbytes, flags=flags))
            room = int(nbytes) or len(memory)
            if not self._hopwatch.takes_stamps:
                return self._hopwatch_receive_into(memory[:room], flags)
            frame = self._hopwatch_next(flags, copy=True, track=False)
            kept = min(len(frame), room)
            memory[:kept] = memoryview(frame)[:kept]
            return len(frame)

    def get(self, option: int) -> Any:
        """As the bare socket's; what the application asks about more frames we need not ask."""
        if unwrapped_meanwhile(self):
            return self.get(option)
        value = backend_get(self, option)
        if option == RCVMORE and value and self._hopwatch.incoming.asked_sometimes:
            self._hopwatch_is_one_of_several()
        return self._hopwatch.without_stamp_room(option, value)

    getsockopt = get

    @staticmethod
    def _hopwatch_count_received(messages: int, size: int) -> None:
        """Count messages and bytes; made by the hot path."""
        raise NotImplementedError

    @staticmethod
    def _hopwatch_ask_sometimes(sometimes: bool) -> None:
        """Ask of some frames only, or of each, whether more follow; made by the hot path for sockets that ask."""

    def _hopwatch_address_taken(self) -> None:
        if self._hopwatch.takes_stamps and self._hopwatch.type_name not in SENDING_ONLY:
            self._hopwatch.find(address_taken())

    def _hopwatch_by_frames(self) -> bool:
        """Whether frames have to be had as pyzmq's, since these alone tell by which connection they came. Else they are not where the application wants bytes:
        where pyzmq lets go of a Frame it looks for signals, and what their handlers raise there goes to nobody.
        """
        return self._hopwatch.takes_stamps and self._hopwatch.receiving.unstamped.by_frames

    def _hopwatch_receive(self, flags: int, copy: bool, track: bool) -> Any:
        """A frame from libzmq; where stamps come first without blocking, so that it is seen whether this receiver had to wait."""
        waited = self._hopwatch.takes_stamps and isinstance(flags, int) and not flags & DONTWAIT
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

    def _hopwatch_next(self, flags: int, copy: bool, track: bool) -> Any:
        """The application's next frame, as it wants it, of a socket that takes stamps off."""
        frame = self._hopwatch_receive(flags, copy and not self._hopwatch_by_frames(), track)
        if unwrapped_meanwhile(self):
            return as_bytes(frame) if copy else frame
        return self._hopwatch_take_in(frame, copy)

    def _hopwatch_look(self, frame: Any, copy: bool) -> Any:
        """Look closer at a frame of a socket to which no stamp has come: has it one, and does its message go on?"""
        state = self._hopwatch
        if state.first_calls.receives:
            state.look_at_receive()
        incoming = state.incoming
        if goes_on(self, frame):
            self._hopwatch_count_more(frame)
        elif found_in(frame):
            self._hopwatch_stamps_come()
            return self._hopwatch_take_in(frame, copy)
        elif incoming.asked_sometimes:
            self._hopwatch_count_received(1, len(frame))
        else:
            self._hopwatch_count_last(len(frame))
        return frame

    def _hopwatch_take_in(self, frame: Any, copy: bool) -> Any:
        """Account for a frame of a socket that takes stamps off; return it without its stamp."""
        if goes_on(self, frame):
            self._hopwatch_came(frame, True)
            self._hopwatch_count_more(frame)
            return as_bytes(frame) if copy else frame
        found = found_in(frame)
        rest = trimmed(frame) if found else frame
        incoming = self._hopwatch.incoming
        first_frame = incoming.first_frame if incoming.frames else rest
        self._hopwatch_came(rest, False)
        self._hopwatch_track(found, first_frame, incoming.frames > 0)
        self._hopwatch_count_last(len(rest))
        return as_bytes(rest) if copy else rest

    def _hopwatch_take_whole(self, parts: list[Any]) -> Any:
        """Account for a message that was received at once, or for the rest of one; return its last frame without its stamp."""
        state, incoming, last = self._hopwatch, self._hopwatch.incoming, parts[-1]
        found = found_in(last)
        if found:
            if not state.takes_stamps:
                self._hopwatch_stamps_come()
            last = trimmed(last)
        if self._hopwatch_reads:
            for part in parts[:-1]:
                self._hopwatch_came(part, True)
            self._hopwatch_came(last, False)
        if state.takes_stamps:
            first_frame = incoming.first_frame if incoming.frames else last if len(parts) == 1 else parts[0]
            self._hopwatch_track(found, first_frame, len(parts) + incoming.frames > 1)
        incoming.frames += len(parts) - 1
        self._hopwatch_count_last(sum(map(len, parts)) - len(found))
        return last

    def _hopwatch_broken_off(self, parts: list[Any]) -> None:
        """A signal handler's exception ended the receive within a message, or just behind it."""
        for part in parts[:-1]:
            self._hopwatch_came(part, True)
            self._hopwatch_count_more(part)
        if goes_on(self, parts[-1]):
            self._hopwatch_came(parts[-1], True)
            self._hopwatch_count_more(parts[-1])
        else:
            self._hopwatch_take_whole(parts[-1:])

    _hopwatch_reads = False
    """Whether numbers that messages carry are read."""

    def _hopwatch_came(self, frame: Any, more: bool) -> None:
        """Where numbers are read, this frame is shown to their reader."""

    def _hopwatch_track(self, found: bytes, first_frame: Any, several: bool) -> None:
        """Take in a message's stamp, or that it has none."""
        state = self._hopwatch
        if state.faulty:
            return
        with Guard(state):
            lanes = state.receiving
            if not found:
                lanes.unstamped.count(first_frame, several)
                return
            lane = lanes.followed.get(found[-stamp.LABEL_SIZE :])
            if lane is None or not lanes.take_next(lane, found):
                lanes.take(found, first_frame, several)

    def _hopwatch_is_one_of_several(self) -> None:
        """The frame that was taken for a whole message, and counted, is followed by others."""
        incoming = self._hopwatch.incoming
        incoming.frames, incoming.counted = 1, True
        self._hopwatch_ask_always()

    def _hopwatch_ask_always(self) -> None:
        incoming = self._hopwatch.incoming
        incoming.multipart, incoming.asked_sometimes = True, False
        self._hopwatch_ask_sometimes(False)

    def _hopwatch_count_more(self, frame: Any) -> None:
        """Take in a frame that others of its message follow."""
        incoming = self._hopwatch.incoming
        if not incoming.frames:
            incoming.first_frame = frame
        incoming.frames += 1
        self._hopwatch_ask_always()
        self._hopwatch_count_received(0, len(frame))

    def _hopwatch_count_last(self, size: int) -> None:
        """A message has ended, with so many bytes after those already counted of it."""
        words, incoming = self._hopwatch_words, self._hopwatch.incoming
        words[RECEIVED_MORE_FRAMES] += incoming.frames
        self._hopwatch_count_received(0 if incoming.counted else 1, size)
        if incoming.frames > 0:
            incoming.multipart = True
        incoming.counted = False
        incoming.frames = 0
        incoming.first_frame = None
        if (
            words[RECEIVED] == FRAMES_ASKED_AT_FIRST
            and not incoming.multipart
            and self._hopwatch_may_ask_seldom()
        ):
            incoming.asked_sometimes = True
            self._hopwatch_ask_sometimes(True)

    def _hopwatch_may_ask_seldom(self) -> bool:
        """Whether what the application asks itself comes this way, and no stamp does."""
        state = self._hopwatch
        return self._hopwatch_direct and not state.takes_stamps and not state.way.asynchronous

    def _hopwatch_receive_into(self, memory: memoryview, flags: int) -> int:
        """Receive into memory that the application gave, of a socket to which no stamp has come; one that does is cut off the size."""
        try:
            size = int(BackendSocket.recv_into(self, memory, flags=flags))
        except zmq.Again:
            if not unwrapped_meanwhile(self):
                self._hopwatch_count_refused_receive()
            raise
        if unwrapped_meanwhile(self):
            return size
        if backend_get(self, RCVMORE):
            self._hopwatch_count_more(memory[:size].tobytes())
            return size
        found = found_in(memory[:size].tobytes()) if size <= len(memory) else b""
        if found:
            self._hopwatch_stamps_come()
            size -= STAMP_SIZE
            incoming = self._hopwatch.incoming
            first_frame = incoming.first_frame if incoming.frames else memory[:size].tobytes()
            self._hopwatch_track(found, first_frame, incoming.frames > 0)
        self._hopwatch_count_last(size)
        return size

    def _hopwatch_stamps_come(self) -> None:
        """Take stamps off from here on."""
        state = self._hopwatch
        with Guard(state):
            state.receiving.unstamped.before += self._hopwatch_words[RECEIVED]
        state.takes_stamps = True
        state.incoming.asked_sometimes = False
        self._hopwatch_retire_receive()
        methods = stamped_recv(state)
        state.methods.update(methods)
        for member in {self, *state.members}:
            if isinstance(member, CountingReceive):
                member.__dict__.pop("_hopwatch_ask_sometimes", None)
                member.__dict__.update(methods)


def found_in(frame: bytes | zmq.Frame) -> bytes:
    """The stamp at the end of a message's last frame, if there is one."""
    content = frame if isinstance(frame, bytes) else frame.buffer
    if len(content) < STAMP_SIZE or content[-1] != LAST_BYTE:
        return b""
    found = bytes(content[-STAMP_SIZE:])
    return found if stamp.ends_stamped(found) else b""


class AsynchronousReceive(CountingReceive):
    """pyzmq's event loops ask three times a message, which needs no look."""

    get = getsockopt = BackendSocket.get


class TimeLimited(HookedSocket):
    """pyzmq's event loops ask for RCVTIMEO with each message, and find an attribute that is an option by its name in a third of a receive's time."""

    rcvtimeo = property(
        lambda socket: BackendSocket.get(socket, RCVTIMEO),
        lambda socket, value: socket.set(RCVTIMEO, value),
    )
