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

OBJECT_BYTES = 4096
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
        socket.monitor("inproc://hopwatch-calibration" if on else None, MONITORED_EVENTS if on else 0)

    offsets = {offset // 8 * 8 for offset, off, _ in _bytes_that_follow(socket_type, toggle) if off == 0}
    pointers = [offset for offset in offsets if _looks_like_pointer(socket_type, toggle, offset)]
    return pointers[0] if len(pointers) == 1 else None


def _looks_like_pointer(socket_type: int, toggle: Callable[[BackendSocket, bool], None], offset: int) -> bool:
    off, on, _ = _snapshots(socket_type, toggle)
    value = int.from_bytes(on[offset : offset + 8], "little")
    return off[offset : offset + 8] == bytes(8) and value > 1 << 16 and value % 8 == 0


def _bytes_that_follow(
    socket_type: int, toggle: Callable[[BackendSocket, bool], None]
) -> list[tuple[int, int, int]]:
    """Offsets whose byte differs between off and on, and is the same again when off: (offset, off, on)."""
    off, on, off_again = _snapshots(socket_type, toggle)
    return [
        (offset, a, b)
        for offset, (a, b, c) in enumerate(zip(off, on, off_again, strict=False))
        if a == c and a != b
    ]


def _snapshots(socket_type: int, toggle: Callable[[BackendSocket, bool], None]) -> tuple[bytes, bytes, bytes]:
    context = zmq.Context()
    try:
        socket = BackendSocket(context, socket_type)
        try:
            toggle(socket, False)
            off = _read(_address(socket))
            toggle(socket, True)
            on = _read(_address(socket))
            toggle(socket, False)
            return off, on, _read(_address(socket))
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
