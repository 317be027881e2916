"""The one thread of a process that drains all monitors, at all times: a monitor that nobody reads would block libzmq."""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import zmq

from hopwatch.monitors.watched import Watched

Chore = Callable[[], bool]
"""Something to do several times a second; False when there is nothing more to do."""

CHORE_SECONDS = 0.25
REST_SECONDS = 0.25
PROMPT_WAKES = 200.0
PROMPT_WAKES_A_SECOND = 2.0


@dataclass
class Pace:
    """Wake-ups are prompt as long as they are few: counts that go with a connection are read when it comes up."""

    allowance: float = PROMPT_WAKES
    as_of: float = field(default_factory=time.monotonic)

    def is_prompt(self) -> bool:
        """Count one wake-up; False if there have been too many."""
        now = time.monotonic()
        self.allowance = min(PROMPT_WAKES, self.allowance + (now - self.as_of) * PROMPT_WAKES_A_SECOND)
        self.as_of = now
        self.allowance = max(self.allowance - 1, 0)
        return self.allowance > 0


class MonitorThread:
    """Takes over monitors as they are attached and journals what they tell; starts with the first of them."""

    def __init__(self) -> None:
        self._incoming: queue.SimpleQueue[Watched | Chore] = queue.SimpleQueue()
        self._watched: list[Watched] = []
        self._chores: list[Chore] = []
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._poller = zmq.Poller()
        self._resting = False
        self._start_lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @property
    def watching(self) -> int:
        """How many monitors there are at present."""
        return len(self._watched) + self._incoming.qsize()

    def take(self, work: Watched | Chore) -> None:
        """Hand over a monitor or a chore; the caller must not touch it any more. Raises RuntimeError where no thread can be started."""
        with self._start_lock:
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="hopwatch-monitors", daemon=True)
                thread.start()
                self._thread = thread
        self._incoming.put(work)
        os.write(self._wake_write, b"\0")

    def wake(self) -> None:
        """A monitor is being stopped: its receiving end should not be left open while the thread rests."""
        if self._resting:
            os.write(self._wake_write, b"\0")

    def _run(self) -> None:
        next_chore = time.monotonic()
        pace = Pace()
        self._poller.register(self._wake_read, zmq.POLLIN)
        while True:
            if not pace.is_prompt():
                self._rest()
            ready = self._wait(next_chore - time.monotonic() if self._chores else None)
            self._take_over()
            for watched in ready:
                if not watched.drain():
                    self._watched.remove(watched)
                    self._poller.unregister(watched.pair)
                    watched.close()
            if self._chores and time.monotonic() >= next_chore:
                self._chores = [chore for chore in self._chores if chore()]
                next_chore = time.monotonic() + CHORE_SECONDS

    def _rest(self) -> None:
        """Let events gather, unless a monitor comes or goes."""
        self._resting = True
        select.select([self._wake_read], [], [], REST_SECONDS)
        self._resting = False

    def _wait(self, seconds: float | None) -> list[Watched]:
        """Whose monitors have something to tell."""
        try:
            events = dict(self._poller.poll(None if seconds is None else max(0, int(seconds * 1000) + 1)))
        except zmq.ZMQError:
            return (
                self._watched.copy()
            )  # a context is being terminated: draining tells whose, and closes its end
        return [watched for watched in self._watched if watched.pair in events]

    def _take_over(self) -> None:
        try:
            while os.read(self._wake_read, 4096):
                pass
        except BlockingIOError:
            pass
        while not self._incoming.empty():
            work = self._incoming.get()
            if isinstance(work, Watched):
                self._watched.append(work)
                self._poller.register(work.pair, zmq.POLLIN)
            else:
                self._chores.append(work)
