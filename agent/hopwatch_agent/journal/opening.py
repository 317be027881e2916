"""Opening of files that somebody else's process made."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopwatch_agent.errors import RefusedFileError

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def opened_regular(path: Path) -> Iterator[int]:
    """Descriptor of a regular file, for reading.

    Raises ``FileNotFoundError`` if there is none, ``RefusedFileError`` if it is anything else than a regular
    file that may be read.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise RefusedFileError(f"{path}: cannot be opened as a regular file ({error.strerror})") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RefusedFileError(f"{path}: not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)
