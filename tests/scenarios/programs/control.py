"""The line between a program and whoever runs it: commands on stdin, events on stdout, one a line."""

import os
import sys
from collections.abc import Iterator

STDIN = 0
CLOSE = ["close"]


class Control:
    """A command is a list of words. When stdin ends, that is the command ``close``."""

    def __init__(self) -> None:
        self._unfinished = b""

    def say(self, event: str, *details: object) -> None:
        sys.stdout.write(" ".join([event, *map(str, details)]) + "\n")
        sys.stdout.flush()

    def commands(self) -> Iterator[list[str]]:
        """Commands as they come, until ``close``."""
        while True:
            for command in self.arrived():
                if command == CLOSE:
                    return
                yield command

    def arrived(self) -> list[list[str]]:
        """Commands that have come; waits for more input if none is there, so poll stdin first."""
        chunk = os.read(STDIN, 4096)
        if not chunk:
            return [CLOSE]
        *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
        return [line.decode().split() for line in lines]
