"""Room on the database's disk: a database that filled it could not even forget what was landed."""

import os
import sqlite3
from pathlib import Path

from hopwatch_agent.errors import StoreError

MOST_KEPT_FREE = 128 * 1024 * 1024
PAGE = 4096
MOST_LOGGED_PAGES = 1000


def check_room(connection: sqlite3.Connection, path: Path) -> None:
    """Raises ``StoreError`` where nothing more should be kept: the rest of the disk is for forgetting."""
    disk = os.statvfs(path.parent)
    within = int(connection.execute("PRAGMA freelist_count").fetchone()[0]) * PAGE
    free, kept_free = disk.f_bavail * disk.f_frsize + within, _kept_free(disk)
    if free < kept_free:
        raise StoreError(
            f"the disk of the database {path} is full: {free // 1024} KiB are free, {kept_free // 1024} KiB are left so that"
            " rows can be forgotten once they are landed"
        )


def logged_pages(data: Path) -> int:
    """After so many pages the write-ahead log is copied into the database: on a small disk, few."""
    return max(8, min(MOST_LOGGED_PAGES, _kept_free(os.statvfs(data)) // 8 // PAGE))


def _kept_free(disk: os.statvfs_result) -> int:
    """Room for the log of a step that forgets as much as the database holds, or a large part of it."""
    return min(MOST_KEPT_FREE, disk.f_blocks * disk.f_frsize // 2)
