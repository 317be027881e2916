"""The class that a socket gets: its own, with instrumented ways to send and receive put below it."""

from typing import Any, cast

import zmq

from hopwatch.sockets.hooks import HookedSocket

SocketClass = type["zmq.Socket[bytes]"]


class Unannounced:
    """Comes first among a class's bases: ``__init_subclass__`` of an application's own class does not hear of ours."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Tell nobody."""


def instrumented(
    bare: SocketClass, parts: tuple[type[HookedSocket], ...], methods: dict[str, Any]
) -> type[HookedSocket]:
    """The instrumented class of one socket: ``methods`` are its own, made for its counters.

    The parts come after an application's own subclass of ``zmq.Socket`` and before ``zmq.Socket`` itself, so that what the
    subclass does stays its own and its ``super()`` calls reach us.
    """
    namespace: dict[str, Any] = {
        "__module__": bare.__module__,
        "__qualname__": bare.__qualname__,
        "__doc__": bare.__doc__,
        "_hopwatch_bare": bare,
        "_hopwatch_parts": parts,
        "_hopwatch_methods": methods,
        "_hopwatch_direct": bare.recv is zmq.Socket.recv and bare.getsockopt is zmq.Socket.getsockopt,
    }
    if "_repr_cls" in bare.__dict__:
        namespace["_repr_cls"] = bare.__dict__["_repr_cls"]
    if bare is zmq.Socket:
        return cast(type[HookedSocket], type(bare.__name__, (*parts, zmq.Socket), {**namespace, **methods}))
    below = type(bare.__name__, parts, methods)
    return cast(type[HookedSocket], type(bare.__name__, (Unannounced, bare, below), namespace))


def exchange(
    socket: HookedSocket,
    old: type[HookedSocket],
    new: type[HookedSocket],
    methods: dict[str, Any] | None = None,
) -> None:
    """Give a socket another way to send or receive, and the methods made for that."""
    current = type(socket)
    parts = tuple(new if part is old else part for part in current._hopwatch_parts)
    socket.__class__ = instrumented(
        current._hopwatch_bare, parts, {**current._hopwatch_methods, **(methods or {})}
    )
