"""What is put in place of pyzmq's own for the sake of some sockets, for as long as one of them is wrapped."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import zmq

from hopwatch.alive import Alive
from hopwatch.native_threads import Lock, reentrant_lock
from hopwatch.sockets.hooks import HookedSocket

_ALL: list[WhileWrapped] = []

_LOCKS: dict[int, Lock] = {}
"""By process: another thread of a forked child's parent may have held the parent's."""


class WhileWrapped:
    """``put_in_place`` is called once it is needed, ``put_back`` once ``unwrap`` or ``uninstall`` leaves nobody who needs it.

    Closing the last socket puts nothing back: another may follow at once, and Python gives up caching a class that changes often.
    """

    def __init__(self, put_in_place: Callable[[], None], put_back: Callable[[], None]) -> None:
        self._put_in_place, self._put_back = put_in_place, put_back
        self._sockets: Alive[zmq.Socket[Any]] = Alive()
        self._kept = self._in_place = False
        _ALL.append(self)

    def need(self, socket: HookedSocket) -> None:
        """Put it in place for the sake of this socket."""
        with _lock():
            self._sockets.add(socket)
            if not self._in_place:
                self.settle()

    def keep(self, kept: bool) -> None:
        """Keep it in place whether a socket needs it or not, or no longer."""
        with _lock():
            self._kept = kept
            self.settle()

    def settle(self) -> None:
        """Put it in place, or back, where what is needed has changed. The lock is held."""
        needed = self._kept or any(map(_is_open, self._sockets))
        if needed != self._in_place:
            self._in_place = needed
            (self._put_in_place if needed else self._put_back)()


def release() -> None:
    """Put back what no socket needs any more, now that some have become bare again."""
    with _lock():
        for each in _ALL:
            each.settle()


def _is_open(socket: zmq.Socket[Any]) -> bool:
    """Whether it is still wrapped and open; where a new socket has the address of a closed one, pyzmq takes both for open."""
    state = vars(socket).get("_hopwatch")
    return state is not None and not state.closed and not socket.closed


def _lock() -> Lock:
    return _LOCKS.setdefault(os.getpid(), reentrant_lock())
