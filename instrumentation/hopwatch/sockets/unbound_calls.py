"""Calls past an object's class: ``zmq.Socket.recv(self)`` in a subclass of the application's, where others say ``super().recv()``.

They reach pyzmq's own functions, whatever the class of the socket. Where an application has such a class, ``zmq.Socket`` itself is
given these functions, which send what is for an instrumented socket its way; a stamp would be left to the application otherwise.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FrameType
from typing import Any

import zmq

from hopwatch.patches import Patches
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.sending import CountingSend
from hopwatch.sockets.while_wrapped import WhileWrapped

NAMES = (
    *("send", "recv", "recv_into", "poll", "close"),
    *("set", "setsockopt", "get", "getsockopt"),
    *("bind", "connect", "unbind", "disconnect"),
)


class UnboundCalls:
    """What is put in place of pyzmq's functions, for as long as a wrapped socket of an application's own class is alive."""

    def __init__(self) -> None:
        self._patches = Patches()
        self._needed = WhileWrapped(self._redirect, self._patches.undo)
        self.release = self._needed.release

    def reach(self, socket: HookedSocket) -> None:
        """A socket has just been instrumented."""
        if socket._hopwatch_bare.__module__.partition(".")[0] != "zmq":
            self._needed.need(socket)

    def _redirect(self) -> None:
        for name in NAMES:
            if hasattr(zmq.Socket, name):
                self._patches.replace(zmq.Socket, name, _redirected(name, getattr(zmq.Socket, name)))


def _redirected(name: str, bare: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(bare)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        own = None if _is_called_by_us(inspect.currentframe()) else _own_way(type(self), name)
        return (own or bare)(self, *arguments, **options)

    return call


def _is_called_by_us(call: FrameType | None) -> bool:
    """Whether the instrumented class itself calls, and wants what is next to it."""
    caller = call and call.f_back
    return caller is not None and str(caller.f_globals.get("__name__")).partition(".")[0] == "hopwatch"


def _own_way(cls: type, name: str) -> Callable[..., Any] | None:
    """What an instrumented class does under a name, below the application's own; None where it does nothing."""
    if not issubclass(cls, CountingSend):  # nor does who only stands for one that does the work
        return None
    bare = cls._hopwatch_bare.__mro__
    applications = bare[: bare.index(zmq.Socket)]
    below = cls.__mro__[cls.__mro__.index(applications[-1]) + 1 :] if applications else cls.__mro__
    found = next(vars(part)[name] for part in below if name in vars(part))
    return None if found is vars(zmq.Socket).get(name) else found


PROCESS = UnboundCalls()
