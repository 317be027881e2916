"""What a process takes of its host, and which pid it has, as far as the agent's pid namespace shows it."""

import os
from dataclasses import dataclass
from pathlib import Path

from hopwatch_agent.errors import RefusedFileError
from hopwatch_agent.journal.lock import owner_of
from hopwatch_agent.kernel.records import Usage

STAT_SIZE = 4096

_USER, _SYSTEM, _THREADS, _STARTED, _RESIDENT = 11, 12, 17, 19, 21
"""Places in /proc/PID/stat, counted from behind the command, which may hold spaces and brackets."""


@dataclass(frozen=True)
class Pid:
    """A process of the agent's pid namespace: a number is given again, but not with the same start (in clock ticks since boot)."""

    number: int
    started: int


def pid_of(lock: Path) -> Pid | None:
    """The process that holds a journal's lock; None if there is none, or it is not visible from here."""
    try:
        number = owner_of(lock)
        started = _started(number) if number is not None else None
        # the process may have ended in between, and its number been given to another one
        same = started is not None and owner_of(lock) == number
    except (OSError, RefusedFileError):
        return None
    return Pid(number, started) if same and number is not None and started is not None else None


def usage_of(pid: Pid) -> Usage | None:
    """What it takes now; None if it has ended."""
    fields = _stat(pid.number)
    if fields is None or int(fields[_STARTED]) != pid.started:
        return None
    tick_us = 1_000_000 // os.sysconf("SC_CLK_TCK")
    return Usage(
        resident=int(fields[_RESIDENT]) * os.sysconf("SC_PAGE_SIZE"),
        user_us=int(fields[_USER]) * tick_us,
        system_us=int(fields[_SYSTEM]) * tick_us,
        threads=int(fields[_THREADS]),
        descriptors=_descriptors(pid.number),
    )


def own_pid() -> Pid | None:
    """The agent itself; None where there is no /proc."""
    started = _started(os.getpid())
    return None if started is None else Pid(os.getpid(), started)


def _started(number: int) -> int | None:
    fields = _stat(number)
    return None if fields is None else int(fields[_STARTED])


def _stat(number: int) -> list[bytes] | None:
    try:
        # several times faster than a file object
        descriptor = os.open(f"/proc/{number}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, STAT_SIZE).rpartition(b")")[2].split()
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _descriptors(number: int) -> int | None:
    folder = Path(f"/proc/{number}/fd")
    try:
        # from Linux 6.2 on their number is the folder's size, which takes no right to look into it
        return folder.stat().st_size or sum(1 for _ in folder.iterdir())
    except OSError:
        return None
