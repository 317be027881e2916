"""How the files of the journal are made: each anew, and under its name for whoever may read it."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hopwatch.ownership import opened_folder

PRIVATE = 0o600
"""What a journal's files may be read by: their owner alone."""


def open_new(folder: int, name: str, flags: int, mode: int) -> int:
    """The descriptor of a file that was not there before, in the folder of that descriptor. Raises OSError.

    The mode is as asked for, whatever the process's umask: that is the application's, and says nothing of an agent of another user.
    """
    descriptor = os.open(name, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
    if mode != PRIVATE:
        try:
            os.fchmod(descriptor, mode)
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


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
    """The descriptor of a new file, which gets its name when the block ends. Closing it is the caller's. Raises OSError."""
    fresh = f"{path.name}.new"
    with opened_folder(path.parent) as folder:
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=folder)
        descriptor = open_new(folder, fresh, flags, mode)
        try:
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
