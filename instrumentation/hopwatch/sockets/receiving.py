"""Receiving what the hot path leaves, and taking stamps off the ends of messages."""

from __future__ import annotations

from collections.abc import Callable
from pickle import PickleBuffer
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import stamp
from hopwatch.finding import address_taken
from hopwatch.frames import as_bytes
from hopwatch.lanes.plausible import is_of_a_sender
from hopwatch.sockets.backend import (
    DONTWAIT,
    RCVMORE,
    RCVTIMEO,
    RECEIVES_INTO,
    REFUSED,
    backend_get,
    backend_recv,
    is_refusal,
)
from hopwatch.sockets.hooks import HookedSocket, unwrapped_meanwhile
from hopwatch.sockets.hot_receives import stamped_recv
from hopwatch.sockets.state import Guard
from hopwatch.sockets.trimming import found_in, trimmed
from hopwatch.sockets.trying import try_recv
from hopwatch.words import RECEIVED, WAITED_RECEIVES

SENDING_ONLY = {"PUSH", "PUB"}


def goes_on(socket: zmq.Socket[bytes], frame: bytes | zmq.Frame) -> bool:
    """Whether others of its message follow the frame that was received last."""
    return frame.more if isinstance(frame, zmq.Frame) else bool(backend_get(socket, RCVMORE))


class CountingReceive(HookedSocket):
    """Counts messages, frames and bytes. The first stamp that comes makes the socket one that takes stamps off."""

    _hopwatch_recv_now: Callable[..., Any]

    def recv(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``."""
        recv_now = getattr(self, "_hopwatch_recv_now", None)
        if recv_now is None:  # somebody held on to this method, and the socket is wrapped no more
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
        return [as_bytes(part) for part in parts] if copy and not copies else parts

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
            self._hopwatch.incoming.is_one_of_several()
        return self._hopwatch.without_stamp_room(option, value)

    getsockopt = get

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
        if self._hopwatch.takes_stamps and isinstance(flags, int) and not flags & DONTWAIT:
            try:
                return try_recv(self, flags | DONTWAIT, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
        return self._hopwatch_wait(flags, copy, track)

    def _hopwatch_wait(self, flags: int, copy: bool, track: bool) -> Any:
        """A frame from libzmq, as the application asks for it; where stamps come, and it lets us wait, there was none at once."""
        state = self._hopwatch
        waits = state.takes_stamps and isinstance(flags, int) and not flags & DONTWAIT
        if waits:
            state.slot.words[WAITED_RECEIVES] += 1
        try:
            return backend_recv(self, flags, copy, track)
        except zmq.Again:
            if not unwrapped_meanwhile(self):
                self._hopwatch_count_refused_receive()
            raise
        except zmq.ZMQError as error:
            if waits and error.errno == zmq.EFSM:  # out of turn: it did not wait
                state.slot.words[WAITED_RECEIVES] -= 1
            raise

    def _hopwatch_next(self, flags: int, copy: bool, track: bool) -> Any:
        """The application's next frame, as it wants it, of a socket that takes stamps off."""
        frame = self._hopwatch_receive(flags, copy and not self._hopwatch_by_frames(), track)
        if unwrapped_meanwhile(self):
            return as_bytes(frame) if copy else frame
        return self._hopwatch_take_in(frame, copy)

    def _hopwatch_look(self, frame: Any, copy: bool) -> Any:
        """Look closer at a frame of a socket to which no stamp has come."""
        if self._hopwatch.first_calls.receives:
            self._hopwatch.look_at_receive()
        return self._hopwatch_take_in(frame, copy)

    def _hopwatch_take_in(self, frame: Any, copy: bool) -> Any:
        """Account for a frame; return it without its stamp."""
        if goes_on(self, frame):
            self._hopwatch_take_more(frame)
        else:
            frame = self._hopwatch_take_whole([frame])
        return as_bytes(frame) if copy else frame

    def _hopwatch_take_more(self, frame: Any) -> None:
        """Account for a frame that others of its message follow."""
        self._hopwatch_came(frame, True)
        self._hopwatch.incoming.count_more(frame)

    def _hopwatch_take_whole(self, parts: list[Any]) -> Any:
        """Account for a message that was received at once, or for the rest of one; return its last frame without its stamp."""
        state, incoming, last = self._hopwatch, self._hopwatch.incoming, parts[-1]
        found = found_in(last)
        if found and not state.takes_stamps:
            first = incoming.first_frame if incoming.frames else parts[0]
            if is_of_a_sender(stamp.decode(found), first):
                self._hopwatch_stamps_come()
            else:  # the application's own bytes
                found = b""
        if found:
            last = trimmed(last)
        if self._hopwatch_reads:
            for part in parts[:-1]:
                self._hopwatch_came(part, True)
            self._hopwatch_came(last, False)
        if state.takes_stamps:
            first_frame = incoming.first_frame if incoming.frames else last if len(parts) == 1 else parts[0]
            self._hopwatch_track(found, first_frame, len(parts) + incoming.frames > 1)
        incoming.frames += len(parts) - 1
        incoming.count_last(sum(map(len, parts)) - len(found))
        return last

    def _hopwatch_broken_off(self, parts: list[Any]) -> None:
        """A signal handler's exception ended the receive within a message, or just behind it."""
        for part in parts[:-1]:
            self._hopwatch_take_more(part)
        self._hopwatch_take_in(parts[-1], copy=False)

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
            if lane is None or not lanes.take_next(lane, found, first_frame):
                lanes.take(found, first_frame, several)

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
        content = memory[:size].tobytes()
        if backend_get(self, RCVMORE):
            self._hopwatch_take_more(content)
        elif size > len(memory):  # it is cut off, and so is its stamp
            self._hopwatch.incoming.count_last(size)
        else:
            size = len(self._hopwatch_take_whole([content]))
        return size

    def _hopwatch_stamps_come(self) -> None:
        """Take stamps off from here on."""
        state = self._hopwatch
        with Guard(state):
            state.receiving.unstamped.before += self._hopwatch.slot.words[RECEIVED]
        state.takes_stamps = True
        state.incoming.stamps_come()
        methods = stamped_recv(state)
        state.methods.update(methods)
        for member in {self, *state.members}:
            if isinstance(member, CountingReceive):
                member.__dict__.update(methods)


def are_flags(flags: Any) -> bool:
    """Whether pyzmq takes this for flags."""
    if isinstance(flags, int):
        return -1 << 31 <= flags < 1 << 31
    return hasattr(flags, "__int__") and are_flags(int(flags))


def writable_memory(buffer: Any, nbytes: Any, flags: Any) -> memoryview | None:
    """The bytes that a buffer gives room for; None where pyzmq's ``recv_into`` refuses these arguments."""
    try:
        view = memoryview(buffer)
        memory = PickleBuffer(view).raw()
        fits = view.contiguous and 0 <= nbytes <= len(memory)
    except (TypeError, ValueError, BufferError):
        return None
    return memory if fits and not memory.readonly and are_flags(flags) else None


class AskedByLoops(HookedSocket):
    """pyzmq's event loops ask three times a message, which needs no look; and for RCVTIMEO, which takes a third of a receive's time to find by its name."""

    get = getsockopt = BackendSocket.get

    rcvtimeo = property(
        lambda socket: BackendSocket.get(socket, RCVTIMEO),
        lambda socket, value: socket.set(RCVTIMEO, value),
    )
