"""The tick's side of the database: rows, offsets and current state, in one transaction."""

import json
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path

import msgspec

from hopwatch_agent.errors import StoreError
from hopwatch_agent.landing.schemas import SAMPLES
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import (
    ConnectionState,
    LaneState,
    ProcessState,
    SocketState,
    TotalState,
)
from hopwatch_agent.store.blocks import NumberedRow, add_rows, packed_rows, unpacked
from hopwatch_agent.store.database import FILE_NAME, connect, meta, reading, starting, transaction
from hopwatch_agent.store.room import room

_BLOCK = "SELECT kind, host, data FROM blocks WHERE id=?"
_NEWEST = (
    "SELECT id, newest FROM blocks WHERE kind NOT IN (SELECT value FROM json_each(?))"
    " ORDER BY newest DESC LIMIT ?"
)
_encode = msgspec.msgpack.Encoder().encode
_State = ProcessState | SocketState | LaneState | ConnectionState | TotalState
_WHAT: dict[str, type[_State]] = {
    "process": ProcessState,
    "socket": SocketState,
    "lane": LaneState,
    "connection": ConnectionState,
    "total": TotalState,
}


class Store:
    """Used by one thread."""

    def __init__(self, data: Path) -> None:
        """Raises ``DataDirectoryError``."""
        self._path = data / FILE_NAME
        self._connection = connect(data)

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def name(self) -> str:
        """The name that the database was given when it was made."""
        with reading():
            return str(self._connection.execute("SELECT value FROM meta WHERE key='name'").fetchone()[0])

    def load(self) -> Tables:
        """The current state as it was last committed; raises ``DataDirectoryError`` if it is unreadable."""
        tables = Tables()
        with starting(self._path):
            for what, data in self._connection.execute("SELECT what, data FROM state"):
                _put(msgspec.msgpack.decode(data, type=_WHAT[what]), tables)
        return tables

    def commit(self, draft: Draft) -> list[NumberedRow]:
        """Keeps all of the draft or, with ``StoreError``, nothing. Gives the rows with their numbers."""
        with transaction(self._connection):
            rows = add_rows(self._connection, draft.rows)
            self._save_state(draft)
        return rows

    def _save_state(self, draft: Draft) -> None:
        connection = self._connection
        changes: list[tuple[str, Iterable[tuple[str, str | None, _State | None]]]] = [
            ("process", ((key, None, value) for key, value in draft.processes.changed.items())),
            ("socket", ((key, key, value) for key, value in draft.sockets.changed.items())),
            ("lane", ((_key(key), key[0], value) for key, value in draft.lanes.changed.items())),
            ("connection", ((_key(key), key[0], value) for key, value in draft.connections.changed.items())),
            ("total", ((key, None, value) for key, value in draft.totals.changed.items())),
        ]
        for what, entries in changes:
            known = list(entries)
            gone = [(what, key) for key, _, value in known if value is None]
            put = [
                (what, key, value.process, socket, _encode(value))
                for key, socket, value in known
                if value is not None
            ]
            connection.executemany("DELETE FROM state WHERE what=? AND key=?", gone)
            connection.executemany("REPLACE INTO state VALUES (?, ?, ?, ?, ?)", put)
        for process in draft.forgotten_processes:
            connection.execute("DELETE FROM state WHERE process=?", (process,))
        for socket in draft.forgotten_sockets:
            connection.execute("DELETE FROM state WHERE socket=?", (socket,))

    def room(self) -> int:
        """How many bytes a step may add; raises ``StoreError`` if that is none."""
        try:
            with reading():
                return room(self._connection, self._path)
        except OSError as error:
            raise StoreError(
                f"the disk of the database {self._path} cannot be asked for room: {error}"
            ) from error

    def newest_events(self, limit: int) -> list[NumberedRow]:
        """The newest rows that wait to be landed and are no samples of numbers, oldest first.

        Raises ``DataDirectoryError``.
        """
        with starting(self._path):
            found: list[NumberedRow] = []
            for block, newest in self._newest_blocks(limit):
                if len(found) == limit and newest < found[0][0]:
                    break
                kind, host, data = self._connection.execute(_BLOCK, (block,)).fetchone()
                found = sorted([*found, *unpacked(kind, host, packed_rows(data))], key=itemgetter(0))[-limit:]
            return found

    def _newest_blocks(self, limit: int) -> list[tuple[int, int]]:
        return self._connection.execute(_NEWEST, (json.dumps(sorted(SAMPLES)), limit)).fetchall()

    def totals(self) -> tuple[int, int]:
        """Rows that wait to be landed, and faults met since the database was made; raises ``DataDirectoryError``."""
        with starting(self._path):
            waiting = self._connection.execute("SELECT coalesce(sum(rows), 0) FROM blocks").fetchone()[0]
            return int(waiting), meta(self._connection, "faults")


def _key(parts: Iterable[str | int]) -> str:
    return " ".join(map(str, parts))


def _put(value: _State, tables: Tables) -> None:
    if isinstance(value, ProcessState):
        tables.processes[value.process] = value
    elif isinstance(value, SocketState):
        tables.sockets[value.socket] = value
    elif isinstance(value, LaneState):
        tables.lanes[value.socket, value.stream, value.lane] = value
    elif isinstance(value, TotalState):
        tables.totals[value.series] = value
    else:
        number = f"endpoint {value.endpoint}" if value.connection is None else str(value.connection)
        tables.connections[value.socket, number] = value
