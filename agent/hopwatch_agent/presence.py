"""Who lives: who holds its lock, as long as the directory is there to ask in."""

from collections.abc import Iterable
from pathlib import Path

from hopwatch_agent.errors import ForbiddenFileError, RefusedFileError, UnavailableFileError
from hopwatch_agent.journal.counters_file import is_attached
from hopwatch_agent.journal.lock import Lock, asked

MISSING_SECONDS = 6.0
"""So long a lock has to be missing at each look, with its directory there, before its process counts as gone. A process that lives makes it
anew within two seconds."""


def lock_of(directory: Path, process: str) -> Lock:
    """The process's lock. What is no regular file is not held; one that may not be asked is not known to be free."""
    try:
        return asked(directory / f"{process}.lock")
    except (ForbiddenFileError, UnavailableFileError):
        return Lock.UNTOLD
    except RefusedFileError:
        return Lock.FREE


class Presence:
    """Asks once a tick. A lock that has no name for a moment, or its directory, ends nobody."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._missing_since: dict[str, float] = {}

    def ask(self, processes: Iterable[str], now: float) -> dict[str, bool]:
        """Whether each of the processes lives; ``now`` in monotonic seconds."""
        locks = {process: lock_of(self._directory, process) for process in processes}
        replaced = {
            process for process, lock in locks.items() if lock is Lock.FREE and self._counts_on(process)
        }
        missing = [process for process, lock in locks.items() if lock is Lock.MISSING or process in replaced]
        if missing and not self._directory.is_dir():
            missing = []
        self._missing_since = {process: self._missing_since.get(process, now) for process in missing}
        return {
            process: (lock is not Lock.FREE or process in replaced) and not self._gave_out(process, now)
            for process, lock in locks.items()
        }

    def _counts_on(self, process: str) -> bool:
        return is_attached(self._directory / f"{process}.0000.counters")

    def _gave_out(self, process: str, now: float) -> bool:
        return now - self._missing_since.get(process, now) >= MISSING_SECONDS
