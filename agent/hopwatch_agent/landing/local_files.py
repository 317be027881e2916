"""Files of a local folder that are there whole or not at all, and survive the loss of power."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def put_file(path: Path, fill: Callable[[Any], T]) -> tuple[T, int]:
    """Makes a file of what ``fill`` writes; gives what it gave, and the size in bytes. Raises ``OSError``."""
    _make_folder(path.parent)
    temporary = _temporary(path)
    try:
        with temporary.open("wb") as file:
            given = fill(file)
            file.flush()
            size = os.fstat(file.fileno()).st_size
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
    return given, size


def remove_temporary(path: Path) -> None:
    """Removes what a kill has left of a file that will not be written again."""
    _temporary(path).unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    # readers of such folders pass over names that begin with a dot; one who writes the file again writes over it
    return path.with_name(f".{path.stem}.tmp")


def _make_folder(folder: Path) -> None:
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        _sync_folder(each.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
