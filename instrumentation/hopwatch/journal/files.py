"""How the files of the journal are made: each anew, and under its name for whoever may read it."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRIVATE = 0o600
"""What a journal's files may be read by: their owner alone."""


def open_new(path: Path, flags: int, mode: int) -> int:
    """The descriptor of a file that was not there before. Raises OSError.

    The mode is as asked for, whatever the process's umask: that is the application's, and says nothing of an agent of another user.
    """
    descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    if mode != PRIVATE:
        try:
            os.fchmod(descriptor, mode)
        except OSError:
            os.close(descriptor)
            raise
    return descriptor


def is_at(path: Path, descriptor: int) -> bool:
    """Whether the open file still has this name."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False


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
def new_file(path: Path, content: bytes, size: int, mode: int) -> Iterator[int]:
    """The descriptor of a new file, which gets its name when the block ends. Raises OSError."""
    fresh = path.with_name(path.name + ".new")
    descriptor = open_new(fresh, os.O_RDWR, mode)
    try:
        try:
            os.posix_fallocate(descriptor, 0, size)
            os.pwrite(descriptor, content, 0)
            yield descriptor
        finally:
            os.close(descriptor)
        fresh.rename(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
