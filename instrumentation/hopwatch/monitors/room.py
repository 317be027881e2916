"""Decides whether the application can spare the descriptors, sockets and time that a monitor takes.

A monitor takes two descriptors and two of its context's sockets. A tenth of both is reserved for the application. While less is free,
no further socket gets a monitor, and the newest monitors are given up. A monitor also costs more time than a short-lived socket, so
an application that opens and closes many sockets a second gets none for the new ones.
"""

import os
import resource
import time
from collections import Counter
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import finding
from hopwatch.monitors.watched import Watched
from hopwatch.native_threads import original
from hopwatch.sockets.hooks import stop_monitor
from hopwatch.sockets.state import Guard, SocketState

OF_A_MONITOR = 2
SHARE = 10
LEAST = 8
"""Reserve of a small limit: the application may open so many before our thread runs."""
MANY = 1 << 30
DESCRIPTORS = "/proc/self/fd"

SHORT_LIFE = 1.0
MOST_SHORT_LIVES = 50
SHORT_LIVES_A_SECOND = 10
"""A socket that is closed within ``SHORT_LIFE`` seconds counts as short-lived, with or without a monitor."""

LONGEST_WAIT = 0.25

NO_ROOM = "fewer than a tenth of the descriptors that the process may open, or of the sockets that the context may have, were left"
TOO_SHORT_LIVED = f"more than {SHORT_LIVES_A_SECOND} sockets a second were closed within a second"


class Room:
    """The monitors of one process, the newest last, and the contexts whose sockets they take."""

    def __init__(self) -> None:
        self._monitors: dict[Watched, int] = {}
        self._of_context: Counter[int] = Counter()
        self._short_lives, self._as_of = 0.0, time.monotonic()
        self._told: set[str] = set()

    @property
    def watched(self) -> int:
        """The number of monitors."""
        return len(self._monitors)

    def entered(self, monitor: Watched) -> None:
        """Add a monitor."""
        self._monitors[monitor] = monitor.context
        self._of_context[monitor.context] += 1

    def left(self, monitor: Watched) -> None:
        """Remove a monitor."""
        context = self._monitors.pop(monitor, None)
        if context is not None:
            self._of_context[context] -= 1

    def refusal(self, context: zmq.Context[Any]) -> str | None:
        """Return why a socket of this context cannot get a monitor, or None."""
        if self._recent_short_lives() >= MOST_SHORT_LIVES:
            return TOO_SHORT_LIVED
        sockets = self._spare_sockets(context) - _margin(int(context.get(zmq.MAX_SOCKETS)))
        descriptors = spare_descriptors() - _margin(_most_descriptors())
        return None if min(sockets, descriptors) >= OF_A_MONITOR else NO_ROOM

    def lived(self, seconds: float) -> None:
        """Record the life of a closed socket, in seconds from its first bind or connect."""
        if seconds < SHORT_LIFE:
            self._short_lives = min(self._recent_short_lives() + 1, 2 * MOST_SHORT_LIVES)

    def _recent_short_lives(self) -> float:
        now = time.monotonic()
        self._short_lives = max(self._short_lives - (now - self._as_of) * SHORT_LIVES_A_SECOND, 0.0)
        self._as_of = now
        return self._short_lives

    def may_be_short(self, made: zmq.Socket[Any]) -> bool:
        """Estimate from a new socket whether the application uses its reserve: the kernel gave it the lowest free descriptor number.

        Holds the interpreter lock throughout.
        """
        if not self._monitors or made.context is None:  # a shadow is no new socket
            return False
        limit = _most_descriptors()
        return _number_of(made) >= limit - _kept(limit) or self._spare_sockets(made.context) < 0

    def leave_unwatched(self, state: SocketState, reason: str) -> None:
        """Record that the socket has no monitor. The first such socket of a process gets a finding with the reason."""
        state.note("monitor", state="stopped")
        if reason not in self._told:
            self._told.add(reason)
            state.find(finding.not_watched(reason))

    def give_up(self, context: zmq.Context[Any] | None) -> list[Watched]:
        """Detach as many monitors as the application needs room for, and return them. The monitor thread closes their receiving ends."""
        monitors = self._to_give_up(context)
        for watched in monitors:
            with Guard(watched.state):
                for member in watched.state.members:
                    stop_monitor(member, watched.state)
                self.leave_unwatched(watched.state, NO_ROOM)
        return monitors

    def _to_give_up(self, context: zmq.Context[Any] | None) -> list[Watched]:
        """Return the newest monitors, as many as free the reserve again: of descriptors, and of this context's sockets."""
        newest = list(self._monitors.items())[::-1]
        chosen = [watched for watched, _ in newest[: _enough(spare_descriptors(), _most_descriptors())]]
        if context is not None:
            address = int(context.underlying)
            of_context = [watched for watched, taken_of in newest if taken_of == address]
            enough = _enough(self._spare_sockets(context), int(context.get(zmq.MAX_SOCKETS)))
            chosen += [watched for watched in of_context[:enough] if watched not in chosen]
        return chosen

    def _spare_sockets(self, context: zmq.Context[Any]) -> int:
        limit = int(context.get(zmq.MAX_SOCKETS))
        theirs = len(getattr(context, "_sockets", ()))
        ours = OF_A_MONITOR * self._of_context[int(context.underlying)]
        return limit - theirs - ours - _kept(limit)


def _kept(limit: int) -> int:
    """Return the application's reserve of a limit."""
    return max(limit // SHARE, LEAST)


def _margin(limit: int) -> int:
    """Return how much is freed beyond the reserve, so that the application does not wait with every further socket."""
    return _kept(limit) // 2


def spare_descriptors() -> int:
    """Return how many descriptors are free beyond the reserve; negative while the application uses its reserve."""
    limit = _most_descriptors()
    return limit - _open_descriptors(limit) - _kept(limit)


def _most_descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MANY if soft == resource.RLIM_INFINITY else soft


def _open_descriptors(limit: int) -> int:
    """Return the number of open descriptors, or the limit if it cannot be read."""
    try:
        # Linux 6.2 and later give the number as the folder's size; listing the folder takes a descriptor
        return os.stat(DESCRIPTORS).st_size or len(os.listdir(DESCRIPTORS))  # noqa: PTH116, PTH208 -- for each socket
    except OSError:
        return limit


def _number_of(socket: zmq.Socket[Any]) -> int:
    try:
        return int(BackendSocket.get(socket, zmq.FD))
    except (zmq.ZMQError, RuntimeError):  # libzmq refuses ZMQ_FD of thread-safe sockets, and so does pyzmq
        return 0


def _enough(spare: int, limit: int) -> int:
    """Return how many monitors to give up where so much is spare of a limit."""
    return 0 if spare >= 0 else -((spare - _margin(limit)) // OF_A_MONITOR)


def wait_until_gone(monitors: list[Watched]) -> None:
    """Wait until libzmq has freed what the monitors took, at most ``LONGEST_WAIT`` seconds."""
    until = time.monotonic() + LONGEST_WAIT
    while any(watched.takes_anything for watched in monitors) and time.monotonic() < until:
        original(time, "sleep")(0.001)
