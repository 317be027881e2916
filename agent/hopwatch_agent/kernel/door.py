"""The socket in the journal directory at which processes hand over what only they can open."""

import contextlib
import os
import re
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopwatch.monitors.cgroup_handle import DOOR

LONGEST = 4096
MOST_AT_ONCE = 100
"""Messages that are taken a tick."""
DESCRIPTORS = 4
"""Of one message that are taken out of it, to be closed: one is meant."""
FOR_EVERYBODY = 0o666
_MESSAGE = re.compile(rb"([0-9a-f]{16}) (/[^\0]*)")


@dataclass(frozen=True)
class Handed:
    """The folder of a process's cgroup, with the cgroup's name as the process sees it. Whoever takes it closes ``descriptor``."""

    process: str
    cgroup: str
    descriptor: int


class Door:
    """Open while there is a directory to open it in. Used by one thread.

    Where it cannot be opened, as in a directory that only the applications may write to, nothing is handed over.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / DOOR
        self._socket: socket.socket | None = None
        self._opened: tuple[int, ...] | None = None

    def taken(self) -> Iterator[Handed]:
        """All that has been handed over since; what is no such message is closed and forgotten."""
        with contextlib.suppress(OSError):
            self._keep_open()
        for _ in range(MOST_AT_ONCE):
            if self._socket is None:
                return
            try:
                message, descriptors, _, _ = socket.recv_fds(self._socket, LONGEST, DESCRIPTORS)
            except OSError:
                return
            handed = _handed(message, descriptors)
            for descriptor in descriptors[1:] if handed is not None else descriptors:
                os.close(descriptor)
            if handed is not None:
                yield handed

    def close(self) -> None:
        """Nobody need come any more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            if _identity(self._path) == self._opened:
                with contextlib.suppress(OSError):
                    self._path.unlink()

    def _keep_open(self) -> None:
        """Somebody may have taken it away, or the directory with it. Raises OSError."""
        if self._socket is not None and _identity(self._path) == self._opened:
            return
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if not self._path.parent.is_dir():
            return
        # one that an agent before this one left, which held the directory as we do
        if _identity(self._path) is not None and stat.S_ISSOCK(self._path.lstat().st_mode):
            self._path.unlink()
        fresh = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            fresh.bind(str(self._path))
            self._path.chmod(FOR_EVERYBODY)
            self._opened = _identity(self._path)
        except OSError:
            fresh.close()
            raise
        self._socket = fresh


def _handed(message: bytes, descriptors: list[int]) -> Handed | None:
    match = _MESSAGE.fullmatch(message)
    if match is None or not descriptors:
        return None
    process, cgroup = match.groups()
    return Handed(process.decode(), cgroup.decode(errors="replace"), descriptors[0])


def _identity(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
