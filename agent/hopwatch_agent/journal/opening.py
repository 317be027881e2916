"""Opening of files that somebody else's process made."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopwatch_agent.errors import ForbiddenFileError, RefusedFileError, UnavailableFileError

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_REGULAR = frozenset({errno.ELOOP, errno.ENXIO, errno.ENODEV})


@contextmanager
def opened_regular(path: Path) -> Iterator[int]:
    """Descriptor of a regular file, for reading.

    Raises ``FileNotFoundError`` if there is none, ``RefusedFileError`` if it is no regular file,
    ``ForbiddenFileError`` if it may not be read, and ``UnavailableFileError`` for what may pass, which may be
    met in the block, too.
    """
    descriptor = _open(path)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RefusedFileError(f"{path}: not a regular file")
        yield descriptor
    except OSError as error:
        raise UnavailableFileError(f"{path}: cannot be read now ({error.strerror})") from error
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    try:
        return os.open(path, _FLAGS)
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise ForbiddenFileError(f"{path}: may not be read ({error.strerror})") from error
    except OSError as error:
        if error.errno in _NOT_REGULAR:
            raise RefusedFileError(f"{path}: not a regular file ({error.strerror})") from error
        raise UnavailableFileError(f"{path}: cannot be read now ({error.strerror})") from error
