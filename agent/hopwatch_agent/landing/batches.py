"""Batches: which rows go into which file, decided once and kept until the file is there."""

import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopwatch_agent.store.blocks import PackedRow, packed_rows
from hopwatch_agent.store.database import FILE_NAME, connect, meta, reading, set_meta, transaction

ROWS_FORMED_AT_ONCE = 200_000
BLOCKS_FORMED_AT_ONCE = 20_000
BYTES_FORMED_AT_ONCE = 64 * 1024 * 1024
CLOCK_KEPT_EVERY_MS = 60_000

_FORM = (
    "INSERT INTO batches SELECT min(id), max(id), kind, date, host, ?, ?,"
    " sum(length(data) + length(kind) + length(date) + length(host) + 16) FROM blocks"
    " WHERE id BETWEEN ? AND ? GROUP BY kind, date, host"
)
_SELECT = "SELECT data FROM blocks WHERE id BETWEEN ? AND ? AND kind=? AND date=? AND host=? ORDER BY id"
_COUNT = "SELECT coalesce(sum(rows), 0) FROM blocks WHERE id BETWEEN ? AND ? AND kind=? AND date=? AND host=?"
_DELETE = "DELETE FROM blocks WHERE id BETWEEN ? AND ? AND kind=? AND date=? AND host=?"
_FORGET = "DELETE FROM batches WHERE first=? AND last=? AND kind=? AND date=? AND host=?"
_NEXT = (
    "SELECT first, last, kind, date, host, database FROM batches"
    " WHERE (first, last, kind, date, host) > (?, ?, ?, ?, ?) ORDER BY first, last, kind, date, host LIMIT 1"
)
_FITTING = (
    "SELECT max(id) FROM (SELECT id, sum(rows) OVER so_far AS rows, sum(length(data)) OVER so_far AS size"
    " FROM blocks WHERE id BETWEEN ? AND ? WINDOW so_far AS (ORDER BY id)) WHERE rows <= ? AND size <= ?"
)
BEFORE_ALL = (0, 0, "", "", "")

Place = tuple[int, int, str, str, str]


@dataclass(frozen=True)
class Batch:
    """All rows of one kind, day and host in the blocks from ``first`` to ``last`` of one database."""

    first: int
    last: int
    kind: str
    date: str
    host: str
    database: str

    @property
    def place(self) -> Place:
        """What identifies the batch in the database."""
        return (self.first, self.last, self.kind, self.date, self.host)

    @property
    def name(self) -> str:
        """The name of its file: a function of the batch alone."""
        return f"{self.database}-{self.first:012d}-{self.last:012d}"


class BatchStore:
    """The landing's side of the database. Used by one thread."""

    def __init__(self, data: Path) -> None:
        self.connection = connect(data)
        self.database = self._name(data)
        self._clock_then = meta(self.connection, "clock")
        self._clock_kept = self._clock_then
        self._began = time.monotonic()

    def close(self) -> None:
        """Closes the connection."""
        self.connection.close()

    def clock(self) -> int:
        """Milliseconds for which an agent has run on this database: unlike the time of day, it never jumps."""
        return self._clock_then + int((time.monotonic() - self._began) * 1000)

    def form(self) -> None:
        """Puts the oldest rows that are in no batch yet into batches, at most 200,000 rows or 64 MiB at once."""
        now = self.clock()
        with transaction(self.connection):
            done = meta(self.connection, "formed_to")
            newest = meta(self.connection, "next_block") - 1
            if done < newest:
                cut = self._cut(done + 1, newest)
                self.connection.execute(_FORM, (self.database, now, done + 1, cut))
                set_meta(self.connection, "formed_to", cut)
            if done < newest or now - self._clock_kept > CLOCK_KEPT_EVERY_MS:
                set_meta(self.connection, "clock", now)
                self._clock_kept = now

    def _cut(self, first: int, last: int) -> int:
        last = min(last, first + BLOCKS_FORMED_AT_ONCE)
        most = (first, last, ROWS_FORMED_AT_ONCE, BYTES_FORMED_AT_ONCE)
        fitting = self.connection.execute(_FITTING, most).fetchone()[0]
        return first if fitting is None else int(fitting)

    def unformed(self) -> bool:
        """Whether there are rows that are in no batch yet."""
        with reading():
            return meta(self.connection, "formed_to") < meta(self.connection, "next_block") - 1

    def size(self) -> int:
        """Bytes that the rows of all batches take in the database."""
        with reading():
            return int(self.connection.execute("SELECT total(bytes) FROM batches").fetchone()[0])

    def next_batch(self, after: Place = BEFORE_ALL) -> Batch | None:
        """The oldest batch that is not forgotten, of those after a place."""
        with reading():
            found = self.connection.execute(_NEXT, after).fetchone()
        return None if found is None else Batch(*found)

    def rows(self, batch: Batch) -> Iterator[PackedRow]:
        """The rows of a batch, in order."""
        with reading():
            for (data,) in self.connection.execute(_SELECT, batch.place):
                yield from packed_rows(data)

    def forget(self, batch: Batch, size: int) -> int:
        """Deletes a batch that has landed as so many bytes, and its rows; gives how many they were.

        Its file is remembered, so that it may be merged; one that a copied database has as well is not.
        """
        with transaction(self.connection):
            deleted = delete(self.connection, batch)
            if batch.database == self.database:
                known = (*batch.place, batch.database, deleted, size)
                self.connection.execute("REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", known)
            return deleted

    def _name(self, data: Path) -> str:
        """The database's name, as files are called after it: a new one when it is a copy.

        Two agents on copies would give different rows one name. Batches that were formed before keep theirs;
        which files there are, and may be merged, is left to the other one.
        """
        seen_on = f"{os.uname().nodename} {(data / FILE_NAME).stat().st_ino}"
        with transaction(self.connection):
            name, before = (
                str(self.connection.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()[0])
                for key in ("name", "seen_on")
            )
            if before == seen_on:
                return name
            if before:
                name = os.urandom(6).hex()
                self.connection.execute("DELETE FROM files")
                self.connection.execute("DELETE FROM merges")
            for key, value in (("name", name), ("seen_on", seen_on)):
                self.connection.execute("UPDATE meta SET value=? WHERE key=?", (value, key))
        return name


def delete(connection: sqlite3.Connection, batch: Batch) -> int:
    """Deletes a batch with its rows, within a transaction; gives how many rows they were."""
    deleted = int(connection.execute(_COUNT, batch.place).fetchone()[0])
    connection.execute(_DELETE, batch.place)
    connection.execute(_FORGET, batch.place)
    return deleted
