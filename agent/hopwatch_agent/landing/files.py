"""Landed files that may still be merged: which there are, which are to become one, and which have become one.

A merged file is called after the first and the last block of its parts. So the ranges of two files of a
database in one folder never overlap in part: they are apart, or one lies within the other and its rows
are in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import groupby

from hopwatch_agent.landing.batches import Batch, BatchStore
from hopwatch_agent.store.database import meta, reading, set_meta, transaction

FILES_AT_ONCE = 250
DAYS_REMEMBERED = 2
AFTER_ALL_DAYS = "9999-99-99"
NEVER_MERGED = 2**62
"""As the size of a file: it is left as it is, and so is what lies on both sides of it from becoming one."""

_PLAN = "INSERT OR IGNORE INTO merges VALUES (?, ?, ?, ?, ?, ?)"
_FORGET_PLAN = "DELETE FROM merges WHERE kind=? AND date=? AND host=? AND database=? AND first=? AND last=?"
_NEXT = "SELECT first, last, kind, date, host, database FROM merges LIMIT 1"
_PARTS = (
    "SELECT first, last, kind, date, host, database, rows, bytes FROM files"
    " WHERE kind=? AND date=? AND host=? AND database=? AND first>=? AND last<=? AND merged IS NULL ORDER BY first"
)
_MERGED = (
    "UPDATE files SET merged=?"
    " WHERE kind=? AND date=? AND host=? AND database=? AND first>=? AND last<=? AND merged IS NULL"
)
_NEVER = "UPDATE files SET bytes=? WHERE kind=? AND date=? AND host=? AND database=? AND first=? AND last=?"
_ADD = "REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)"
_REMOVABLE = "SELECT first, last, kind, date, host, database FROM files WHERE merged <= ? LIMIT ?"
_FORGET = "DELETE FROM files WHERE kind=? AND date=? AND host=? AND database=? AND first=? AND last=?"
_WAITING = "SELECT kind, date, host, min(first) FROM batches GROUP BY kind, date, host"
_LANDED = (
    "SELECT first, last, kind, date, host, database, rows, bytes FROM files WHERE merged IS NULL"
    " ORDER BY kind, date, host, database, first"
)
# of a whole folder at once, when nothing is left to be landed there: what lies between two files must be known
_FORGET_BEFORE = (
    "DELETE FROM files WHERE merged IS NULL AND date < ?"
    " AND NOT EXISTS (SELECT 1 FROM merges WHERE (merges.kind, merges.date, merges.host, merges.database)"
    " = (files.kind, files.date, files.host, files.database))"
    " AND NOT EXISTS (SELECT 1 FROM batches WHERE (batches.kind, batches.date, batches.host)"
    " = (files.kind, files.date, files.host))"
)


@dataclass(frozen=True)
class LandedFile:
    """A file as it was landed: whose, rows, and bytes."""

    batch: Batch
    rows: int
    size: int


class FileStore:
    """The merging's side of the database. Used by the thread that lands. All raise ``StoreError``."""

    def __init__(self, store: BatchStore) -> None:
        self._store = store
        self._connection = store.connection

    def since_planned(self) -> float:
        """Seconds that the agent ran since merges were planned."""
        with reading():
            return (self._store.clock() - meta(self._connection, "merged_at")) / 1000

    def plan(self, largest: int) -> None:
        """Decides which files become one of at most ``largest`` bytes; those past half of it stay as they are."""
        with transaction(self._connection):
            for group in self._groups(largest):
                whole = (group[0].batch.first, group[-1].batch.last, *group[0].batch.place[2:])
                values = (*whole, group[0].batch.database)
                self._connection.execute(_PLAN, values)
            oldest = (datetime.now(timezone.utc) - timedelta(days=DAYS_REMEMBERED)).strftime("%Y-%m-%d")
            self._connection.execute(_FORGET_BEFORE, (oldest,))
            set_meta(self._connection, "merged_at", self._store.clock())

    def forget(self) -> None:
        """Forgets the files that may be merged: they stay as they are."""
        with transaction(self._connection):
            self._connection.execute(_FORGET_BEFORE, (AFTER_ALL_DAYS,))

    def next_merge(self) -> Batch | None:
        """One of the files that are to be made."""
        with reading():
            found = self._connection.execute(_NEXT).fetchone()
        return None if found is None else Batch(*found)

    def parts(self, whole: Batch) -> list[LandedFile]:
        """The files that become this one, in order."""
        with reading():
            found = self._connection.execute(_PARTS, (*_folder(whole), whole.first, whole.last))
            return [_landed_file(values) for values in found.fetchall()]

    def merged(self, whole: Batch, rows: int, size: int) -> None:
        """Notes that the file has been made: its parts may go after a while."""
        with transaction(self._connection):
            parts = (self._store.clock(), *_folder(whole), whole.first, whole.last)
            self._connection.execute(_MERGED, parts)
            values = (*whole.place, whole.database, rows, size)
            self._connection.execute(_ADD, values)
            self._forget_merge(whole)

    def give_up_merge(self, whole: Batch, at_fault: str | None) -> None:
        """Leaves the parts as they are; the one at fault (its name) is never merged."""
        faulty = [part.batch for part in self.parts(whole) if part.batch.name == at_fault]
        with transaction(self._connection):
            for part in faulty:
                values = (NEVER_MERGED, *_folder(part), part.first, part.last)
                self._connection.execute(_NEVER, values)
            self._forget_merge(whole)

    def removable(self, seconds: float, limit: int) -> list[Batch]:
        """Files whose rows have been in a merged one for so long."""
        before = self._store.clock() - int(seconds * 1000)
        with reading():
            found = self._connection.execute(_REMOVABLE, (before, limit))
            return [Batch(*values) for values in found.fetchall()]

    def removed(self, files: Sequence[Batch]) -> None:
        """Forgets files that are not there any more."""
        with transaction(self._connection):
            for file in files:
                values = (*_folder(file), file.first, file.last)
                self._connection.execute(_FORGET, values)

    def _forget_merge(self, whole: Batch) -> None:
        values = (*_folder(whole), whole.first, whole.last)
        self._connection.execute(_FORGET_PLAN, values)

    def _groups(self, largest: int) -> Iterator[list[LandedFile]]:
        waiting = {tuple(values[:3]): values[3] for values in self._connection.execute(_WAITING)}
        files = [_landed_file(values) for values in self._connection.execute(_LANDED).fetchall()]
        for _, of_folder in groupby(files, key=lambda file: _folder(file.batch)):
            # what has yet to land must not lie within a merged file's range
            landed = [file for file in of_folder if file.batch.last < _first_waiting(file.batch, waiting)]
            yield from (group for group in _grouped(landed, largest) if len(group) > 1)


def _grouped(files: list[LandedFile], largest: int) -> Iterator[list[LandedFile]]:
    group: list[LandedFile] = []
    for file in files:
        too_much = sum(each.size for each in group) + file.size > largest or len(group) == FILES_AT_ONCE
        if file.size > largest // 2 or too_much:
            yield group
            group = []
        if file.size <= largest // 2:
            group.append(file)
    yield group


def _first_waiting(batch: Batch, waiting: dict[tuple[str, ...], int]) -> float:
    return waiting.get((batch.kind, batch.date, batch.host), float("inf"))


def _landed_file(values: tuple[int, int, str, str, str, str, int, int]) -> LandedFile:
    return LandedFile(Batch(*values[:6]), *values[6:])


def _folder(batch: Batch) -> tuple[str, str, str, str]:
    return (batch.kind, batch.date, batch.host, batch.database)
