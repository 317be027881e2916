"""How much may wait to be landed, and for how long: past that the oldest rows are given up, counted, and told of."""

import time
from dataclasses import dataclass
from datetime import datetime, timezone

from hopwatch_agent.landing.batches import BEFORE_ALL, Batch, BatchStore, delete
from hopwatch_agent.live.state import Row
from hopwatch_agent.store.blocks import NumberedRow, add_rows
from hopwatch_agent.store.database import meta, reading, set_meta, transaction

SPARE_BYTES = 8 * 1024 * 1024
PAGES_AT_ONCE = 500
_ROOM_MADE = 0.9
"""Of the bound, so that not each batch that comes drives one out."""

_ABOUT = "SELECT formed, bytes FROM batches WHERE first=? AND last=? AND kind=? AND date=? AND host=?"
_COUNT = (
    "INSERT INTO given_up VALUES (?, ?, ?, ?) ON CONFLICT (host)"
    " DO UPDATE SET rows = rows + excluded.rows, last_at = excluded.last_at"
)


@dataclass(frozen=True)
class Bounds:
    """``size``: bytes of the rows that wait; ``seconds``: that the agent ran since a batch was formed."""

    size: int
    seconds: float


class Keeper:
    """Holds what waits within its bounds. Used by the thread that lands. All raise ``StoreError``."""

    def __init__(self, store: BatchStore, bounds: Bounds) -> None:
        self._store = store
        self._connection = store.connection
        self._bounds = bounds

    def given_up(self) -> int:
        """Rows that were given up since the database was made."""
        with reading():
            return meta(self._connection, "given_up")

    def give_up(self, *, old_too: bool = True) -> int:
        """Gives up the oldest batches until the rest is within the bounds (of size alone, or of age too); gives the number of rows."""
        while self._store.unformed():
            self._store.form()
        given, used = 0, self._store.size()
        room = self._bounds.size if used <= self._bounds.size else self._bounds.size * _ROOM_MADE
        while (oldest := self._store.next_batch(BEFORE_ALL)) is not None:
            formed, size = self._about(oldest)
            if used <= room and not (old_too and self._is_old(formed)):
                break
            given += self._give_up(oldest)
            used -= size
        return given

    def tell(self) -> list[NumberedRow]:
        """Puts what was given up since the last time into rows that are to be landed; gives these."""
        with transaction(self._connection):
            found = self._connection.execute("SELECT host, rows, first_at, last_at FROM given_up").fetchall()
            if not found:
                return []
            in_all = meta(self._connection, "given_up")
            rows = [_told(host, count, begun, ended, in_all) for host, count, begun, ended in found]
            numbered = add_rows(self._connection, rows)
            self._connection.execute("DELETE FROM given_up")
        return numbered

    def shrink(self) -> None:
        """Gives room in the database's file back to the disk, but for a little that will be needed again."""
        with reading():
            size, spare = self._pragma("page_size"), self._pragma("freelist_count")
            steps = range(0, spare - SPARE_BYTES // size, PAGES_AT_ONCE)
            for _ in steps:
                # execute() would free one page: the statement has to be stepped once for each
                self._connection.executescript(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})")
            if steps:
                # the file itself is cut when the log is written back into it
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _give_up(self, batch: Batch) -> int:
        with transaction(self._connection):
            rows = delete(self._connection, batch)
            now = time.time_ns()
            self._connection.execute(_COUNT, (batch.host, rows, now, now))
            set_meta(self._connection, "given_up", meta(self._connection, "given_up") + rows)
        return rows

    def _about(self, batch: Batch) -> tuple[int, int]:
        """When it was formed, and the bytes that it takes."""
        with reading():
            formed, size = self._connection.execute(_ABOUT, batch.place).fetchone()
            return int(formed), int(size)

    def _is_old(self, formed: int) -> bool:
        return self._store.clock() - formed > self._bounds.seconds * 1000

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])


def _told(host: str, rows: int, first_at: int, last_at: int, in_all: int) -> Row:
    text = (
        f"{rows} rows of this host were given up from {_day(first_at):%Y-%m-%d %H:%M:%S} to"
        f" {_day(last_at):%Y-%m-%d %H:%M:%S} UTC, because they could not be landed for too long, or were too many"
        f" (keep_seconds, keep_bytes): {in_all} in all since the agent's database was made"
    )
    return Row("fault", last_at, host, None, None, {"socket": None, "text": text})


def _day(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1e9, timezone.utc)
