"""Who asks for the address of a socket: most that do may send past us, but pyzmq's own doings are known."""

from __future__ import annotations

from types import FrameType
from typing import Any, cast

import zmq
from zmq.backend import Socket as BackendSocket

ASYNCHRONOUS = "zmq._future"
GARBAGE_COLLECTOR = "zmq.utils.garbage"
POLLER_CALLS = ["__init__", "from_socket", "poll"]
MOST_CALLS_TO_MAKE = 4


class Address(property):
    """``underlying`` of an instrumented socket: who sets or deletes it is refused as by a bare one."""

    def __set__(self, socket: Any, value: Any) -> None:
        """Refused."""
        cast(Any, BackendSocket.underlying).__set__(socket, value)

    def __delete__(self, socket: Any) -> None:
        """Refused."""
        cast(Any, BackendSocket.underlying).__delete__(socket)


def is_poller(frame: FrameType) -> bool:
    """Whether it is pyzmq's asynchronous Poller: the shadow that it makes of a plain socket only polls."""
    callers: list[str] = []
    caller = frame.f_back
    while caller is not None and len(callers) < len(POLLER_CALLS):
        if _module(caller) != ASYNCHRONOUS:
            return False
        callers.append(caller.f_code.co_name)
        caller = caller.f_back
    return callers == POLLER_CALLS


def is_asynchronous(frame: FrameType) -> bool:
    """Whether pyzmq's asynchronous sockets ask: one that is made of this socket receives through it."""
    return _module(frame.f_back) == ASYNCHRONOUS


def shadow_being_made(frame: FrameType) -> zmq.Socket[Any] | None:
    """The new object, where ``zmq.Socket(socket)`` or ``zmq.Socket.shadow(socket)`` is asking; an asynchronous one is not ready yet."""
    caller = frame.f_back
    if caller is None or caller.f_code is not zmq.Socket.__init__.__code__:
        return None
    if _module(caller.f_back) == ASYNCHRONOUS:
        return None
    made = caller.f_locals.get("self")
    return made if isinstance(made, zmq.Socket) else None


def is_garbage_collector(frame: FrameType | None) -> bool:
    """Whether the socket that is being made is one of pyzmq's own, by which it frees the buffers of ``copy=False``."""
    for _ in range(MOST_CALLS_TO_MAKE):
        frame = frame and frame.f_back
        if _module(frame) == GARBAGE_COLLECTOR:
            return True
    return False


def _module(frame: FrameType | None) -> str | None:
    return None if frame is None else frame.f_globals.get("__name__")
