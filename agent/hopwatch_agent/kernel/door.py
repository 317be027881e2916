"""The socket in the journal directory at which processes hand over what only they can open."""

import contextlib
import errno
import os
import re
import socket
import stat
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hopwatch.cgroups import MEMORY_FILES
from hopwatch.monitors.cgroup_handle import DOOR
from hopwatch.ownership import opened_folder

LONGEST = 4096
MOST_WAITING = 1000
"""Messages that nobody has taken yet; what comes then is let go."""
MOST_CGROUPS_WAITING = 16
"""Of which files wait: those of a cgroup wait once."""
MOST_FILES = max(map(len, MEMORY_FILES.values()))
"""Descriptors of one message; further ones the kernel closes."""
FOR_EVERYBODY = 0o666
END_SECONDS = 1.0
_MESSAGE = re.compile(rb"([0-9a-f]{16}) ([a-z_.,]+) (/[^\0]*)")


@dataclass(frozen=True)
class Handed:
    """A process's cgroup: its name as the process sees it, its number, and files of it by their names.

    Of several messages about one cgroup only the first has files. Whoever takes it closes them.
    """

    process: str
    cgroup: str
    number: int
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
        self._directory = directory
        self._device = device
        self._serving: _Serving | None = None
        self._opened: tuple[int, int] | None = None
        self._lock = threading.Lock()
        self._closed = False
        self._waiting: deque[Handed] = deque()

    def taken(self) -> Iterator[Handed]:
        """All that has been handed over since. Used by one thread."""
        with contextlib.suppress(OSError):
            self._keep_open()
        while (handed := self._next()) is not None:
            yield handed

    def close(self) -> None:
        """Nobody need come any more."""
        with self._lock:
            self._closed = True
        if self._serving is not None:
            self._serving.end(END_SECONDS)
        with contextlib.suppress(OSError), opened_folder(self._directory) as folder:
            if self._opened is not None and _identity(folder) == self._opened:
                os.unlink(DOOR, dir_fd=folder)
        while (handed := self._next()) is not None:
            handed.close()

    def _next(self) -> Handed | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def _keep_open(self) -> None:
        """Somebody may have taken it away, or the directory with it. Raises OSError."""
        with opened_folder(self._directory) as folder:
            if self._serving is not None:
                if self._serving.is_at_work and _identity(folder) == self._opened:
                    return
                # one that is held up by what somebody sent is not followed by others
                if not self._serving.end():
                    return
            self._serving = _Serving(_bound(folder), self._sort)
            self._opened = _identity(folder)

    def _sort(self, message: bytes, descriptors: list[int]) -> None:
        """Keep what is meant, and let go of everything else. Called by the thread that serves."""
        handed = self._handed(message, descriptors)
        kept = set[int]()
        with self._lock:
            fresh = None if handed is None or self._closed else self._fitting(handed)
            if fresh is not None:
                self._waiting.append(fresh)
                kept.update(fresh.files.values())
        for descriptor in descriptors:
            if descriptor not in kept:
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def _fitting(self, handed: Handed) -> Handed | None:
        """It, without its files where those of its cgroup wait already; None where there is no room."""
        waiting = {each.number for each in self._waiting if each.files}
        if handed.number in waiting:
            handed = replace(handed, files={})
        room = len(self._waiting) < MOST_WAITING and (not handed.files or len(waiting) < MOST_CGROUPS_WAITING)
        return handed if room else None

    def _handed(self, message: bytes, descriptors: list[int]) -> Handed | None:
        """No folders, by which the agent would have all files of who sent them, and nothing that reading could wait for."""
        match = _MESSAGE.fullmatch(message)
        if match is None:
            return None
        process, names, cgroup = match.groups()
        called = names.decode().split(",")
        if len(called) != len(descriptors) or len(set(called)) != len(called):
            return None
        try:
            found = [os.fstat(descriptor) for descriptor in descriptors]
        except OSError:
            return None
        if not all(stat.S_ISREG(each.st_mode) and each.st_dev == self._device for each in found):
            return None
        files = dict(zip(called, descriptors, strict=True))
        return Handed(process.decode(), cgroup.decode(errors="replace"), found[0].st_ino, files)


class _Serving:
    """A socket and the thread that reads it, and closes it: what waits there is closed with it, which may take for ever."""

    def __init__(self, listening: socket.socket, take: Callable[[bytes, list[int]], None]) -> None:
        """Raises OSError."""
        self._listening = listening
        self._take = take
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="hopwatch-door", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # there may be no more of them
            listening.close()
            raise OSError(str(error)) from error

    def end(self, seconds: float = 0.0) -> bool:
        """Whether it has ended, having waited so long."""
        self._ended.set()
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(seconds)
        return not self.is_at_work

    @property
    def is_at_work(self) -> bool:
        """Until its thread has ended."""
        return self._thread.is_alive()

    def _serve(self) -> None:
        with self._listening:
            while not self._ended.is_set():
                try:
                    message, descriptors, _, _ = socket.recv_fds(
                        self._listening, LONGEST, MOST_FILES, socket.MSG_CMSG_CLOEXEC
                    )
                except OSError:
                    return
                self._take(message, descriptors)


def _bound(folder: int) -> socket.socket:
    """A socket there, to which everybody may send, in place of an earlier agent's. Raises OSError.

    It gets its mode where nobody else can put another file in its place.
    """
    fresh = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        with _own_folder(folder) as own:
            fresh.bind(f"/proc/self/fd/{own}/{DOOR}")
            os.chmod(DOOR, FOR_EVERYBODY, dir_fd=own)  # the umask may be any
            os.rename(DOOR, DOOR, src_dir_fd=own, dst_dir_fd=folder)
    except OSError:
        fresh.close()
        raise
    return fresh


@contextlib.contextmanager
def _own_folder(folder: int) -> Iterator[int]:
    """A folder within the folder that nobody else can write to, while the block runs. Raises OSError."""
    name = f".{DOOR}.{os.urandom(8).hex()}"
    os.mkdir(name, 0o700, dir_fd=folder)
    try:
        own = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            status = os.fstat(own)
            if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise PermissionError(errno.EPERM, "another user put another folder in its place")
            yield own
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(DOOR, dir_fd=own)
            os.close(own)
    finally:
        os.rmdir(name, dir_fd=folder)


def _identity(folder: int) -> tuple[int, int] | None:
    """Not when it was changed, too: anybody may do that."""
    try:
        found = os.stat(DOOR, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return found.st_dev, found.st_ino
