"""The counts that libzmq keeps of a running proxy, asked for again and again while it is at work."""

from __future__ import annotations

import time

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.descriptors import require_descriptors
from hopwatch.monitors.pace import LONGEST_PAUSE, SHORTEST_PAUSE
from hopwatch.native_threads import lock
from hopwatch.own_socket import OwnSocket
from hopwatch.proxy_rest import Rest
from hopwatch.sockets.state import SocketState
from hopwatch.words import (
    PROXIED_AT,
    PROXIED_IN_BYTES,
    PROXIED_IN_FRAMES,
    PROXIED_OUT_BYTES,
    PROXIED_OUT_FRAMES,
)

COUNTED = (PROXIED_IN_FRAMES, PROXIED_IN_BYTES, PROXIED_OUT_FRAMES, PROXIED_OUT_BYTES)
"""The order in which STATISTICS gives the counts of one side."""

DONTWAIT = int(zmq.DONTWAIT)

ANSWERED_WITHIN = 0.005
"""Seconds after which answers are looked for: those of all proxies in one wake-up."""

ADDRESS = "inproc://statistics"

INTERRUPTED = (
    "a signal interrupted the proxy, which counts anew since then: some of what passed before is in no count"
)


class ProxyCounts:
    """A chore of the monitor thread: keeps a proxy's counts in the slots of its two sockets.

    The sockets that it takes are of a context of our own, which the application's does not see. Nothing is asked until the proxy is told of (``begun``).
    """

    def __init__(self, front: SocketState, back: SocketState) -> None:
        """For the thread that will be the proxy's. Raises OSError and ZMQError where descriptors are too few for a context."""
        require_descriptors()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        try:
            self.control = self._socket(zmq.REP)
            self.control.bind(ADDRESS)
            self.socket = self._socket(zmq.REQ)
            self.socket.connect(ADDRESS)
        except zmq.ZMQError:
            self._context.destroy(linger=0)
            raise
        self._sides = (front, back)
        self.begun = False
        self._asked_at: int | None = None
        self._told = [0] * 2 * len(COUNTED)
        self._before_interruptions = [0] * 2 * len(COUNTED)
        self._interrupted = False
        self._rest = Rest()
        self._pause = SHORTEST_PAUSE
        self._kept_at: int | None = None
        self._lock = lock()
        self._over = False

    @property
    def over(self) -> bool:
        """Whether all that was its own is closed."""
        return self.socket.closed

    def run(self) -> float | None:
        """Take the answer if there is one, or else ask; ever more seldom while nothing passes, and not at all while the proxy sleeps."""
        if self._over:
            self.socket.close()
            self._context.term()
            return None
        if not self.begun:
            return SHORTEST_PAUSE
        if self._asked_at is None:
            return self._look_at_rest() or self._ask()
        told = self._answer()
        if told is None:
            return SHORTEST_PAUSE
        asked_at, self._asked_at = self._asked_at, None
        anew = told != self._told
        self._rest.answered(anew=anew)
        self._take(told)
        self._keep(asked_at)
        self._pause = SHORTEST_PAUSE if anew else min(2 * self._pause, LONGEST_PAUSE)
        return self._pause

    def _look_at_rest(self) -> float | None:
        """While it rests, its counts are those of now."""
        now = time.time_ns()
        if not self._rest.lasts():
            return None
        self._keep(now)
        return LONGEST_PAUSE

    def end(self) -> dict[str, object]:
        """The proxy has ended: nothing is kept from here on, so that its sockets' slots may be given back. What was kept last."""
        with self._lock:
            self._over = True
        self.control.close()
        front, back = ([side.slot.words[word] for word in COUNTED] for side in self._sides)
        return {"frontend_counts": front, "backend_counts": back, "counted_at": self._kept_at}

    def abandon(self) -> None:
        """Close everything, where the monitor thread has not taken this over."""
        self._context.destroy(linger=0)

    def _ask(self) -> float:
        asked_at = time.time_ns()
        self._rest.ask()
        try:
            BackendSocket.send(self.socket, b"STATISTICS", DONTWAIT)
        except zmq.Again:
            return LONGEST_PAUSE
        self._asked_at = asked_at
        return ANSWERED_WITHIN

    def _answer(self) -> list[int] | None:
        """By the bare calls, which take half the time: there may be dozens of proxies."""
        try:
            parts = [BackendSocket.recv(self.socket, DONTWAIT) for _ in range(2 * len(COUNTED))]
        except zmq.Again:
            return None
        return [int.from_bytes(part, "little") for part in parts]

    def _take(self, told: list[int]) -> None:
        """After a signal pyzmq runs its handler and begins the proxy anew, and its counts with it."""
        if any(now < before for now, before in zip(told, self._told, strict=True)):
            self._before_interruptions = self._totals()
            self._tell_of_interruption()
        self._told = told

    def _totals(self) -> list[int]:
        return [before + now for before, now in zip(self._before_interruptions, self._told, strict=True)]

    def _tell_of_interruption(self) -> None:
        """Once: the socket's counts are too low for good."""
        if not self._interrupted:
            self._interrupted = True
            for side in self._sides:
                side.event("fault", text=INTERRUPTED)

    def _keep(self, as_of: int) -> None:
        with self._lock:
            if self._over:
                return
            totals = self._totals()
            for side, values in zip(self._sides, (totals[:4], totals[4:]), strict=True):
                words = side.slot.words
                for word, value in zip(COUNTED, values, strict=True):
                    words[word] = value
                words[PROXIED_AT] = as_of
            self._kept_at = as_of

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind, OwnSocket)
        socket.setsockopt(zmq.LINGER, 0)
        return socket
