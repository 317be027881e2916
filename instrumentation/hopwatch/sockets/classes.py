"""The class that a socket gets: its own, with instrumented ways to send and receive put below it."""

from functools import lru_cache
from typing import Any, cast

import zmq

from hopwatch.sockets.hooks import HookedSocket

SocketClass = type["zmq.Socket[bytes]"]


@lru_cache(maxsize=256)
def instrumented(bare: SocketClass, parts: tuple[type[HookedSocket], ...]) -> type[HookedSocket]:
    """The instrumented class of ``bare``.

    The parts come after an application's own subclass of ``zmq.Socket`` and before ``zmq.Socket`` itself, so that what the
    subclass does stays its own and its ``super()`` calls reach us.
    """
    bases: tuple[type, ...] = (*parts, zmq.Socket) if bare is zmq.Socket else (bare, *parts)
    namespace: dict[str, Any] = {
        "__module__": bare.__module__,
        "__qualname__": bare.__qualname__,
        "__doc__": bare.__doc__,
        "_hopwatch_bare": bare,
        "_hopwatch_parts": parts,
        "_hopwatch_direct": bare.recv is zmq.Socket.recv and bare.getsockopt is zmq.Socket.getsockopt,
    }
    if "_repr_cls" in bare.__dict__:
        namespace["_repr_cls"] = bare.__dict__["_repr_cls"]
    return cast(type[HookedSocket], type(bare.__name__, bases, namespace))


def exchange(socket: HookedSocket, old: type[HookedSocket], new: type[HookedSocket] | None) -> None:
    """Give a socket another way to send or receive, or take one away."""
    current = type(socket)
    parts = tuple(new if part is old else part for part in current._hopwatch_parts)
    kept = tuple(part for part in parts if part is not None)
    socket.__class__ = instrumented(current._hopwatch_bare, kept)
