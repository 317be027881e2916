"""What monitors may take of the descriptors of a process, of the sockets of a context, and of its time: what the application can spare.

Each monitor takes two of both. A tenth is the application's alone: where less than that is left, no further socket is watched, and monitors that
there are already are given up, the newest first. A monitor costs more than a socket does: where sockets come and go by the dozen, new ones get none.
"""

from __future__ import annotations

import os
import resource
import time
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Any, Protocol

import zmq
from zmq.backend import Socket as BackendSocket

OF_A_MONITOR = 2
SHARE = 10
LEAST = 8
"""What a thread may open before ours comes to give up anything."""
MANY = 1 << 30
DESCRIPTORS = "/proc/self/fd"

SHORT_LIFE = 1.0
MOST_SHORT_LIVES = 50
SHORT_LIVES_A_SECOND = 10
"""So many are watched as they come; those that were closed within a second (s) count, whether they were watched or not."""

NO_ROOM = "fewer than a tenth of the descriptors that the process may open, or of the sockets that the context may have, were left"
TOO_SHORT_LIVED = f"more than {SHORT_LIVES_A_SECOND} sockets a second were closed within a second"


class Monitor(Protocol):
    """One socket's monitor; ``context``: the address of its context."""

    @property
    def context(self) -> int:
        """The address of the context that it takes two sockets of."""


class Room:
    """The monitors of one process, the newest last, and whether there is room for more; ``told``: for want of what there was none, each a finding."""

    def __init__(self) -> None:
        self._monitors: dict[Any, int] = {}
        self._of_context: Counter[int] = Counter()
        self._short_lives, self._as_of = 0.0, time.monotonic()
        self.told: set[str] = set()

    @property
    def watched(self) -> int:
        """How many there are."""
        return len(self._monitors)

    def entered(self, monitor: Monitor) -> None:
        """There is this one more."""
        self._monitors[monitor] = monitor.context
        self._of_context[monitor.context] += 1

    def left(self, monitor: Monitor) -> None:
        """It is there no more."""
        context = self._monitors.pop(monitor, None)
        if context is not None:
            self._of_context[context] -= 1

    def refusal(self, context: zmq.Context[Any]) -> str | None:
        """Why a socket of this context cannot be watched; None: it can."""
        if self._recent_short_lives() >= MOST_SHORT_LIVES:
            return TOO_SHORT_LIVED
        sockets = self._spare_sockets(context) - _margin(int(context.get(zmq.MAX_SOCKETS)))
        descriptors = spare_descriptors() - _margin(_most_descriptors())
        return None if min(sockets, descriptors) >= OF_A_MONITOR else NO_ROOM

    def lived(self, seconds: float) -> None:
        """A socket was closed so long after it was first bound or connected."""
        if seconds < SHORT_LIFE:
            self._short_lives = min(self._recent_short_lives() + 1, 2 * MOST_SHORT_LIVES)

    def _recent_short_lives(self) -> float:
        now = time.monotonic()
        self._short_lives = max(self._short_lives - (now - self._as_of) * SHORT_LIVES_A_SECOND, 0.0)
        self._as_of = now
        return self._short_lives

    def may_be_short(self, made: zmq.Socket[Any]) -> bool:
        """Whether the application may be into what is its alone, by a socket that was just made: its descriptor had the lowest number that was free.

        No other thread gets a turn by this question.
        """
        if not self._monitors or made.context is None:  # what a shadow stands for was made before
            return False
        limit = _most_descriptors()
        return _number_of(made) >= limit - kept(limit) or self._spare_sockets(made.context) < 0

    def to_give_up(self, context: zmq.Context[Any] | None) -> list[Any]:
        """The monitors without which the application has what is its alone, as far as they go; ``context``: where it makes sockets."""
        newest = list(self._monitors)[::-1]
        chosen = dict.fromkeys(_first(newest, spare_descriptors(), _most_descriptors()))
        if context is not None:
            address = int(context.underlying)
            of_context = [each for each in newest if each.context == address]
            spare, limit = self._spare_sockets(context), int(context.get(zmq.MAX_SOCKETS))
            chosen.update(dict.fromkeys(_first(of_context, spare, limit)))
        return list(chosen)

    def _spare_sockets(self, context: zmq.Context[Any]) -> int:
        limit = int(context.get(zmq.MAX_SOCKETS))
        theirs = len(getattr(context, "_sockets", ()))
        ours = OF_A_MONITOR * self._of_context[int(context.underlying)]
        return limit - theirs - ours - kept(limit)


def kept(limit: int) -> int:
    """How many of so many are the application's alone."""
    return max(limit // SHARE, LEAST)


def _margin(limit: int) -> int:
    """How many more are given up than are lacking, and not taken again: each time that any are given up somebody has to wait."""
    return kept(limit) // 2


def spare_descriptors() -> int:
    """How many the process may open before it comes to those that are the application's alone; below 0: of these so many are taken."""
    limit = _most_descriptors()
    return limit - _open_descriptors(limit) - kept(limit)


def _most_descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MANY if soft == resource.RLIM_INFINITY else soft


def _open_descriptors(limit: int) -> int:
    """How many there are: of so many, all, where that cannot be seen."""
    try:
        # the folder's size says it since Linux 6.2; to list it takes one more
        return os.stat(DESCRIPTORS).st_size or len(os.listdir(DESCRIPTORS))  # noqa: PTH116, PTH208 -- for each socket
    except OSError:
        return limit


def _number_of(socket: zmq.Socket[Any]) -> int:
    try:
        return int(BackendSocket.get(socket, zmq.FD))
    except zmq.ZMQError:  # of a thread-safe socket it is not told
        return 0


def _first(monitors: Iterable[Any], spare: int, limit: int) -> Iterable[Any]:
    enough = 0 if spare >= 0 else -((spare - _margin(limit)) // OF_A_MONITOR)
    return islice(monitors, enough)
