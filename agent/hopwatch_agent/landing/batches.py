"""Batches: which rows go into which file, decided once and kept until the file is there."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hopwatch_agent.live.state import Row
from hopwatch_agent.store.database import connect, meta, reading, set_meta, transaction

ROWS_FORMED_AT_ONCE = 200_000

_row = msgspec.msgpack.Decoder(Row)
_SELECT = "SELECT data FROM rows WHERE id BETWEEN ? AND ? AND kind=? AND date=? AND host=? ORDER BY id"
_DELETE = "DELETE FROM rows WHERE id BETWEEN ? AND ? AND kind=? AND date=? AND host=?"
_FORGET = "DELETE FROM batches WHERE first=? AND last=? AND kind=? AND date=? AND host=?"


@dataclass(frozen=True)
class Batch:
    """All rows of one kind, day and host with numbers from ``first`` to ``last``."""

    first: int
    last: int
    kind: str
    date: str
    host: str

    @property
    def place(self) -> tuple[int, int, str, str, str]:
        """What identifies the batch in the database."""
        return (self.first, self.last, self.kind, self.date, self.host)


class BatchStore:
    """The landing's side of the database. Used by one thread."""

    def __init__(self, data: Path) -> None:
        self._connection = connect(data)
        self.database = str(self._connection.execute("SELECT value FROM meta WHERE key='name'").fetchone()[0])

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def form(self) -> None:
        """Puts every row that is in no batch yet into one, at most 200,000 rows at once."""
        with transaction(self._connection):
            done = meta(self._connection, "formed_to")
            cut = min(meta(self._connection, "next_row") - 1, done + ROWS_FORMED_AT_ONCE)
            if cut == done:
                return
            self._connection.execute(
                "INSERT INTO batches SELECT min(id), max(id), kind, date, host FROM rows"
                " WHERE id BETWEEN ? AND ? GROUP BY kind, date, host",
                (done + 1, cut),
            )
            set_meta(self._connection, "formed_to", cut)

    def unformed(self) -> int:
        """How many rows are in no batch yet."""
        with reading():
            return meta(self._connection, "next_row") - 1 - meta(self._connection, "formed_to")

    def batches(self) -> list[Batch]:
        """The batches that are not forgotten, oldest first."""
        with reading():
            found = self._connection.execute(
                "SELECT first, last, kind, date, host FROM batches ORDER BY first"
            )
            return [Batch(*values) for values in found.fetchall()]

    def rows(self, batch: Batch) -> Iterator[Row]:
        """The rows of a batch, in order."""
        with reading():
            for (data,) in self._connection.execute(_SELECT, batch.place):
                yield _row.decode(data)

    def forget(self, batch: Batch) -> int:
        """Deletes a batch that has landed, and its rows; gives how many they were."""
        with transaction(self._connection):
            deleted = self._connection.execute(_DELETE, batch.place).rowcount
            self._connection.execute(_FORGET, batch.place)
            return deleted
