"""The demo's processes: each in a session of its own, so that only the demo ends them, and ends them all."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from hopwatch_demo.errors import DemoError

HOPWATCH = (sys.executable, "-c", "import sys; from hopwatch.cli import main; sys.exit(main())")
DEADLINE = 30.0


@contextlib.contextmanager
def started_processes(logs: Path, environment: Mapping[str, str]) -> Iterator["Processes"]:
    """Processes that are all ended on leaving, however that comes."""
    processes = Processes(logs, environment)
    try:
        yield processes
    finally:
        processes.end_all()


class Processes:
    """Starts processes, reads what they print and waits for their ends."""

    def __init__(self, logs: Path, environment: Mapping[str, str]) -> None:
        self._logs = logs
        self._environment = {**os.environ, **environment}
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def end_all(self) -> None:
        """Kill whatever still runs, with its own children."""
        for process in self._started.values():
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def start(self, name: str, argv: Sequence[str]) -> None:
        """Start a process whose stdout is read line by line and whose stderr goes to a log."""
        with (self._logs / f"{name}.log").open("wb") as log:
            self._started[name] = subprocess.Popen(
                argv,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                start_new_session=True,
            )

    def start_program(self, name: str, module: str, *arguments: object) -> None:
        """Start one of the demo's programs."""
        self.start(name, [sys.executable, "-m", f"hopwatch_demo.{module}", *map(str, arguments)])

    def run_in_terminal(self, name: str, argv: Sequence[str]) -> int:
        """Run a process that writes to the terminal itself; returns its exit status."""
        process = subprocess.Popen(
            argv, env=self._environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
        self._started[name] = process
        try:
            return process.wait()
        finally:
            if process.poll() is None:
                process.terminate()  # time to end what it has begun in sessions of their own
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(DEADLINE)

    def read_line(self, name: str) -> str:
        """The next line that a process prints; DemoError if none comes in time."""
        stdout = self._started[name].stdout
        if stdout is None or not is_readable(stdout, DEADLINE):
            raise DemoError(f"{name} says nothing; see {self._logs / name}.log")
        line = stdout.readline().decode().strip()
        if not line:
            raise DemoError(f"{name} ended early; see {self._logs / name}.log")
        return line

    def running(self, names: Sequence[str]) -> bool:
        return any(self._started[name].poll() is None for name in names)

    def require_clean_end(self, names: Sequence[str]) -> None:
        """Wait for processes that end by themselves; DemoError for one that failed."""
        deadline = time.monotonic() + DEADLINE
        for name in names:
            try:
                status = self._started[name].wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired as error:
                raise DemoError(f"{name} does not end; see {self._logs / name}.log") from error
            if status != 0:
                raise DemoError(f"{name} ended with {status}; see {self._logs / name}.log")

    def terminate(self, name: str) -> None:
        """SIGTERM, and wait for a clean end."""
        self._started[name].terminate()
        self.require_clean_end([name])


def is_readable(stream: IO[bytes], seconds: float) -> bool:
    """Whether something comes, or the end, within so many seconds."""
    waiting = select.poll()  # select takes no descriptor from 1024 on
    waiting.register(stream, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
