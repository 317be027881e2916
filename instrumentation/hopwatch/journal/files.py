"""How the files of the journal are made: each anew, and under its name for whoever may read it."""

import os
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
