"""Who made the folders that somebody is about to write into."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path


def made_by_stranger(path: Path) -> str | None:
    """Says so of a part of the path that another user made where everybody may make what they like, as in ``/tmp``; None if there is none.

    Whoever made it decides where it leads, now and later. Linux refuses to follow links by the same rule (fs.protected_symlinks, proc(5)).
    """
    for part in _parts(path):
        try:
            status, above = part.lstat(), part.parent.stat()
        except OSError:  # it is not there yet, or whoever opens it will be told why that fails
            continue
        is_for_all = above.st_mode & stat.S_ISVTX and above.st_mode & stat.S_IWOTH
        if is_for_all and status.st_uid not in {os.geteuid(), above.st_uid}:
            return (
                f"{part} belongs to user {status.st_uid}, who made it in {part.parent}, where every user may"
            )
    return None


def _parts(path: Path) -> Iterator[Path]:
    """The path and the folders above it, as it is named and as it leads."""
    for whole in dict.fromkeys((path.absolute(), path.resolve())):
        yield from (*reversed(whole.parents), whole)
