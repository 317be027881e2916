"""The socket in the journal directory at which processes hand over what only they can open."""

import contextlib
import os
import re
import socket
import stat
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hopwatch.cgroups import MEMORY_FILES
from hopwatch.monitors.cgroup_handle import DOOR

LONGEST = 4096
MOST_WAITING = 64
"""Messages that nobody has taken yet; what comes then is let go."""
MOST_FILES = max(map(len, MEMORY_FILES.values()))
"""Descriptors of one message; further ones the kernel closes."""
FOR_EVERYBODY = 0o666
END_SECONDS = 1.0
_MESSAGE = re.compile(rb"([0-9a-f]{16}) ([a-z_.,]+) (/[^\0]*)")


@dataclass(frozen=True)
class Handed:
    """Files of a process's cgroup, by their names, with the cgroup's name as the process sees it. Whoever takes it closes them."""

    process: str
    cgroup: str
    files: Mapping[str, int]

    def close(self) -> None:
        """Once."""
        for descriptor in self.files.values():
            os.close(descriptor)


class Door:
    """Open while there is a directory to open it in.

    Where it cannot be opened, as in a directory that only the applications may write to, nothing is handed over.
    Descriptors of others may take for ever to be looked at or closed: a thread does that, and nobody waits for it.
    """

    def __init__(self, directory: Path, device: int) -> None:
        """``device``: of the file system that what is handed over has to be of."""
        self._path = directory / DOOR
        self._device = device
        self._socket: socket.socket | None = None
        self._opened: tuple[int, ...] | None = None
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._waiting: deque[Handed] = deque()

    def taken(self) -> Iterator[Handed]:
        """All that has been handed over since. Used by one thread."""
        with contextlib.suppress(OSError):
            self._keep_open()
        while self._waiting:
            yield self._waiting.popleft()

    def close(self) -> None:
        """Nobody need come any more."""
        self._close_socket()
        if self._opened is not None and _identity(self._path) == self._opened:
            with contextlib.suppress(OSError):
                self._path.unlink()
        while self._waiting:
            self._waiting.popleft().close()

    def _keep_open(self) -> None:
        """Somebody may have taken it away, or the directory with it. Raises OSError."""
        if self._socket is not None and _identity(self._path) == self._opened:
            return
        self._close_socket()
        if not self._path.parent.is_dir():
            return
        # one that an agent before this one left, which held the directory as we do
        if _identity(self._path) is not None and stat.S_ISSOCK(self._path.lstat().st_mode):
            self._path.unlink()
        fresh = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            os.fchmod(fresh.fileno(), FOR_EVERYBODY)  # as far as the umask lets it
            fresh.bind(str(self._path))
            self._path.chmod(FOR_EVERYBODY)
        except OSError:
            fresh.close()
            raise
        self._opened = _identity(self._path)
        self._socket = fresh
        self._ended = threading.Event()
        self._thread = threading.Thread(
            target=self._serve, args=(fresh, self._ended), name="hopwatch-door", daemon=True
        )
        self._thread.start()

    def _close_socket(self) -> None:
        if self._socket is None or self._thread is None:
            return
        self._ended.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(END_SECONDS)
        self._socket.close()
        self._socket = self._thread = None

    def _serve(self, listening: socket.socket, ended: threading.Event) -> None:
        while True:
            try:
                message, descriptors, _, _ = socket.recv_fds(
                    listening, LONGEST, MOST_FILES, socket.MSG_CMSG_CLOEXEC
                )
            except OSError:
                return
            if ended.is_set():
                return
            self._sort(message, descriptors)

    def _sort(self, message: bytes, descriptors: list[int]) -> None:
        """Keep what is meant, and let go of everything else."""
        handed = _handed(message, descriptors)
        if handed is not None and self._is_wanted(handed):
            self._waiting.append(handed)
            return
        for descriptor in descriptors:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _is_wanted(self, handed: Handed) -> bool:
        """No folders, by which the agent would have all files of who sent them, and nothing that reading could wait for."""
        with contextlib.suppress(OSError):
            found = [os.fstat(descriptor) for descriptor in handed.files.values()]
            ours = all(stat.S_ISREG(each.st_mode) and each.st_dev == self._device for each in found)
            return ours and len(self._waiting) < MOST_WAITING
        return False


def _handed(message: bytes, descriptors: list[int]) -> Handed | None:
    match = _MESSAGE.fullmatch(message)
    if match is None:
        return None
    process, names, cgroup = match.groups()
    called = names.decode().split(",")
    if len(called) != len(descriptors) or len(set(called)) != len(called):
        return None
    return Handed(
        process.decode(), cgroup.decode(errors="replace"), dict(zip(called, descriptors, strict=True))
    )


def _identity(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
