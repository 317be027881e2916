"""The journal directory, and the lock that says whether a process still lives."""

import fcntl
import os
from pathlib import Path

from hopwatch.errors import JournalError
from hopwatch.journal.files import PRIVATE, open_new


def prepare_directory(directory: Path, must_be_ours: bool) -> None:
    """Make the directory if need be (mode 0700).

    A default directory lies where other users may write, so it must belong to this user.
    Raises JournalError if it cannot be used.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.lstat() if must_be_ours else directory.stat()
    except OSError as error:
        raise JournalError(f"cannot use {directory}: {error.strerror}") from error
    if must_be_ours and (directory.is_symlink() or status.st_uid != os.geteuid()):
        raise JournalError(f"cannot use {directory}: it does not belong to this user")


def hold_lock(directory: Path, process: str, mode: int = PRIVATE) -> int:
    """Take the process's lock; returns the descriptor that must stay open for as long as the process lives.

    The file appears under its name only once it is locked: a reader never finds it free by accident.
    """
    fresh = directory / f"{process}.lock.new"
    try:
        descriptor = open_new(fresh, os.O_RDWR, mode)
    except OSError as error:
        raise JournalError(f"cannot write {fresh}: {error.strerror}") from error
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fresh.rename(directory / f"{process}.lock")
    except OSError as error:
        os.close(descriptor)
        raise JournalError(f"cannot lock {fresh}: {error.strerror}") from error
    return descriptor
