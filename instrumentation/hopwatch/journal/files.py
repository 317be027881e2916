"""The journal directory and how its files are made: each anew, and under its name for whoever may read it."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hopwatch.errors import JournalError
from hopwatch.ownership import opened_folder

PRIVATE = 0o600
"""What a journal's files may be read by: their owner alone."""


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


class KeptFile:
    """A file that stays open. An application that closes all descriptors may get its number for a file of its own: that is left alone."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._opened = os.fstat(descriptor)

    def status(self) -> os.stat_result:
        """Return its status now. Raises OSError: it has been closed."""
        status = os.fstat(self.descriptor)
        if not os.path.samestat(status, self._opened):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return status

    def is_open(self) -> bool:
        """Whether the descriptor is still that of this file."""
        try:
            self.status()
        except OSError:
            return False
        return True

    def has_gone(self, path: Path) -> bool:
        """Whether it has been closed, or has lost this name. A process that has changed its user may not be able to look: then it has not."""
        try:
            status = self.status()
        except OSError:
            return True
        try:
            return status.st_nlink == 0 or not os.path.samestat(path.lstat(), status)
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Close it, if nobody has."""
        if self.is_open():
            os.close(self.descriptor)


@contextmanager
def file_of_ours(path: Path, flags: int) -> Iterator[int]:
    """The descriptor of a file of ours, which has no second name. Raises OSError."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or status.st_uid != os.geteuid():
            raise OSError(f"{path} is no file of this process")
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def new_file(path: Path, flags: int, mode: int) -> Iterator[int]:
    """The descriptor of a new file, which gets its name when the block ends. Closing it is the caller's. Raises OSError.

    The mode is as asked for, whatever the process's umask: that is the application's, and says nothing of an agent of another user.
    """
    fresh = f"{path.name}.new"
    with opened_folder(path.parent) as folder:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        flags |= os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(fresh, flags, mode, dir_fd=folder)
        try:
            if mode != PRIVATE:
                os.fchmod(descriptor, mode)
            yield descriptor
            os.rename(fresh, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.close(descriptor)
            with suppress(OSError):
                os.unlink(fresh, dir_fd=folder)
            raise


def write_new(path: Path, content: bytes, size: int, mode: int) -> int:
    """The descriptor of a new file of that content and size, every page of which is allocated. Raises OSError."""
    with new_file(path, os.O_RDWR, mode) as descriptor:
        os.posix_fallocate(descriptor, 0, size)
        os.pwrite(descriptor, content, 0)
    return descriptor


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
