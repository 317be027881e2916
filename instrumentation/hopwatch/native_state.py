"""State of a socket that libzmq lets nobody ask for: whether XPUB_NODROP, XPUB_MANUAL_LAST_VALUE or ROUTER_MANDATORY is on, whether a ROUTER has begun a message,
whether a monitor is attached, whether a SUB that was set up before it was wrapped is subscribed to everything.

They decide what hopwatch may do to an application's socket and conclude from it, and none has a getsockopt. They are read, never
written, from the process's own memory: a scratch socket of the same type shows which byte of the object changes with the option;
that byte of the application's socket is then read. Where anything is not as expected, the answer is None: not known.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import lru_cache, wraps
from typing import TypeVar

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.ids import new_id
from hopwatch.own_socket import own_context

Question = Callable[["zmq.Socket[bytes]"], bool | None]
Toggle = Callable[[BackendSocket, bool], None]
Place = tuple[int, int, int]
"""A byte of an object: its offset, and its values while something is off and on."""
Found = TypeVar("Found")

XPUB_MANUAL_LAST_VALUE = 98
"""Where pyzmq has no name for it."""
LEAST_OBJECT_BYTES, OBJECT_BYTES = 1024, 4096
"""What lies behind a socket's object is no part of it, and may well change as often as an option does."""
MEASUREMENTS = 25
MONITORED_EVENTS = 0x2A5A
"""A mask that hardly stands anywhere by chance."""


def _unknown_where_descriptors_are_scarce(ask: Question) -> Question:
    """Answers None where no scratch socket can be had; it is tried again with the next socket."""

    @wraps(ask)
    def answer(socket: "zmq.Socket[bytes]") -> bool | None:
        try:
            return ask(socket)
        except (OSError, zmq.ZMQError):
            return None

    return answer


@_unknown_where_descriptors_are_scarce
def nodrop_is_set(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether XPUB_NODROP is on; None if that cannot be seen."""
    return _flag_is_set(socket, _option_byte(int(socket.type), int(zmq.XPUB_NODROP)))


@_unknown_where_descriptors_are_scarce
def last_value_is_set(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether XPUB_MANUAL_LAST_VALUE is on; None if that cannot be seen."""
    place = _option_byte(int(socket.type), XPUB_MANUAL_LAST_VALUE, but=int(zmq.XPUB_MANUAL))
    return _flag_is_set(socket, place)


@_unknown_where_descriptors_are_scarce
def mandatory_is_set(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether ROUTER_MANDATORY is on; None if that cannot be seen."""
    return _flag_is_set(socket, _option_byte(int(socket.type), int(zmq.ROUTER_MANDATORY)))


@_unknown_where_descriptors_are_scarce
def message_is_begun(router: "zmq.Socket[bytes]") -> bool | None:
    """Whether a ROUTER was sent the first frames of a message and not the last; None if that cannot be seen."""
    return _flag_is_set(router, _begun_byte())


@_unknown_where_descriptors_are_scarce
def monitor_is_attached(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether some monitor, of whomever, is attached; None if that cannot be seen."""
    place = _monitor_pointer(int(socket.type))
    memory = _memory(socket)
    if place is None or len(memory) < place + 8:
        return None
    return memory[place : place + 8] != bytes(8)


@_unknown_where_descriptors_are_scarce
def subscribes_to_everything(socket: "zmq.Socket[bytes]") -> bool | None:
    """Whether a SUB or XSUB is subscribed to the empty prefix; None if that cannot be seen."""
    place = _empty_prefix_count(int(socket.type))
    memory = _memory(socket)
    if place is None or len(memory) <= place:
        return None
    return memory[place] != 0


def _flag_is_set(socket: "zmq.Socket[bytes]", place: Place | None) -> bool | None:
    memory = _memory(socket)
    if place is None or len(memory) <= place[0]:
        return None
    offset, off, on = place
    return {off: False, on: True}.get(memory[offset])


@lru_cache(maxsize=8)
def _option_byte(socket_type: int, option: int, but: int | None = None) -> Place | None:
    """The byte that follows an option, and not the other one where that has a byte of its own which the option sets, too."""

    def toggling(number: int) -> Toggle:
        return lambda socket, on: socket.set(number, int(on))

    def measure() -> set[Place]:
        others = set() if but is None else _bytes_that_follow(socket_type, toggling(but))
        return _bytes_that_follow(socket_type, toggling(option)) - others

    return _only_one(measure)


@lru_cache(maxsize=1)
def _begun_byte() -> Place | None:
    def toggle(router: BackendSocket, on: bool) -> None:
        router.send(b"nobody", zmq.SNDMORE if on else 0)

    return _only_one(lambda: _bytes_that_follow(int(zmq.ROUTER), toggle))


@lru_cache(maxsize=8)
def _empty_prefix_count(socket_type: int) -> int | None:
    """Offset of the byte that follows subscriptions to the empty prefix, and no others."""

    def toggling(topic: bytes) -> Toggle:
        def toggle(socket: BackendSocket, on: bool) -> None:
            if socket_type == zmq.XSUB:
                socket.send(bytes([on]) + topic)
            else:
                socket.set(zmq.SUBSCRIBE if on else zmq.UNSUBSCRIBE, topic)

        return toggle

    def measure() -> set[int]:
        every = _bytes_that_follow(socket_type, toggling(b""))
        some = {offset for offset, _, _ in _bytes_that_follow(socket_type, toggling(b"hopwatch"))}
        return {offset for offset, off, on in every if offset not in some and (off, on) == (0, 1)}

    return _only_one(measure)


@lru_cache(maxsize=32)
def _monitor_pointer(socket_type: int) -> int | None:
    def toggle(socket: BackendSocket, on: bool) -> None:
        socket.monitor(f"inproc://{new_id()}" if on else None, MONITORED_EVENTS if on else 0)

    def measure() -> set[int]:
        off, on, off_again = _snapshots(socket_type, toggle)
        return {
            offset
            for offset in range(0, len(on) - 15, 8)
            if off[offset : offset + 16] == off_again[offset : offset + 16] == bytes(16)
            and _is_pointer_and_mask(on[offset : offset + 16])
        }

    return _only_one(measure)


def _only_one(measure: Callable[[], set[Found]]) -> Found | None:
    """The one place that is found each time: what other threads write nearby is not."""
    found = measure()
    for _ in range(MEASUREMENTS):
        if len(found) == 1:
            return found.pop()
        again = measure()
        found = found & again or again
    return None


def _is_pointer_and_mask(words: bytes) -> bool:
    """The mask follows the pointer: other pointers that come and go with the monitor lie in what follows the object."""
    pointer, mask = (int.from_bytes(word, "little") for word in (words[:8], words[8:]))
    return pointer > 1 << 16 and pointer % 8 == 0 and mask == MONITORED_EVENTS


def _bytes_that_follow(socket_type: int, toggle: Toggle) -> set[Place]:
    """Those whose value differs between off and on, and is the same again when off."""
    off, on, off_again = _snapshots(socket_type, toggle)
    values = enumerate(zip(off, on, off_again, strict=False))
    return {(offset, a, b) for offset, (a, b, c) in values if a == c and a != b}


def _snapshots(socket_type: int, toggle: Toggle) -> list[bytes]:
    """The object of a scratch socket while something is off, on, and off again."""
    snapshots = []
    with ExitStack() as ending:
        context = own_context()
        ending.callback(context.term)
        socket = BackendSocket(context, socket_type)
        ending.callback(socket.close, linger=0)
        for on in (False, True, False):
            toggle(socket, on)
            snapshots.append(_memory(socket))
    return snapshots


def _length_by(word_before: int) -> int:
    """Length of an object, in bytes: glibc has the size of a piece of memory in the word before it, above three bits of its own."""
    size = word_before & ~7
    return size - 8 if LEAST_OBJECT_BYTES <= size <= OBJECT_BYTES else OBJECT_BYTES


def _memory(socket: BackendSocket) -> bytes:
    """Memory of the socket's object, through the kernel: what is not mapped gives fewer bytes, not a fault."""
    # read past our own hook, which takes this for the application's doing
    address = int(BackendSocket.underlying.__get__(socket))
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            found = os.pread(memory, 8 + OBJECT_BYTES, address - 8)
        finally:
            os.close(memory)
    except (OSError, OverflowError):
        return b""
    return found[8 : 8 + _length_by(int.from_bytes(found[:8], "little"))]
