"""What is put in place of pyzmq's own for the sake of some sockets, for as long as one of them is wrapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import zmq

from hopwatch.alive import Alive
from hopwatch.sockets.hooks import HookedSocket


class WhileWrapped:
    """``put_in_place`` is called for the first socket that needs it, ``put_back`` once none does any more."""

    def __init__(self, put_in_place: Callable[[], None], put_back: Callable[[], None]) -> None:
        self._put_in_place, self._put_back = put_in_place, put_back
        self._sockets: Alive[zmq.Socket[Any]] = Alive()
        self._in_place = False

    def need(self, socket: HookedSocket) -> None:
        """For the sake of this socket."""
        self._sockets.add(socket)
        if not self._in_place:
            self._in_place = True
            self._put_in_place()

    def release(self) -> None:
        """A socket has become bare again."""
        if self._in_place and not any(
            isinstance(socket, HookedSocket) and not socket.closed for socket in self._sockets
        ):
            self._in_place = False
            self._put_back()
