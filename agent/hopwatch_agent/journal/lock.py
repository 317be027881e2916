"""Whether a process lives: it holds a record lock on its file for as long as it does."""

import fcntl
import struct
from pathlib import Path

from hopwatch_agent.journal.opening import opened_regular

# struct flock of 64-bit Linux: type, whence, start, length, pid
_FLOCK = struct.Struct("@hhqqi4x")


def is_held(path: Path) -> bool:
    """True while some other process holds the lock. A missing file is not held.

    Asks only: taking the lock, even for a moment, could make its owner's attempt fail.
    """
    question = _FLOCK.pack(fcntl.F_WRLCK, 0, 0, 0, 0)
    try:
        with opened_regular(path) as descriptor:
            answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, question)
    except FileNotFoundError:
        return False
    return bool(_FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)
