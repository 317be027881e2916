"""State of a socket that libzmq lets nobody ask for: whether XPUB_NODROP or ROUTER_MANDATORY is on, whether a monitor is attached, whether
a SUB that was set up before it was wrapped is subscribed to everything.

They decide what hopwatch may do to an application's socket and conclude from it, and none has a getsockopt. They are read, never
written, from the process's own memory: a scratch socket of the same type shows which byte of the object changes with the option;
that byte of the application's socket is then read. Where anything is not as expected, the answer is None: not known.
"""

import os
from collections.abc import Callable
from functools import lru_cache

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.ids import new_id

OBJECT_BYTES = 4096
TURNS = 2
MONITORED_EVENTS = 0x2A5A
"""A mask that hardly stands anywhere by chance."""


def nodrop_is_set(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether XPUB_NODROP is on; None if that cannot be seen."""
    return _flag_is_set(socket, _option_byte(int(socket.type), int(zmq.XPUB_NODROP)))


def mandatory_is_set(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether ROUTER_MANDATORY is on; None if that cannot be seen."""
    return _flag_is_set(socket, _option_byte(int(socket.type), int(zmq.ROUTER_MANDATORY)))


def monitor_is_attached(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether some monitor, of whomever, is attached; None if that cannot be seen."""
    place = _monitor_pointer(int(socket.type))
    memory = _read(_address(socket))
    if place is None or len(memory) < place + 8:
        return None
    return memory[place : place + 8] != bytes(8)


def subscribes_to_everything(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether a SUB or XSUB is subscribed to the empty prefix; None if that cannot be seen."""
    place = _empty_prefix_count(int(socket.type))
    memory = _read(_address(socket))
    if place is None or len(memory) <= place:
        return None
    return memory[place] != 0


def _flag_is_set(socket: "zmq.Socket[bytes]", place: tuple[int, int, int] | None) -> bool | None:
    memory = _read(_address(socket))
    if place is None or len(memory) <= place[0]:
        return None
    offset, off, on = place
    return {off: False, on: True}.get(memory[offset])


@lru_cache(maxsize=8)
def _option_byte(socket_type: int, option: int) -> tuple[int, int, int] | None:
    def toggle(socket: BackendSocket, on: bool) -> None:
        socket.set(option, int(on))

    changed = _bytes_that_follow(socket_type, toggle)
    return changed[0] if len(changed) == 1 else None


@lru_cache(maxsize=8)
def _empty_prefix_count(socket_type: int) -> int | None:
    """Offset of the byte that follows subscriptions to the empty prefix, and no others."""

    def toggling(topic: bytes) -> Callable[[BackendSocket, bool], None]:
        def toggle(socket: BackendSocket, on: bool) -> None:
            if socket_type == zmq.XSUB:
                socket.send(bytes([on]) + topic)
            else:
                socket.set(zmq.SUBSCRIBE if on else zmq.UNSUBSCRIBE, topic)

        return toggle

    every = {(offset, off, on) for offset, off, on in _bytes_that_follow(socket_type, toggling(b""))}
    some = {offset for offset, _, _ in _bytes_that_follow(socket_type, toggling(b"hopwatch"))}
    counts = [offset for offset, off, on in every if offset not in some and (off, on) == (0, 1)]
    return counts[0] if len(counts) == 1 else None


@lru_cache(maxsize=32)
def _monitor_pointer(socket_type: int) -> int | None:
    def toggle(socket: BackendSocket, on: bool) -> None:
        socket.monitor(f"inproc://{new_id()}" if on else None, MONITORED_EVENTS if on else 0)

    offsets = {offset // 8 * 8 for offset, off, _ in _bytes_that_follow(socket_type, toggle) if off == 0}
    pointers = [offset for offset in offsets if _looks_like_pointer(socket_type, toggle, offset)]
    return pointers[0] if len(pointers) == 1 else None


def _looks_like_pointer(socket_type: int, toggle: Callable[[BackendSocket, bool], None], offset: int) -> bool:
    off, on = _snapshots(socket_type, toggle)
    values = [int.from_bytes(memory[offset : offset + 8], "little") for memory in on]
    return all(memory[offset : offset + 8] == bytes(8) for memory in off) and all(
        value > 1 << 16 and value % 8 == 0 for value in values
    )


def _bytes_that_follow(
    socket_type: int, toggle: Callable[[BackendSocket, bool], None]
) -> list[tuple[int, int, int]]:
    """Offsets whose byte is always the same when off, and never that when on: (offset, off, on)."""
    off, on = _snapshots(socket_type, toggle)
    return [
        (offset, off[0][offset], on[0][offset])
        for offset in range(min(map(len, off + on)))
        if len({memory[offset] for memory in off}) == 1
        and all(memory[offset] != off[0][offset] for memory in on)
    ]


def _snapshots(
    socket_type: int, toggle: Callable[[BackendSocket, bool], None]
) -> tuple[list[bytes], list[bytes]]:
    """The object's memory, off and on in turns: other threads of libzmq change bytes of it meanwhile, but not in step."""
    context = zmq.Context()
    try:
        socket = BackendSocket(context, socket_type)
        try:
            memories = []
            for turn in range(2 * TURNS + 1):
                toggle(socket, turn % 2 == 1)
                memories.append(_read(_address(socket)))
            return memories[::2], memories[1::2]
        finally:
            socket.close(linger=0)
    finally:
        context.term()


def _address(socket: BackendSocket) -> int:
    """The socket object's address, read past our own hook, which takes this for the application's doing."""
    return int(BackendSocket.underlying.__get__(socket))


def _read(address: int) -> bytes:
    """Memory at an address, through the kernel: what is not mapped gives fewer bytes, not a fault."""
    try:
        descriptor = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, OBJECT_BYTES, address)
    except (OSError, OverflowError):
        return b""
    finally:
        os.close(descriptor)
