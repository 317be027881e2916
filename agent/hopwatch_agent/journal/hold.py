"""The journal directory is read by one agent: two would unlink each other's unread files."""

import fcntl
import os
from pathlib import Path

from hopwatch_agent.errors import DirectoryInUseError


class DirectoryHold:
    """A lock on the directory itself: nothing is written there, and it ends with the agent, however that ends.

    Where the file system knows no such locks, the directory is taken for ours.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor = -1
        self._identity: tuple[int, int] | None = None

    def take(self) -> None:
        """Holds the directory that has the name now; raises ``DirectoryInUseError`` and ``OSError``."""
        status = self._directory.stat()
        if (status.st_dev, status.st_ino) == self._identity:
            return
        self.release()
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _lock(descriptor, self._directory)
            status = os.fstat(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor, self._identity = descriptor, (status.st_dev, status.st_ino)

    def release(self) -> None:
        """Lets another agent have it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._identity = -1, None


def _lock(descriptor: int, directory: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DirectoryInUseError(
            f"another agent is reading the journal directory {directory}: one directory, one agent"
        ) from error
    except OSError:
        return
