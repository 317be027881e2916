"""``install`` and ``uninstall``: every pyzmq socket made from then on is wrapped, and every ``zmq.proxy`` of such sockets counted."""

import logging
import sys
from collections.abc import Callable
from typing import Any

import zmq

from hopwatch.alive import Alive
from hopwatch.assembling import Wish, wish_of
from hopwatch.errors import HopwatchError
from hopwatch.instrument import PROCESS as INSTRUMENTS
from hopwatch.proxying import put_back, put_in_place
from hopwatch.settings import Settings, from_environment
from hopwatch.sockets import making, polls, while_wrapped
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.wrapping import make_bare, wrap_as_wished

logger = logging.getLogger("hopwatch")


class Installation:
    """What is installed in this process, and which sockets were wrapped by it."""

    def __init__(self) -> None:
        self._wish: Callable[[Settings], Wish] | None = None
        self._wished: tuple[Settings, Wish] | None = None
        self._wrapped: Alive[zmq.Socket[bytes]] = Alive()

    def install(self, *, sequence: Any = None, stamp_every: int = 1, topic: object = None) -> None:
        """Wrap every pyzmq socket that is made from now on, with these arguments (see ``wrap``).

        An explicit ``wrap`` of such a socket takes the place of this one. Called again, it changes the arguments for the sockets to come.
        Raises UsageError for arguments that it cannot use.
        """

        def wish(settings: Settings) -> Wish:
            return wish_of(settings, None, sequence, stamp_every, topic)

        wish(from_environment())
        if self._wish is None:
            making.PROCESS.wrap_all(self._wrap)
            put_in_place()
        self._wish, self._wished = wish, None

    def uninstall(self) -> None:
        """Undo ``install``: sockets made from now on are bare, and those that it wrapped are so again.

        A thread that uses such a socket at this moment goes on undisturbed.
        """
        self._wish = None
        put_back()
        for socket in self._wrapped:
            if isinstance(socket, HookedSocket) and socket._hopwatch.by_install:
                make_bare(socket)
        self._wrapped = Alive()
        making.PROCESS.wrap_all(None)
        polls.PROCESS.look_no_more()
        while_wrapped.release()
        INSTRUMENTS.rest()

    def _wrap(self, socket: zmq.Socket[bytes]) -> None:
        """Wrap a new socket."""
        wish = self._wish
        if wish is None or _frees_buffers(socket):
            return
        try:
            settings = from_environment()
            if self._wished is None or self._wished[0] is not settings:
                self._wished = settings, wish(settings)
            wrap_as_wished(socket, self._wished[1], settings, by_install=True)
        except (HopwatchError, OSError) as error:  # an unusable environment
            logger.warning("hopwatch leaves %r bare: %s", socket, error)
            return
        self._wrapped.add(socket)


def _frees_buffers(socket: zmq.Socket[bytes]) -> bool:
    """Return whether pyzmq frees ``copy=False`` buffers by this socket; such sockets share a context."""
    collector = getattr(sys.modules.get("zmq.utils.garbage"), "gc", None)
    return socket.context is getattr(collector, "_context", None)


PROCESS = Installation()

install, uninstall = PROCESS.install, PROCESS.uninstall
