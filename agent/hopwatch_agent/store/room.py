"""Room on the database's disk: a database that filled it could not even forget what was landed."""

import os
import sqlite3
from pathlib import Path

from hopwatch_agent.errors import StoreError

MOST_KEPT_FREE = 128 * 1024 * 1024
"""More than the log of a step that forgets takes, however much waits."""
LEAST_ROOM = 128 * 1024
PAGE = 4096
MOST_LOGGED_PAGES = 1000


def room(connection: sqlite3.Connection, path: Path) -> int:
    """How many bytes one step may add.

    They are written to the log, and from there to the database, and are forgotten by way of the log: for that, so much is kept
    free as the database holds. Raises ``StoreError`` where nothing more should be added.
    """
    disk = os.statvfs(path.parent)
    log = path.with_name(path.name + "-wal")
    free = disk.f_bavail * disk.f_frsize + (log.stat().st_size if log.exists() else 0)
    left = (free - min(MOST_KEPT_FREE, _held(connection))) // 3
    if left < LEAST_ROOM:
        raise StoreError(
            f"the disk of the database {path} is full: of {free // 1024} KiB that are free, all may be needed to forget rows"
            " once they are landed"
        )
    return left


def logged_pages(data: Path) -> int:
    """After so many pages the log is copied into the database: on a small disk, few."""
    disk = os.statvfs(data)
    return max(8, min(MOST_LOGGED_PAGES, disk.f_blocks * disk.f_frsize // 16 // PAGE))


def _held(connection: sqlite3.Connection) -> int:
    pages, spare = (
        connection.execute(f"PRAGMA {of}").fetchone()[0] for of in ("page_count", "freelist_count")
    )
    return int(pages - spare) * PAGE
