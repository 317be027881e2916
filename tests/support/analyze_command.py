"""``hopwatch analyze`` as a person runs it, and the processes that it starts."""

import os
import subprocess
import sys
from pathlib import Path

from programs import processes_naming

COMMAND = [sys.executable, "-c", "import sys; from hopwatch.cli import main; sys.exit(main())", "analyze"]
DEADLINE = 600
"""Seconds that one analysis may take on a busy machine."""


def environment_of(mark: Path) -> dict[str, str]:
    """Return an environment with a mark that all processes of the command inherit."""
    return os.environ | {"STARTED_BY_TEST": str(mark)}


def analyze(mark: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    argv = [*COMMAND, *map(str, arguments)]
    environment = environment_of(mark) | variables
    return subprocess.run(
        argv, capture_output=True, text=True, env=environment, timeout=DEADLINE, check=False
    )


def marked_processes(mark: Path, program: str = "") -> list[int]:
    """Return the ids of the command's processes, or of those that run one program."""
    return processes_naming(f"STARTED_BY_TEST={mark}", program)
