"""The one thread of a process that drains all monitors, at all times: a monitor that nobody reads blocks libzmq."""

from __future__ import annotations

import logging
import os
import select
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol

import zmq

from hopwatch.journal.journal import Journal
from hopwatch.monitors.watched import Watched
from hopwatch.native_threads import lock, original, start

logger = logging.getLogger("hopwatch")

PAUSE_AFTER_FAULT = 0.25
FAULTS_TOLD = 20

REST_SECONDS = 0.25
POLLIN = select.POLLIN
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


class Chore(Protocol):
    """Something to do again and again, and whenever something has come to its socket."""

    @property
    def socket(self) -> zmq.Socket[bytes]:
        """Where what comes is to be seen to at once."""

    def run(self) -> float | None:
        """Do it; in how many seconds to do it again. None: it is over, and its socket closed."""


class MonitorThread:
    """Takes over monitors as they are attached and journals what they tell; starts with the first of them.

    A fault in one of them is counted, and the others go on.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._incoming: deque[Watched | Chore] = deque()
        self._watched: list[Watched] = []
        self._due: dict[Chore, float] = {}
        self._told: set[str] = set()
        self._poller = zmq.Poller()
        self._pace = Pace()
        self._resting = False
        self._wake_read = self._wake_write = -1
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
                self._open_wake()
                start(self._run, name="hopwatch-monitors")
                self._started = True
        self._incoming.append(work)
        self._wake()

    def wake(self) -> None:
        """A monitor is being stopped: its receiving end should not be left open while the thread rests."""
        if self._resting:
            self._wake()

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # the pipe is full of others that wake it
            os.write(self._wake_write, b"\0")

    def _open_wake(self) -> None:
        if self._wake_read >= 0:
            return
        try:
            self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise RuntimeError(f"no pipe to wake the monitor thread: {error.strerror}") from error
        self._poller.register(self._wake_read, zmq.POLLIN)

    def _run(self) -> None:
        while True:
            faultless = False
            with self._faults_counted():
                self._turn()
                faultless = True
            if not faultless:
                original("time", "sleep")(PAUSE_AFTER_FAULT)

    def _turn(self) -> None:
        ready = self._wait()
        self._take_over()
        told = ready is not None and any(watched.pair in ready for watched in self._watched)
        for watched in self._watched.copy():
            with self._faults_counted():
                if (ready is None or watched.pair in ready) and not watched.drain():
                    self._watched.remove(watched)
                    self._poller.unregister(watched.pair)
                    watched.close()
        for chore, due in list(self._due.items()):
            if (ready and chore.socket in ready) or due <= time.monotonic():
                self._do(chore)
        if told and not self._pace.is_prompt():
            self._rest()

    def _rest(self) -> None:
        """Let events gather, unless a monitor comes or goes, or a chore is due."""
        self._resting = True
        try:
            seconds = min([REST_SECONDS, *(due - time.monotonic() for due in self._due.values())])
            waiting = original("select", "poll")()  # select takes no descriptor from 1024 on
            waiting.register(self._wake_read, POLLIN)
            waiting.poll(max(seconds, 0) * 1000)
        finally:
            self._resting = False

    def _do(self, chore: Chore) -> None:
        self._due[chore] = time.monotonic() + PAUSE_AFTER_FAULT
        with self._faults_counted():
            seconds = chore.run()
            if seconds is not None:
                self._due[chore] = time.monotonic() + seconds
        if chore.socket.closed:
            self._due.pop(chore, None)
            self._poller.unregister(chore.socket)

    def _wait(self) -> set[object] | None:
        """Wait for what comes, or for the first chore that is due; what something has come to. None: not known."""
        seconds = min(self._due.values()) - time.monotonic() if self._due else None
        try:
            events = self._poller.poll(None if seconds is None else max(0, int(seconds * 1000) + 1))
        except zmq.ZMQError:
            return None  # a context is being terminated: draining tells whose, and closes its end
        return {source for source, _ in events}

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
                self._poller.register(work.pair, zmq.POLLIN)
            else:
                self._poller.register(work.socket, zmq.POLLIN)
                self._due[work] = time.monotonic()

    @contextmanager
    def _faults_counted(self) -> Iterator[None]:
        """Without this thread monitors would fill up, and block whoever uses their sockets: nothing may end it."""
        try:
            yield
        except Exception as error:
            logger.debug("a fault in the monitor thread", exc_info=True)
            self._journal.count_fault()
            text = f"monitor thread: {type(error).__name__}: {error}"[:1000]
            if text not in self._told and len(self._told) < FAULTS_TOLD:
                self._told.add(text)
                self._journal.event("fault", text=text)
