"""Lets the agent of a pod see that this container runs out of memory: it sees no cgroup but its own, and is handed ours."""

from __future__ import annotations

import _socket
import array
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hopwatch.cgroups import cgroup_of, find_hierarchy

DOOR = "agent.sock"
"""In the journal directory: the socket at which an agent takes what it is handed."""

LOOK_SECONDS = 2.0


class CgroupHandle:
    """A chore of the monitor thread: hands the folder of this process's cgroup, as a descriptor, to each agent that comes.

    Whoever holds it learns that a process was killed for memory, which that process tells nobody, and of which nothing is left a moment later.
    """

    def __init__(self, directory: Path, process: str, is_over: Callable[[], bool]) -> None:
        self._door = directory / DOOR
        self._process = process
        self._is_over = is_over
        self._met: tuple[int, int] | None = None

    @property
    def over(self) -> bool:
        """Whether the monitor thread ends."""
        return self._is_over()

    def run(self) -> float:
        """Hand it over if an agent has come; where there is none, or it cannot be done, look again later."""
        with suppress(OSError):
            found = self._door.stat()
            agent = (found.st_ino, found.st_mtime_ns)
            if agent != self._met:
                hand_over(self._door, self._process)
                self._met = agent
        return LOOK_SECONDS


def hand_over(door: Path, process: str) -> None:
    """Nothing, where no cgroup of ours is seen from here. Raises OSError."""
    hierarchy = find_hierarchy()
    cgroup = None if hierarchy is None else cgroup_of(os.getpid(), hierarchy)
    if hierarchy is None or cgroup is None:
        return
    descriptor = os.open(hierarchy.folder(cgroup), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    # gevent's sockets wait for a hub, which the monitor thread has not
    socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_NONBLOCK)
    try:
        socket.connect(str(door))
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [descriptor]))
        socket.sendmsg([f"{process} {cgroup}".encode(errors="surrogateescape")], [rights])
    finally:
        socket.close()
        os.close(descriptor)
