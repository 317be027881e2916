"""``hopwatch analyze`` as a person runs it, and the processes that it starts."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

COMMAND = [sys.executable, "-c", "import sys; from hopwatch.cli import main; sys.exit(main())", "analyze"]
DEADLINE = 600


def environment_of(mark: Path) -> dict[str, str]:
    """All that the command starts carries the mark too."""
    return os.environ | {"STARTED_BY_TEST": str(mark)}


def analyze(mark: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    argv = [*COMMAND, *map(str, arguments)]
    environment = environment_of(mark) | variables
    return subprocess.run(
        argv, capture_output=True, text=True, env=environment, timeout=DEADLINE, check=False
    )


def marked_processes(mark: Path, program: str = "") -> list[int]:
    """Return the ids of those that it started, of this program."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            about = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"STARTED_BY_TEST={mark}".encode() in about and program.encode() in about:
            found.append(int(process.name))
    return found


def await_condition(condition: Callable[[], object]) -> None:
    """Wait for as long as an analysis may take."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
