"""The journal directory is read by one agent: two would unlink each other's unread files."""

import fcntl
import os
from pathlib import Path

from hopwatch.ownership import ForeignOwnerError, opened_folder

from hopwatch_agent.errors import DirectoryInUseError, ForeignDirectoryError


class DirectoryHold:
    """A lock on the directory itself: nothing is written there, and it ends with the agent, however that ends.

    Where the file system knows no such locks, the directory is taken for ours.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor = -1
        self._identity: tuple[int, int] | None = None

    def take(self) -> None:
        """Holds the directory that has the name now.

        Raises ``ForeignDirectoryError``, ``DirectoryInUseError`` and ``OSError``.
        """
        try:
            with opened_folder(self._directory) as folder:
                self._take(folder)
        except ForeignOwnerError as error:
            self.release()
            raise ForeignDirectoryError(
                f"cannot read the journal directory {self._directory}: {error.strerror}"
            ) from error

    def _take(self, folder: int) -> None:
        status = os.fstat(folder)
        if (status.st_dev, status.st_ino) == self._identity:
            return
        self.release()
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            _lock(descriptor, self._directory)
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
