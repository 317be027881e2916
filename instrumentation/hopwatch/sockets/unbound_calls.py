"""Calls past an object's class: ``zmq.Socket.recv(self)`` in a subclass of the application's, where others say ``super().recv()``.

They reach pyzmq's own functions, whatever the class of the socket. Where an application has such a class, ``zmq.Socket`` itself is
given these functions, which send what is for an instrumented socket its way; a stamp would be left to the application otherwise.
"""

import functools
from collections.abc import Callable
from typing import Any

import zmq

from hopwatch.patches import Patches
from hopwatch.sockets.backend import BARE
from hopwatch.sockets.classes import MOST_KEPT
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.while_wrapped import WhileWrapped
from hopwatch.sockets.worker import Worker

NAMES = (
    *("send", "recv", "recv_into", "poll", "close"),
    *("set", "setsockopt", "get", "getsockopt"),
    *("bind", "connect", "unbind", "disconnect"),
)


class UnboundCalls:
    """What is put in place of pyzmq's functions, for as long as a wrapped socket of an application's own class is alive."""

    def __init__(self) -> None:
        self._patches = Patches()
        self._needed = WhileWrapped(self._redirect, self._put_back)

    def reach(self, socket: HookedSocket) -> None:
        """A socket has just been instrumented."""
        if socket._hopwatch_bare.__module__.partition(".")[0] != "zmq":
            self._needed.need(socket)

    def _redirect(self) -> None:
        for name in NAMES:
            if hasattr(zmq.Socket, name):
                bare = vars(BARE)[name] = getattr(zmq.Socket, name)
                self._patches.replace(zmq.Socket, name, _redirected(name, bare))

    def _put_back(self) -> None:
        self._patches.undo()
        vars(BARE).clear()


def _redirected(name: str, bare: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(bare)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        own = None  # also if somebody kept this function from an earlier redirection
        if isinstance(self, Worker) and vars(BARE).get(name) is bare:
            own = _own_way(type(self), name)
        return (own or bare)(self, *arguments, **options)

    return call


def _find_own_way(cls: type[Worker], name: str) -> Callable[..., Any] | None:
    """What an instrumented class does under a name, below the application's own; None where it does nothing."""
    bare, ours = cls._hopwatch_bare.__mro__, cls.__mro__
    applications = bare[: bare.index(zmq.Socket)]
    first = ours.index(applications[-1]) + 1 if applications else 0
    below = ours[first : ours.index(zmq.Socket)]
    return next((vars(part)[name] for part in below if name in vars(part)), None)


_own_way: Callable[..., Callable[..., Any] | None] = functools.lru_cache(MOST_KEPT)(_find_own_way)

PROCESS = UnboundCalls()
