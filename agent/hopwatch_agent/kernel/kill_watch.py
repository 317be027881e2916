"""How many processes of some cgroups were killed for memory, read as soon as the kernel says that something has changed.

A container's cgroup is gone a moment after its processes, and what it counted with it: the next tick would come too late.
"""

import os
import select
import threading
from contextlib import suppress
from pathlib import Path

from hopwatch_agent.kernel.cgroup_memory import kills_in

LOOK_SECONDS = 0.025
"""What does not say when it changes is read so often: version 1 tells only who may write there."""
PAUSE_SECONDS = 0.05
"""Between two readings: a cgroup that is at its limit all the time says so a hundred times a second."""
LONGEST = 4096


class KillWatch:
    """One thread, from the first cgroup on; ``silent`` cgroups say nothing when they change."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, int] = {}
        self._silent: set[str] = set()
        self._kills: dict[str, int] = {}
        self._said: dict[str, bytes] = {}
        self._changed = False
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()

    def add(self, cgroup: str, file: Path, *, silent: bool) -> None:
        """Watches this file, which it opens for itself: what others read of one that they have open would be no news. Raises OSError."""
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self._start()
        except OSError:
            os.close(descriptor)
            raise
        with self._lock:
            self._open[cgroup] = descriptor
            self._changed = True
            if silent:
                self._silent.add(cgroup)
        self._wake()

    def kills(self, cgroup: str) -> int:
        """How many are known of."""
        with self._lock:
            return self._kills.get(cgroup, 0)

    def forget(self, cgroup: str) -> None:
        """Watches it no more."""
        with self._lock:
            self._leave(cgroup)
            self._kills.pop(cgroup, None)

    def close(self) -> None:
        """Ends the thread, once."""
        if self._ended.is_set():
            return
        self._ended.set()
        if self._thread is not None:
            self._wake()
            self._thread.join()
        for cgroup in list(self._open):
            self._leave(cgroup)
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _start(self) -> None:
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._run, name="hopwatch-kills", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # there may be no more of them
            raise OSError(str(error)) from error
        self._thread = thread

    def _run(self) -> None:
        while not self._ended.is_set():
            waiting, often = self._waiting()
            while not self._changed and not self._ended.is_set():
                told = waiting.poll(LOOK_SECONDS * 1000 if often else None)
                with self._lock:
                    self._read()
                if told:
                    self._ended.wait(PAUSE_SECONDS)

    def _waiting(self) -> tuple["select.poll", bool]:
        """What waits for all that is open, and whether some of it has to be asked often."""
        waiting = select.poll()
        waiting.register(self._wake_read, select.POLLIN)
        with suppress(BlockingIOError):
            os.read(self._wake_read, LONGEST)
        with self._lock:
            self._changed = False
            for descriptor in self._open.values():
                waiting.register(descriptor, select.POLLPRI)
            return waiting, bool(self._silent)

    def _read(self) -> None:
        for cgroup, descriptor in list(self._open.items()):
            said = _said(descriptor)
            if said is None:
                # it would say for ever that something has changed
                self._leave(cgroup)
            elif said != self._said.get(cgroup):
                self._said[cgroup] = said
                self._kills[cgroup] = kills_in(said.decode())

    def _leave(self, cgroup: str) -> None:
        self._changed = True
        self._silent.discard(cgroup)
        self._said.pop(cgroup, None)
        descriptor = self._open.pop(cgroup, None)
        if descriptor is not None:
            os.close(descriptor)

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            os.write(self._wake_write, b"\0")


def _said(descriptor: int) -> bytes | None:
    """What its file says now; None if the cgroup is gone."""
    try:
        return os.pread(descriptor, LONGEST, 0)
    except OSError:
        return None
