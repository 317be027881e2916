"""``install`` and ``uninstall``: every pyzmq socket made from then on is wrapped, and every ``zmq.proxy`` of such sockets counted."""

from __future__ import annotations

import functools
import inspect
import logging
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import zmq

from hopwatch.errors import HopwatchError
from hopwatch.instrument import PROCESS as INSTRUMENTS
from hopwatch.own_socket import OwnSocket
from hopwatch.patches import Patches
from hopwatch.settings import from_environment
from hopwatch.sockets import polls, while_wrapped
from hopwatch.sockets.callers import is_garbage_collector
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.standing import address_of, adopt, worker_of
from hopwatch.sockets.state import Guard
from hopwatch.wishes import wish_of
from hopwatch.wrapping import make_bare, wrap_as_wished
from hopwatch.zmq_functions import put_back, put_in_place

logger = logging.getLogger("hopwatch")

ASYNCIO_MODULE = "zmq._future"
"""Holds the base of all asyncio (and tornado) sockets. Loaded with the first of these, perhaps long after ``install``."""


@dataclass(frozen=True)
class Arguments:
    """What the sockets are to be wrapped with."""

    sequence: Any = None
    stamp_every: int = 1
    topic: object = None


class Installation:
    """What is patched in this process, and which sockets were wrapped by it."""

    def __init__(self) -> None:
        self._patches = Patches()
        self._arguments: Arguments | None = None
        self._wrapped: dict[int, weakref.ref[zmq.Socket[bytes]]] = {}
        self._by_address: weakref.WeakValueDictionary[int, zmq.Socket[bytes]] = weakref.WeakValueDictionary()

    def install(self, arguments: Arguments) -> None:
        """Patch pyzmq; once installed, only the arguments change."""
        if self._arguments is None:
            self._wrap_after(zmq.Socket, lambda socket: not _is_asyncio(socket))
            self._wrap_asyncio()
            put_in_place()
        self._arguments = arguments

    def uninstall(self) -> None:
        """Put pyzmq back as it was, and unwrap the sockets that were wrapped here."""
        self._arguments = None
        self._patches.undo()
        put_back()
        for reference in list(self._wrapped.values()):
            socket = reference()
            if isinstance(socket, HookedSocket) and socket._hopwatch.by_install:
                make_bare(socket)
        self._wrapped.clear()
        self._by_address.clear()
        polls.PROCESS.look_no_more()
        while_wrapped.release()
        INSTRUMENTS.rest()

    def _wrap_after(self, cls: Any, wanted: Callable[[object], bool] = lambda _: True) -> None:
        """Wrap each socket when the ``__init__`` of this class is through with it."""
        bare_init = vars(cls)["__init__"]

        @functools.wraps(bare_init)
        def __init__(socket: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            bare_init(socket, *args, **kwargs)
            if wanted(socket):
                self._made(socket)

        self._patches.replace(cls, "__init__", __init__)

    def _wrap_asyncio(self) -> None:
        """Their ``__init__`` goes on after that of ``zmq.Socket``, so theirs is patched: now, or when their class is made."""
        base: Any = zmq.Socket

        def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807
            super(base, cls).__init_subclass__(**kwargs)
            if (cls.__module__, cls.__qualname__) == (ASYNCIO_MODULE, "_AsyncSocket"):
                self._wrap_after(cls)

        if ASYNCIO_MODULE in sys.modules:
            self._wrap_after(sys.modules[ASYNCIO_MODULE]._AsyncSocket)
        else:
            self._patches.replace(zmq.Socket, "__init_subclass__", classmethod(__init_subclass__))

    def _made(self, socket: zmq.Socket[bytes]) -> None:
        """Wrap a new socket. A shadow is a socket that is known already, as another object."""
        arguments = self._arguments
        if arguments is None or isinstance(socket, OwnSocket | HookedSocket):
            return
        if socket._shadow:
            self._shadow_made(socket)
            return
        if is_garbage_collector(inspect.currentframe()):
            return
        try:
            settings = from_environment()
            wish = wish_of(settings, None, arguments.sequence, arguments.stamp_every, arguments.topic)
            wrap_as_wished(socket, wish, settings, by_install=True)
        except (
            HopwatchError,
            OSError,
        ) as error:  # an environment that cannot be used, or no temporary directory
            logger.warning("hopwatch leaves %r bare: %s", socket, error)
            return
        key, wrapped = id(socket), self._wrapped
        wrapped[key] = weakref.ref(socket, lambda _: wrapped.pop(key, None))
        self._by_address[address_of(socket)] = socket

    def _shadow_made(self, shadow: zmq.Socket[bytes]) -> None:
        """A shadow by address is told from others by that alone; the others have come by the socket, which has seen to them."""
        worker = worker_of(shadow)
        if isinstance(worker, HookedSocket) or "_hopwatch" in worker.__dict__:
            return
        known = self._by_address.get(address_of(shadow))
        if isinstance(known, HookedSocket) and not known._hopwatch.closed:
            with Guard(known._hopwatch):
                adopt(shadow, known._hopwatch)


def _is_asyncio(socket: object) -> bool:
    module = sys.modules.get(ASYNCIO_MODULE)
    return module is not None and isinstance(socket, module._AsyncSocket)


PROCESS = Installation()


def install(*, sequence: Any = None, stamp_every: int = 1, topic: object = None) -> None:
    """Wrap every pyzmq socket that is made from now on, with these arguments (see ``wrap``).

    An explicit ``wrap`` of such a socket takes the place of this one. Called again, it changes the arguments for the sockets to come.
    Raises UsageError for arguments that it cannot use.
    """
    wish_of(from_environment(), None, sequence, stamp_every, topic)
    PROCESS.install(Arguments(sequence, stamp_every, topic))


def uninstall() -> None:
    """Undo ``install``: sockets made from now on are bare, and those that it wrapped are so again.

    A thread that uses such a socket at this moment goes on undisturbed.
    """
    PROCESS.uninstall()
