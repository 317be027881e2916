"""Whether a process lives: it holds a record lock on its file for as long as it does."""

import fcntl
import struct
from enum import Enum
from pathlib import Path

from hopwatch_agent.journal.opening import opened_regular

# struct flock of 64-bit Linux: type, whence, start, length, pid
_FLOCK = struct.Struct("@hhqqi4x")


class Lock(Enum):
    """What a lock says of its process."""

    HELD = "held"
    FREE = "free"
    MISSING = "missing"
    """There is no such file."""
    UNTOLD = "untold"
    """The file may not be asked."""


def asked(path: Path) -> Lock:
    """Whether some other process holds the lock; raises as ``opened_regular`` does, but for a file that is missing.

    Asks only: taking the lock, even for a moment, could make its owner's attempt fail.
    """
    try:
        return Lock.FREE if _holder(path) is None else Lock.HELD
    except FileNotFoundError:
        return Lock.MISSING


def owner_of(path: Path) -> int | None:
    """The pid of the process that holds the lock; None where nobody does, or one outside the agent's pid namespace."""
    try:
        holder = _holder(path)
    except FileNotFoundError:
        return None
    return holder if holder is not None and holder > 0 else None


def _holder(path: Path) -> int | None:
    """What the kernel calls the holder: 0 where its pid namespace is not this one or one below."""
    question = _FLOCK.pack(fcntl.F_WRLCK, 0, 0, 0, 0)
    with opened_regular(path) as descriptor:
        answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, question)
    kind, *_, pid = _FLOCK.unpack(answer)
    return None if kind == fcntl.F_UNLCK else int(pid)
