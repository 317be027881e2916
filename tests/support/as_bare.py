"""Runs a program of a test bare and instrumented, each time in a process of its own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

INSTALL = "import hopwatch\nhopwatch.install()\n"
WAYS = ("install", "run")
"""How a program is instrumented without a change of what it does."""

HANGS_AFTER = 60
"""No program of a test takes so long unless it hangs (s)."""


def outcome(program: str, way: str, *arguments: object) -> tuple[int | str, str, str]:
    """Its exit status, and what it printed to both streams; ``way`` is one of ``WAYS`` or "bare"."""
    text = (INSTALL if way == "install" else "") + textwrap.dedent(program)
    hopwatch = str(Path(sys.executable).with_name("hopwatch"))
    before = [hopwatch, "run", "--"] if way == "run" else []
    command = [*before, sys.executable, "-c", text, *map(str, arguments)]
    try:
        ended = subprocess.run(
            command, env=os.environ, capture_output=True, text=True, timeout=HANGS_AFTER, check=False
        )
    except subprocess.TimeoutExpired as error:
        return "hangs", _text(error.stdout), _text(error.stderr)
    return ended.returncode, ended.stdout, ended.stderr


def _text(printed: bytes | str | None) -> str:
    """Of a program that was ended pytest's Python has the output undecoded."""
    return printed.decode(errors="replace") if isinstance(printed, bytes) else printed or ""
