"""The one thread of a process that drains all monitors, at all times: a monitor that nobody reads would block libzmq."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable

import zmq

from hopwatch.monitors.watched import Watched
from hopwatch.native_threads import lock, start

Chore = Callable[[], bool]
"""Something to do several times a second; False when there is nothing more to do."""

CHORE_SECONDS = 0.25


class MonitorThread:
    """Takes over monitors as they are attached and journals what they tell; starts with the first of them."""

    def __init__(self) -> None:
        self._incoming: deque[Watched | Chore] = deque()
        self._watched: list[Watched] = []
        self._chores: list[Chore] = []
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._start_lock = lock()
        self._started = False

    @property
    def watching(self) -> int:
        """How many monitors there are at present."""
        return len(self._watched) + len(self._incoming)

    def take(self, work: Watched | Chore) -> None:
        """Hand over a monitor or a chore; the caller must not touch it any more. Raises RuntimeError where no thread can be started."""
        with self._start_lock:
            if not self._started:
                start(self._run, name="hopwatch-monitors")
                self._started = True
        self._incoming.append(work)
        os.write(self._wake_write, b"\0")

    def _run(self) -> None:
        next_chore = time.monotonic()
        while True:
            self._wait(next_chore - time.monotonic() if self._chores else None)
            self._take_over()
            for watched in self._watched.copy():
                if not watched.drain():
                    self._watched.remove(watched)
                    watched.close()
            if self._chores and time.monotonic() >= next_chore:
                self._chores = [chore for chore in self._chores if chore()]
                next_chore = time.monotonic() + CHORE_SECONDS

    def _wait(self, seconds: float | None) -> None:
        poller = zmq.Poller()
        poller.register(self._wake_read, zmq.POLLIN)
        for watched in self._watched:
            poller.register(watched.pair, zmq.POLLIN)
        try:
            poller.poll(None if seconds is None else max(0, int(seconds * 1000) + 1))
        except zmq.ZMQError:
            return  # a context is being terminated: draining tells whose, and closes its end

    def _take_over(self) -> None:
        try:
            while os.read(self._wake_read, 4096):
                pass
        except BlockingIOError:
            pass
        while self._incoming:
            work = self._incoming.popleft()
            if isinstance(work, Watched):
                self._watched.append(work)
            else:
                self._chores.append(work)
