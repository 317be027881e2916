"""A terminal as a reader of the documents has one: a shell on a pseudo-terminal, which is typed into, and read."""

import os
import pty
import re
import secrets
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

DEADLINE = 60.0
INTERRUPT = "\x03"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class TerminalError(AssertionError):
    """What was to appear has not, in time."""


class Terminal:
    """One shell, in a folder. ``before``: what to put before its command, such as what enters a namespace."""

    def __init__(self, folder: Path, environment: Mapping[str, str], before: Sequence[str] = ()) -> None:
        self._mark = secrets.token_hex(8)
        self._ready = re.compile(rf"<{self._mark} (\d+)> ")
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            [*before, "setsid", "--ctty", "bash", "--noprofile", "--norc", "--noediting", "-i"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**environment, "PS1": f"<{self._mark} $?> ", "PS2": "", "TERM": "dumb"},
        )
        os.close(slave)
        self._told = ""
        self._began = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.wait()
        self.begin("stty -echo; set -o pipefail")
        self.wait()

    def begin(self, command: str) -> None:
        """Type a command."""
        self._began = len(self._told)
        self._type(command + "\n")

    def interrupt(self) -> None:
        """Type Ctrl-C."""
        self._type(INTERRUPT)

    @property
    def told(self) -> str:
        """What the command has said by now, as it is seen: colours are none of its words."""
        seen = COLOURS.sub("", self._told[self._began :])
        return self._ready.sub("", seen).replace("\r", "")

    @property
    def status(self) -> int | None:
        """What the command ended with; None while it runs."""
        ended = self._ready.search(self._told, self._began)
        return int(ended[1]) if ended else None

    def wait(self, seconds: float = DEADLINE) -> int:
        """Until the command has ended; what with."""
        deadline = time.monotonic() + seconds
        while self.status is None:
            if time.monotonic() > deadline:
                raise TerminalError(f"it has not ended after {seconds} s, and said:\n{self.told}")
            time.sleep(0.01)
        return self.status

    def close(self) -> None:
        """Hang up, and end what still runs."""
        self._type(INTERRUPT)
        self._process.terminate()
        self._process.kill()
        self._process.wait()
        self._reader.join()
        os.close(self._master)

    def _type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65_536)
            except OSError:  # the last process that had the terminal is gone
                return
            if not data:
                return
            self._told += data.decode(errors="replace")
