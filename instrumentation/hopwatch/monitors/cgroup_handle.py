"""Lets the agent of a pod see that this container runs out of memory: it sees no cgroup but its own, and is handed files of ours."""

import _socket
import array
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hopwatch.cgroups import MEMORY_FILES, cgroup_of, find_hierarchy
from hopwatch.ownership import opened_folder

DOOR = "agent.sock"
"""In the journal directory: the socket at which an agent takes what it is handed."""

LOOK_SECONDS = 2.0
SELDOM_SECONDS = 10.0
"""Once an agent has it: the next one may be a while coming."""

NEEDED = 2
"""Without the first two files the others tell nothing."""

SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""There will be descriptors again."""


class CgroupHandle:
    """A chore of the monitor thread: hands what tells of this process's memory, as open files, to each agent that comes.

    Whoever holds them learns that a process was killed for memory, which that process tells nobody, and of which nothing is left a moment later.
    No folder is handed over: by its ``..`` whoever is at the door would have all files of this container.
    """

    def __init__(self, directory: Path, process: str) -> None:
        self._door = directory / DOOR
        self._process = process
        self._met: tuple[int, int] | None = None

    def run(self) -> float:
        """Hand it over if an agent has come; where there is none, or it does not listen, look again later."""
        before = self._met
        try:
            found = self._door.lstat()
            self._met = (found.st_ino, found.st_mtime_ns)
            if self._met != before:
                hand_over(self._door, self._process)
        except OSError:
            self._met = None
            return LOOK_SECONDS
        return SELDOM_SECONDS


def hand_over(door: Path, process: str) -> None:
    """Nothing, where no cgroup of ours is seen from here. Raises OSError."""
    # gevent's sockets wait for a hub, which the monitor thread has not
    socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_NONBLOCK)
    try:
        with opened_folder(door.parent) as folder:
            _connect(socket, folder, door.name)
        hierarchy = find_hierarchy()
        cgroup = None if hierarchy is None else cgroup_of("self", hierarchy)
        if hierarchy is not None and cgroup is not None:
            with _opened(hierarchy.folder(cgroup), MEMORY_FILES[hierarchy.version]) as files:
                _send(socket, f"{process} {','.join(files)} {cgroup}", files)
    finally:
        socket.close()


def _connect(socket: _socket.socket, folder: int, name: str) -> None:
    """Connect to the socket of that name, never to one that a link leads to. Raises OSError."""
    there = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if not stat.S_ISSOCK(os.fstat(there).st_mode):
            raise OSError(errno.ENOTSOCK, os.strerror(errno.ENOTSOCK))
        socket.connect(f"/proc/self/fd/{there}")
    finally:
        os.close(there)


@contextmanager
def _opened(folder: Path, names: tuple[str, ...]) -> Iterator[Mapping[str, int]]:
    """Descriptors, for reading, of those that are there: the kernel may be older, or keep no account of some. Raises OSError."""
    files: dict[str, int] = {}
    with ExitStack() as opened:
        for name in names:
            try:
                files[name] = os.open(folder / name, os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:  # noqa: PERF203 -- a few files, once
                if len(files) < NEEDED or error.errno in SCARCE:
                    raise
            else:
                opened.callback(os.close, files[name])
        yield files


def _send(socket: _socket.socket, message: str, files: Mapping[str, int]) -> None:
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", files.values()))
    socket.sendmsg([message.encode(errors="surrogateescape")], [rights])
