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
"""By process: a fork may copy a lock that another thread holds."""


class WhileWrapped:
    """Calls ``put_in_place`` at the first need, ``put_back`` when ``unwrap`` or ``uninstall`` ends the last.

    Closing the last socket puts nothing back. The next one may follow at once, and Python stops caching the
    attributes of a class that changes often.
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
        """Keep it in place even if no socket needs it, or stop keeping it."""
        with _lock():
            self._kept = kept
            self.settle()

    def settle(self) -> None:
        """Put it in place or back if the need has changed. The caller holds the lock."""
        needed = self._kept or any(map(_is_open, self._sockets))
        if needed != self._in_place:
            self._in_place = needed
            (self._put_in_place if needed else self._put_back)()


def release() -> None:
    """Put back everything that no socket needs any more; some have become bare again."""
    with _lock():
        for each in _ALL:
            each.settle()


def _is_open(socket: zmq.Socket[Any]) -> bool:
    """Return whether it is wrapped and open; pyzmq takes it for open too if a new socket has its address."""
    state = vars(socket).get("_hopwatch")
    return state is not None and not state.closed and not socket.closed


def _lock() -> Lock:
    return _LOCKS.setdefault(os.getpid(), reentrant_lock())
