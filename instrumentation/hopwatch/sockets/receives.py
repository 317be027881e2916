"""Receiving what the hot path leaves, and taking stamps off the ends of messages."""

from pickle import PickleBuffer
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import stamp
from hopwatch.finding import address_taken
from hopwatch.frames import as_bytes
from hopwatch.sockets.backend import (
    DONTWAIT,
    RCVMORE,
    REFUSED,
    backend_get,
    backend_recv,
    is_refusal,
)
from hopwatch.sockets.hot_receives import stamped_recv
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.trimming import found_in, trimmed
from hopwatch.sockets.trying import try_recv
from hopwatch.words import EAGAIN_RECEIVES, RECEIVED, WAITED_RECEIVES

SENDING_ONLY = {"PUSH", "PUB"}


def goes_on(socket: zmq.Socket[bytes], frame: bytes | zmq.Frame) -> bool:
    """Whether others of its message follow the frame that was received last."""
    return frame.more if isinstance(frame, zmq.Frame) else bool(backend_get(socket, RCVMORE))


class Receives:
    """Counts messages, frames and bytes. The first stamp that comes makes the socket one that takes stamps off."""

    def __init__(self, state: SocketState) -> None:
        self.state = state

    def receive_whole(self, socket: Any, flags: int, copy: bool, track: bool) -> list[Any]:
        """As ``zmq.Socket.recv_multipart``."""
        copies = copy and not self.by_frames()
        parts = [self.receive(socket, flags, copies, track)]
        try:
            while backend_get(socket, RCVMORE):
                parts.append(backend_recv(socket, flags, copies, track))
        except BaseException:  # of a signal handler: what came is gone, and the rest is still to come
            if not self.state.incoming.retired:
                self.broken_off(socket, parts)
            raise
        if not self.state.incoming.retired:
            parts[-1] = self.take_whole(parts)
        return [as_bytes(part) for part in parts] if copy and not copies else parts

    def receive_in(self, socket: Any, buffer: Any, nbytes: int, flags: int) -> int:
        """As ``zmq.Socket.recv_into``."""
        memory = writable_memory(buffer, nbytes, flags)
        if memory is None:
            return int(BackendSocket.recv_into(socket, buffer, nbytes=nbytes, flags=flags))
        room = int(nbytes) or len(memory)
        if not self.state.takes_stamps:
            return self.receive_into(socket, memory[:room], flags)
        frame = self.next(socket, flags, copy=True, track=False)
        kept = min(len(frame), room)
        memory[:kept] = memoryview(frame)[:kept]
        return len(frame)

    def refused(self) -> None:
        """Libzmq had no message."""
        if not self.state.way.receives_deferred:
            self.state.slot.words[EAGAIN_RECEIVES] += 1

    def address_taken(self) -> None:
        """Somebody may receive past us, which matters where stamps come."""
        if self.state.takes_stamps and self.state.type_name not in SENDING_ONLY:
            self.state.find(address_taken())

    def by_frames(self) -> bool:
        """Whether frames have to be had as pyzmq's, since these alone tell by which connection they came. Else they are not where the application wants bytes:
        where pyzmq lets go of a Frame it looks for signals, and what their handlers raise there goes to nobody.
        """
        return self.state.takes_stamps and self.state.receiving.unstamped.by_frames

    def receive(self, socket: Any, flags: int, copy: bool, track: bool) -> Any:
        """A frame from libzmq; where stamps come first without blocking, so that it is seen whether this receiver had to wait."""
        if self.state.takes_stamps and isinstance(flags, int) and not flags & DONTWAIT:
            try:
                return try_recv(socket, flags | DONTWAIT, copy, track)
            except REFUSED as error:
                if not is_refusal(error):
                    raise
        return self.wait(socket, flags, copy, track)

    def wait(self, socket: Any, flags: int, copy: bool, track: bool) -> Any:
        """A frame from libzmq, as the application asks for it; where stamps come, and it lets us wait, there was none at once."""
        state = self.state
        waits = state.takes_stamps and isinstance(flags, int) and not flags & DONTWAIT
        if waits:
            state.slot.words[WAITED_RECEIVES] += 1
        try:
            return backend_recv(socket, flags, copy, track)
        except zmq.Again:
            if not self.state.incoming.retired:
                self.refused()
            raise
        except zmq.ZMQError as error:
            if waits and error.errno == zmq.EFSM:  # out of turn: it did not wait
                state.slot.words[WAITED_RECEIVES] -= 1
            raise

    def next(self, socket: Any, flags: int, copy: bool, track: bool) -> Any:
        """The application's next frame, as it wants it, of a socket that takes stamps off."""
        frame = self.receive(socket, flags, copy and not self.by_frames(), track)
        if self.state.incoming.retired:
            return as_bytes(frame) if copy else frame
        return self.take_in(socket, frame, copy)

    def look(self, socket: Any, frame: Any, copy: bool) -> Any:
        """Look closer at a frame of a socket to which no stamp has come."""
        if self.state.first_calls.receives:
            self.state.look_at_receive()
        return self.take_in(socket, frame, copy)

    def take_in(self, socket: Any, frame: Any, copy: bool) -> Any:
        """Account for a frame; return it without its stamp."""
        if goes_on(socket, frame):
            self.take_more(frame)
        else:
            frame = self.take_whole([frame])
        return as_bytes(frame) if copy else frame

    def take_more(self, frame: Any) -> None:
        """Account for a frame that others of its message follow."""
        self.came(frame, True)
        self.state.incoming.count_more(frame)

    def take_whole(self, parts: list[Any]) -> Any:
        """Account for a message that was received at once, or for the rest of one; return its last frame without its stamp."""
        state, incoming, last = self.state, self.state.incoming, parts[-1]
        found = found_in(last)
        if found and not state.takes_stamps:
            self.stamps_come()
        if found:
            last = trimmed(last)
        if self.reads:
            for part in parts[:-1]:
                self.came(part, True)
            self.came(last, False)
        if state.takes_stamps:
            first_frame = incoming.first_frame if incoming.frames else last if len(parts) == 1 else parts[0]
            self.track(found, first_frame, len(parts) + incoming.frames > 1)
        incoming.frames += len(parts) - 1
        incoming.count_last(sum(map(len, parts)) - len(found))
        return last

    def broken_off(self, socket: Any, parts: list[Any]) -> None:
        """A signal handler's exception ended the receive within a message, or just behind it."""
        for part in parts[:-1]:
            self.take_more(part)
        self.take_in(socket, parts[-1], copy=False)

    reads = False
    """Whether numbers that messages carry are read."""

    def came(self, frame: Any, more: bool) -> None:
        """Where numbers are read, this frame is shown to their reader."""

    def track(self, found: bytes, first_frame: Any, several: bool) -> None:
        """Take in a message's stamp, or that it has none."""
        state = self.state
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

    def receive_into(self, socket: Any, memory: memoryview, flags: int) -> int:
        """Receive into memory that the application gave, of a socket to which no stamp has come; one that does is cut off the size."""
        try:
            size = int(BackendSocket.recv_into(socket, memory, flags=flags))
        except zmq.Again:
            if not self.state.incoming.retired:
                self.refused()
            raise
        if self.state.incoming.retired:
            return size
        content = memory[:size].tobytes()
        if backend_get(socket, RCVMORE):
            self.take_more(content)
        elif size > len(memory):  # it is cut off, and so is its stamp
            self.state.incoming.count_last(size)
        else:
            size = len(self.take_whole([content]))
        return size

    def stamps_come(self) -> None:
        """Take stamps off from here on."""
        state = self.state
        with Guard(state):
            state.receiving.unstamped.before += self.state.slot.words[RECEIVED]
        state.takes_stamps = True
        state.incoming.stamps_come()
        state.give({"_hopwatch_recv_now": stamped_recv(state, self)})


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
