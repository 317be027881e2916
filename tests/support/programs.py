"""Real processes under a test's control: told by lines on stdin, heard by lines on stdout."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

DEADLINE = 90.0
SECONDS_TO_ABORT = 10.0
SECONDS_BETWEEN_SIGNALS = 2.0
STACKS_TOLD = {"PYTHONFAULTHANDLER": "1"}
"""Aborted, a program says on stderr where each of its threads stands."""


def processes_naming(*texts: str) -> list[int]:
    """Return the ids of other processes that have all these texts in their command line or environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            about = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if all(text.encode() in about for text in texts) and int(process.name) != os.getpid():
            found.append(int(process.name))
    return found


class ProgramError(AssertionError):
    """A program did not do in time what a test waits for."""


class Program:
    """One process; its stderr goes to a file beside its truth."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], stderr_path: Path) -> None:
        self.name = stderr_path.stem
        self._stderr_path = stderr_path
        with stderr_path.open("wb") as stderr:
            self._process = subprocess.Popen(
                argv,
                env={**environment, **STACKS_TOLD},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
            )
        self._unread = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stderr(self) -> str:
        return self._stderr_path.read_text(errors="replace")

    @property
    def is_running(self) -> bool:
        """Return whether it has not ended. /proc cannot say: a program that starts has no command line yet."""
        return self._process.poll() is None

    def tell(self, *command: object) -> None:
        """Send one command, without waiting for what comes of it."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, command)).encode() + b"\n")

    def expect(self, event: str, within: float = DEADLINE) -> list[str]:
        """The details of the next event of that name; others before it are passed over."""
        deadline = time.monotonic() + within
        while True:
            name, *details = self._next_line(deadline, event).split() or [""]
            if name == event:
                return details

    def expect_line(self, text: str, within: float = DEADLINE) -> str:
        """Return the next line that holds a text; pass over those before it."""
        deadline = time.monotonic() + within
        while text not in (line := self._next_line(deadline, text)):
            pass
        return line

    def ask(self, *command: object, event: str, within: float = DEADLINE) -> list[str]:
        """Send a command and wait for the event that ends it."""
        self.tell(*command)
        return self.expect(event, within)

    def _is_readable(self, seconds: float) -> bool:
        assert self._process.stdout is not None
        poller = select.poll()
        poller.register(self._process.stdout, select.POLLIN)
        return bool(poller.poll(seconds * 1000))

    def _next_line(self, deadline: float, event: str) -> str:
        assert self._process.stdout is not None
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not self._is_readable(left):
                self._abort()
                raise ProgramError(f"{self.name}: no {event!r} in time; stderr: {self.stderr}")
            chunk = os.read(self._process.stdout.fileno(), 4096)
            if not chunk:
                raise ProgramError(f"{self.name} ended before {event!r}; stderr: {self.stderr}")
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def freeze(self) -> None:
        """SIGSTOP; returns once the process has really stopped."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def interrupt(self, with_signal: signal.Signals) -> None:
        self._process.send_signal(with_signal)

    def terminate(self) -> None:
        """SIGTERM, and wait for a clean end."""
        self._process.send_signal(signal.SIGTERM)
        self.wait()

    def terminate_at_rest(self) -> None:
        """SIGTERM again and again, and wait for a clean end: a proxy that is just at work takes no notice of one."""
        for _ in range(int(DEADLINE / SECONDS_BETWEEN_SIGNALS)):
            self._process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(SECONDS_BETWEEN_SIGNALS)
                break
        self.wait()

    def close(self) -> None:
        """The command ``close``, and wait for a clean end."""
        self.tell("close")
        self.wait()

    def sigkill(self) -> None:
        self._process.kill()
        self._process.wait(DEADLINE)

    def wait(self, status: int = 0) -> None:
        try:
            ended_with = self._process.wait(DEADLINE)
        except subprocess.TimeoutExpired as error:
            self._abort()
            raise ProgramError(f"{self.name} does not end; stderr: {self.stderr}") from error
        if ended_with != status:
            raise ProgramError(f"{self.name} ended with {ended_with}; stderr: {self.stderr}")

    def _abort(self) -> None:
        """End it where it is late, so that it tells what it was at."""
        self.thaw()
        self._process.send_signal(signal.SIGABRT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_ABORT)

    def reap(self) -> None:
        """End it whatever state it is in."""
        if self._process.poll() is None:
            self.thaw()
            self._process.kill()
            self._process.wait(DEADLINE)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
