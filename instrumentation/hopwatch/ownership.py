"""Checks who owns a folder before anything is written into it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path


def foreign_owner(path: Path) -> str | None:
    """Return why a path is not safe to write to, or None.

    A part of the path is unsafe if another user created it in a folder that is sticky and writable for everybody, such as ``/tmp``: its owner
    decides where the path leads. Linux follows links by the same rule (fs.protected_symlinks, proc(5)).
    """
    for part in _parts(path):
        try:
            status, above = part.lstat(), part.parent.stat()
        except OSError:  # missing, or unreadable: opening it will raise
            continue
        is_shared = above.st_mode & stat.S_ISVTX and above.st_mode & stat.S_IWOTH
        if is_shared and status.st_uid not in {os.geteuid(), above.st_uid}:
            return f"{part} belongs to user {status.st_uid}, and every user can create files in {part.parent}"
    return None


def _parts(path: Path) -> Iterator[Path]:
    """Yield the path and its parents, as given and with links resolved."""
    for whole in dict.fromkeys((path.absolute(), path.resolve())):
        yield from (*reversed(whole.parents), whole)
