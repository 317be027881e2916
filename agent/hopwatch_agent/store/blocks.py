"""Rows as they wait in the database: in blocks of one kind, day and host, each row a list of columns without their names."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

import msgspec

from hopwatch_agent.landing.schemas import KINDS
from hopwatch_agent.live.state import Row
from hopwatch_agent.store.database import meta, set_meta

ROWS_A_BLOCK = 200
BYTES_A_BLOCK = 1024 * 1024
_DAY = 86_400 * 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

PackedRow = tuple[Any, ...]
"""number, ``at``, process, ``n``, and the columns of its kind in the order of ``KINDS``."""
NumberedRow = tuple[int, Row]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[Any, ...]]).decode
_NAMES = {kind: tuple(columns) for kind, columns in KINDS.items()}


@dataclass(frozen=True)
class Block:
    """So many rows of one kind, UTC day and host; ``newest``: the highest number among them."""

    kind: str
    date: str
    host: str
    rows: int
    newest: int
    data: bytes


def add_rows(connection: sqlite3.Connection, rows: Iterable[Row]) -> list[NumberedRow]:
    """Puts rows into the database, within a transaction; gives them with the numbers that they got."""
    first = meta(connection, "next_row")
    numbered = list(enumerate(rows, start=first))
    if not numbered:
        return []
    block = meta(connection, "next_block")
    entries = [
        (number, made.kind, made.date, made.host, made.rows, made.newest, made.data)
        for number, made in enumerate(blocks_of(numbered), start=block)
    ]
    connection.executemany("INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?)", entries)
    set_meta(connection, "next_row", first + len(numbered))
    set_meta(connection, "next_block", block + len(entries))
    faults = sum(row.kind == "fault" for _, row in numbered)
    if faults:
        set_meta(connection, "faults", meta(connection, "faults") + faults)
    return numbered


def blocks_of(rows: Iterable[NumberedRow]) -> Iterator[Block]:
    """Rows in as few blocks as may be, in their order within each kind, day and host."""
    groups: defaultdict[tuple[str, str, int], list[PackedRow]] = defaultdict(list)
    for number, row in rows:
        packed = (number, row.at, row.process, row.n, *map(row.values.get, _NAMES[row.kind]))
        groups[row.kind, row.host, row.at // _DAY].append(packed)
    for (kind, host, day), packed_rows in groups.items():
        for start in range(0, len(packed_rows), ROWS_A_BLOCK):
            for some, data in _encoded(packed_rows[start : start + ROWS_A_BLOCK]):
                yield Block(kind, _date_of_day(day), host, len(some), some[-1][0], data)


def _encoded(rows: list[PackedRow]) -> Iterator[tuple[list[PackedRow], bytes]]:
    data = _encode(rows)
    if len(data) <= BYTES_A_BLOCK or len(rows) == 1:
        yield rows, data
        return
    half = len(rows) // 2
    yield from _encoded(rows[:half])
    yield from _encoded(rows[half:])


def packed_rows(data: bytes) -> list[PackedRow]:
    """The rows of a block; raises ``msgspec.DecodeError``."""
    return _decode(data)


def unpacked(kind: str, host: str, rows: Sequence[PackedRow]) -> list[NumberedRow]:
    """Rows of a block with their columns named; those that have no value are left out."""
    names = _NAMES[kind]
    return [
        (number, Row(kind, at, host, process, n, _named(names, values)))
        for number, at, process, n, *values in rows
    ]


def _named(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


@lru_cache(maxsize=64)
def _date_of_day(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).strftime("%Y-%m-%d")
