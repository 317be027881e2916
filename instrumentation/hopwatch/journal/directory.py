"""The journal directory, and the lock that says whether a process still lives."""

import fcntl
import os
from pathlib import Path

from hopwatch.errors import JournalError
from hopwatch.journal.files import PRIVATE, KeptFile, new_file
from hopwatch.ownership import opened_folder


def prepare_directory(directory: Path, must_be_ours: bool) -> None:
    """Make the directory if need be (mode 0700).

    A default directory lies where other users may write, so it must belong to this user. One that was named
    may belong to another user, unless that user created it where every user may.
    Raises JournalError if it cannot be used.
    """
    try:
        with opened_folder(directory, 0o700) as folder:
            owner = os.fstat(folder).st_uid
    except OSError as error:
        raise JournalError(f"cannot use {directory}: {error.strerror}") from error
    if must_be_ours and owner != os.geteuid():
        raise JournalError(f"cannot use {directory}: it belongs to user {owner}")


class ProcessLock:
    """Held for as long as the process lives. Raises JournalError if it cannot be had at first."""

    def __init__(self, directory: Path, process: str, mode: int = PRIVATE) -> None:
        self._path = directory / f"{process}.lock"
        self._mode = mode
        self._file = self._hold()

    def keep(self) -> None:
        """Take it anew if its file was removed or replaced. Raises JournalError."""
        if self._file.has_gone(self._path):
            before, self._file = self._file, self._hold()
            before.close()

    def let_go(self) -> None:
        """Close it: in a forked child, whose parent keeps its own."""
        self._file.close()

    def _hold(self) -> KeptFile:
        """The file appears under its name only once it is locked: a reader never finds it free by accident."""
        try:
            with new_file(self._path, os.O_RDWR, self._mode) as descriptor:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise JournalError(f"cannot make {self._path}: {error.strerror}") from error
        return KeptFile(descriptor)
