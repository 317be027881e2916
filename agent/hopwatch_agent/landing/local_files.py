"""Files of a local folder that are there whole or not at all, and survive the loss of power.

Other users may be able to write into the folder: no link of theirs is followed, no file of theirs written to.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from hopwatch.ownership import opened_folder

T = TypeVar("T")


def put_file(path: Path, fill: Callable[[Any], T]) -> tuple[T, int]:
    """Makes a file of what ``fill`` writes; gives what it gave, and the size in bytes. Raises ``OSError``."""
    temporary = _temporary(path.name)
    with opened_folder(path.parent, 0o777, made=_sync) as folder:
        _unlink(temporary, folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            with os.fdopen(os.open(temporary, flags, 0o666, dir_fd=folder), "wb") as file:
                given = fill(file)
                file.flush()
                size = os.fstat(file.fileno()).st_size
                os.fsync(file.fileno())
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _unlink(temporary, folder)
            raise
        _sync(folder)
    return given, size


def read_file(path: Path) -> bytes:
    """Gives all that is in the file. Raises ``OSError``."""
    with opened_folder(path.parent) as folder:
        descriptor = os.open(
            path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def remove_file(path: Path) -> None:
    """Removes a file that may be gone already, and what a kill has left of it. Raises ``OSError``."""
    with suppress(FileNotFoundError), opened_folder(path.parent) as folder:
        _unlink(path.name, folder)
        _unlink(_temporary(path.name), folder)


def _temporary(name: str) -> str:
    # readers of such folders pass over names that begin with a dot; one who writes the file again writes over it
    return f".{Path(name).stem}.tmp"


def _unlink(name: str, folder: int) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def _sync(folder: int) -> None:
    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
