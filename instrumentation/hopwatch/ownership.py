"""Opens folders step by step, and checks who owns each part of the path."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath

MOST_LINKS = 40
"""As many as Linux follows."""

_FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class ForeignOwnerError(PermissionError):
    """Another user decides where a path leads; ``strerror`` names the part of the path and its owner."""


def foreign_owner(path: Path) -> str | None:
    """Return why a path is not safe to use, or None; a path that does not exist is judged by its parents."""
    try:
        with opened_folder(path):
            return None
    except ForeignOwnerError as error:
        return error.strerror
    except OSError:  # missing, unreadable, or a file
        return None


@contextmanager
def opened_folder(
    path: Path, mode: int | None = None, made: Callable[[int], None] | None = None
) -> Iterator[int]:
    """Open a folder for ``dir_fd`` until the end of the block: no other user can redirect what is done by its descriptor.

    Raises ``ForeignOwnerError`` if another user than root owns a symbolic link on the way, or created a part
    of the path in a folder that is sticky and writable for everybody, such as ``/tmp``. Linux follows links by
    a similar rule (fs.protected_symlinks, proc(5)). Raises ``OSError`` as ``os.open`` does.

    With ``mode``, a missing folder is created, and its parents as the umask says; ``made`` gets each folder
    in which one was created.
    """
    walk = _Walk()
    try:
        try:
            walk.follow(path, mode, made)
        except OSError as error:
            error.filename = str(path)
            raise
        yield walk.folder
    finally:
        os.close(walk.folder)


class _Walk:
    """From the root on, one part of a path after the other."""

    def __init__(self) -> None:
        self.folder = os.open("/", _FLAGS)
        self._path = Path("/")
        self._links = 0
        # in a user namespace the root folder shows as whom the host's root is shown
        self._trusted = {0, os.geteuid(), os.fstat(self.folder).st_uid}

    def follow(self, path: Path, mode: int | None, made: Callable[[int], None] | None) -> None:
        """Go to a folder, and create it where it is missing and there is a mode."""
        todo = [*reversed(path.absolute().parts)]
        while todo:
            name = todo.pop()
            try:
                target = self._enter(name)
            except FileNotFoundError:
                if mode is None:
                    raise
                with suppress(FileExistsError):  # another process may create it
                    os.mkdir(name, 0o777 if todo else mode, dir_fd=self.folder)
                    if made is not None:
                        made(self.folder)
                target = self._enter(name)
            todo += reversed(target.parts)

    def _enter(self, name: str) -> PurePath:
        """Go on to a folder; return where a link leads instead, else the empty path."""
        part = self._open(name)
        try:
            status = os.fstat(part)
            self._check_owner(self._path / name, status)
            if stat.S_ISLNK(status.st_mode):
                self._links += 1
                if self._links > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                return PurePath(os.readlink("", dir_fd=part))
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            self.folder, part, self._path = part, self.folder, self._path / name
            return PurePath()
        finally:
            os.close(part)

    def _open(self, name: str) -> int:
        try:
            return os.open(name, _FLAGS | os.O_DIRECTORY, dir_fd=self.folder)  # so that it is mounted first
        except NotADirectoryError:
            return os.open(name, _FLAGS, dir_fd=self.folder)

    def _check_owner(self, part: Path, status: os.stat_result) -> None:
        owner = status.st_uid
        if owner in self._trusted:
            return
        if stat.S_ISLNK(status.st_mode):
            raise ForeignOwnerError(errno.EPERM, f"{part} belongs to user {owner}, and is a symbolic link")
        above = os.fstat(self.folder)
        is_shared = above.st_mode & stat.S_ISVTX and above.st_mode & stat.S_IWOTH
        if is_shared and owner != above.st_uid:
            text = f"{part} belongs to user {owner}, and every user can create files in {part.parent}"
            raise ForeignOwnerError(errno.EPERM, text)
