"""Handle sockets that pyzmq has just made: adopt shadows, and wrap new sockets for ``install``.

A shadow is a further object for a wrapped socket. pyzmq makes one for ``zmq.Socket(socket)``,
``zmq.Socket.shadow(address)`` and ``zmq.asyncio.Socket(socket)``. Its asynchronous Poller makes one of each
synchronous socket. While a socket is wrapped, the ``__init__`` of pyzmq's sockets is ours.
"""

import functools
import sys
import weakref
from collections.abc import Callable
from typing import Any

import zmq

from hopwatch.own_socket import OwnSocket
from hopwatch.patches import Patches
from hopwatch.sockets.hooks import IN_MAKING, HookedSocket
from hopwatch.sockets.standing import ASYNCHRONOUS, AnySocket, address_of, adopt, is_asynchronous, worker_of
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.while_wrapped import WhileWrapped


class Making:
    """Replaces ``__init__``, and knows the wrapped sockets by address."""

    def __init__(self) -> None:
        self._wrap: Callable[[AnySocket], None] | None = None
        self._by_address: weakref.WeakValueDictionary[int, HookedSocket] = weakref.WeakValueDictionary()
        self._patches = Patches()
        self._needed = WhileWrapped(self._put_in_place, self._put_back)

    def wrap_all(self, wrap: Callable[[AnySocket], None] | None) -> None:
        """Call this for each new socket; None ends it."""
        self._wrap = wrap
        self._needed.keep(wrap is not None)

    def know(self, socket: HookedSocket) -> None:
        """Adopt the shadows of this socket from now on; it has just been instrumented."""
        self._needed.need(socket)
        self._by_address[address_of(socket)] = socket

    def state_of(self, socket: AnySocket) -> SocketState | None:
        """Return the state of a socket that is instrumented already, as this object or another; or None."""
        for known in (worker_of(socket), self._by_address.get(address_of(socket))):
            state: SocketState | None = None if known is None else vars(known).get("_hopwatch")
            if state is not None and not state.closed:
                return state
        return None

    def _put_in_place(self) -> None:
        base: Any = zmq.Socket

        def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807
            super(base, cls).__init_subclass__(**kwargs)
            if (cls.__module__, cls.__qualname__) == (ASYNCHRONOUS, "_AsyncSocket"):
                self._look_after(cls)

        self._look_after(base)
        asynchronous = getattr(sys.modules.get(ASYNCHRONOUS), "_AsyncSocket", None)
        if asynchronous is not None:
            self._look_after(asynchronous)
        else:  # the class is loaded with the first such socket, perhaps much later
            self._patches.replace(base, "__init_subclass__", classmethod(__init_subclass__))

    def _put_back(self) -> None:
        self._patches.undo()
        self._by_address.clear()

    def _look_after(self, cls: Any) -> None:
        """Handle each socket at the end of this class's ``__init__``."""
        bare_init = vars(cls)["__init__"]

        @functools.wraps(bare_init)
        def __init__(socket: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            IN_MAKING.depth += 1
            try:
                bare_init(socket, *args, **kwargs)
            finally:
                IN_MAKING.depth -= 1
            self._made(socket, cls)

        self._patches.replace(cls, "__init__", __init__)

    def _made(self, socket: AnySocket, by: type) -> None:
        """Adopt or wrap a socket after the ``__init__`` of this class."""
        if isinstance(socket, OwnSocket) or "_hopwatch" in vars(socket):
            return
        unfinished = by is zmq.Socket and is_asynchronous(socket)  # ``_AsyncSocket.__init__`` goes on
        wrap = self._wrap
        if not socket._shadow:
            self._by_address.pop(address_of(socket), None)  # its last owner was closed past us
            if wrap is not None and not unfinished:
                wrap(socket)
        elif not unfinished and (state := self.state_of(socket)) is not None:
            with Guard(state):
                adopt(socket, state)


PROCESS = Making()
