"""The agent's database file: its tables, and transactions."""

import errno
import fcntl
import json
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from hopwatch.ownership import opened_folder

from hopwatch_agent.errors import DataDirectoryError, StoreError
from hopwatch_agent.landing.schemas import KINDS
from hopwatch_agent.store.room import PAGE, logged_pages

SCHEMA_VERSION = 5
FILE_NAME = "agent.sqlite3"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE blocks (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, date TEXT NOT NULL, host TEXT NOT NULL, rows INTEGER NOT NULL,
    newest INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE batches (
    first INTEGER NOT NULL, last INTEGER NOT NULL, kind TEXT NOT NULL, date TEXT NOT NULL, host TEXT NOT NULL,
    database TEXT NOT NULL, formed INTEGER NOT NULL, bytes INTEGER NOT NULL,
    PRIMARY KEY (first, last, kind, date, host)
) WITHOUT ROWID;
CREATE TABLE files (
    first INTEGER NOT NULL, last INTEGER NOT NULL, kind TEXT NOT NULL, date TEXT NOT NULL, host TEXT NOT NULL,
    database TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL, merged INTEGER,
    PRIMARY KEY (kind, date, host, database, first, last)
) WITHOUT ROWID;
CREATE TABLE merges (
    first INTEGER NOT NULL, last INTEGER NOT NULL, kind TEXT NOT NULL, date TEXT NOT NULL, host TEXT NOT NULL,
    database TEXT NOT NULL, PRIMARY KEY (kind, date, host, database, first, last)
) WITHOUT ROWID;
CREATE TABLE given_up (
    host TEXT PRIMARY KEY, rows INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE state (
    what TEXT NOT NULL, key TEXT NOT NULL, process TEXT NOT NULL, socket TEXT, data BLOB NOT NULL,
    PRIMARY KEY (what, key)
) WITHOUT ROWID;
CREATE INDEX blocks_of_file ON blocks (kind, date, host);
CREATE INDEX state_of_process ON state (process);
CREATE INDEX state_of_socket ON state (socket);
"""


@contextmanager
def owned(data: Path) -> Iterator[None]:
    """Holds the data directory for this agent alone; raises ``DataDirectoryError`` if it cannot."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        with opened_folder(data, 0o700) as folder:
            descriptor = os.open("agent.lock", flags, 0o600, dir_fd=folder)
    except OSError as error:
        raise DataDirectoryError(f"cannot use the data directory {data}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DataDirectoryError(f"another agent is running on the data directory {data}") from error
        yield
    finally:
        os.close(descriptor)


def prepare(data: Path) -> None:
    """Makes the tables of a new database; raises ``DataDirectoryError`` for a file that is not ours."""
    path = data / FILE_NAME
    _make_for_us_alone(path)
    connection = connect(data)
    try:
        with starting(path), transaction(connection):
            found = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not found:
                _make_tables(connection)
            version = connection.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
    finally:
        connection.close()
    if version is None or version[0] != _schema():
        raise DataDirectoryError(
            f"the database {path} is of another version of the agent: have that one land what waits in it, or use another"
            " data directory"
        )


def _schema() -> str:
    """Also of the columns of each kind: rows wait without the names of theirs, in their order."""
    columns = json.dumps({kind: list(names) for kind, names in KINDS.items()})
    return f"{SCHEMA_VERSION} {zlib.crc32(columns.encode()):08x}"


def _make_for_us_alone(path: Path) -> None:
    """Makes the file, so that nobody else can read it, nor what SQLite makes beside it with the same mode.

    Where others may write, none of these files may be theirs.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        with opened_folder(path.parent) as folder:
            for name in (path.name + ending for ending in ("-wal", "-shm", "-journal")):
                with suppress(FileNotFoundError):
                    _check_ours(name, os.stat(name, dir_fd=folder, follow_symlinks=False), folder)
            descriptor = os.open(path.name, flags, 0o600, dir_fd=folder)
            try:
                status = os.fstat(descriptor)
                _check_ours(path.name, status, folder)
                if status.st_uid == os.geteuid():
                    os.fchmod(descriptor, 0o600)
            finally:
                # closed before SQLite locks it: closing lets go of all locks that the process has on a file
                os.close(descriptor)
    except OSError as error:
        raise DataDirectoryError(f"cannot use the database {path}: {error.strerror}") from error


def _check_ours(name: str, file: os.stat_result, folder: int) -> None:
    above = os.fstat(folder)
    is_open = above.st_mode & (stat.S_IWGRP | stat.S_IWOTH) or above.st_uid not in {0, os.geteuid()}
    if not stat.S_ISREG(file.st_mode) or (is_open and file.st_nlink > 1):
        raise PermissionError(errno.EPERM, f"{name} is no regular file, or has another name as well")
    if is_open and file.st_uid not in {0, os.geteuid(), above.st_uid}:
        text = f"{name} belongs to user {file.st_uid}, and others can write into its folder"
        raise PermissionError(errno.EPERM, text)


def _make_tables(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    values = {
        "schema": _schema(),
        "name": os.urandom(6).hex(),
        "next_row": 1,
        "next_block": 1,
        "formed_to": 0,
        "faults": 0,
        "clock": 0,
        "merged_at": 0,
        "given_up": 0,
        "seen_on": "",
    }
    connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())


def connect(data: Path) -> sqlite3.Connection:
    """A connection for one thread. A commit survives the loss of power: batches are named after blocks.

    Raises ``DataDirectoryError``.
    """
    path = data / FILE_NAME
    with starting(path):
        connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        # of a new database only; before anything is written
        connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint={logged_pages(data)}")
        connection.execute(f"PRAGMA journal_size_limit={2 * PAGE * logged_pages(data)}")
        # a container may have no folder for temporary files that can be written
        connection.execute("PRAGMA temp_store=MEMORY")
    return connection


@contextmanager
def starting(path: Path) -> Iterator[None]:
    """Translates what a database that cannot be used raises to ``DataDirectoryError``, which names it."""
    try:
        yield
    except (sqlite3.Error, StoreError, msgspec.DecodeError, LookupError, TypeError, ValueError) as error:
        raise DataDirectoryError(f"cannot use the database {path}: {error}") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One writing transaction, all or nothing; raises ``StoreError``."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            connection.rollback()
            raise
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.rollback()
        raise StoreError(f"database {_path_of(connection)}: {error}") from error


def _path_of(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


@contextmanager
def reading() -> Iterator[None]:
    """Translates what the database raises on reading to ``StoreError``."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"database: {error}") from error


def meta(connection: sqlite3.Connection, key: str) -> int:
    """A number that is kept beside the rows."""
    return int(connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()[0])


def set_meta(connection: sqlite3.Connection, key: str, value: int) -> None:
    """Changes such a number."""
    connection.execute("UPDATE meta SET value=? WHERE key=?", (value, key))
