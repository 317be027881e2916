"""Rows to Parquet, a bounded number of them in memory at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hopwatch_agent.landing.schemas import KINDS, SCHEMA_VERSION, TIMESTAMP, schema_of
from hopwatch_agent.live.state import Row

ROWS_AT_ONCE = 1_000
"""Rows that are Python objects at the same time."""
ROWS_A_GROUP = 20_000
"""Rows of a row group: until it is written they are in memory as columns."""


def write_rows(kind: str, rows: Iterable[Row], sink: Any) -> int:
    """Writes rows of one kind as a Parquet file into an open sink; gives how many they were.

    Raises what pyarrow raises, and ``ValueError`` or ``KeyError`` for rows that fit no table.
    """
    return write_tables(kind, _tables(kind, iter(rows)), sink)


def write_tables(kind: str, tables: Iterable[pa.Table], sink: Any) -> int:
    """Writes small tables of one kind as a Parquet file of large row groups; gives how many rows they had."""
    written = 0
    with pq.ParquetWriter(sink, schema_of(kind), compression="zstd", write_page_checksum=True) as writer:
        for group in _grouped(tables):
            writer.write_table(group, row_group_size=ROWS_A_GROUP)
            written += group.num_rows
    return written


def _grouped(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    for table in tables:
        if waiting and sum(each.num_rows for each in waiting) + table.num_rows > ROWS_A_GROUP:
            yield pa.concat_tables(waiting)
            waiting = []
        waiting.append(table)
    if waiting:
        yield pa.concat_tables(waiting)


def _tables(kind: str, rows: Iterator[Row]) -> Iterator[pa.Table]:
    while chunk := list(islice(rows, ROWS_AT_ONCE)):
        yield table_of(kind, chunk)


def table_of(kind: str, rows: list[Row]) -> pa.Table:
    """Rows of one kind as a table with the schema of that kind."""
    schema = schema_of(kind)
    own: dict[str, list[Any]] = {
        "schema_version": [SCHEMA_VERSION] * len(rows),
        "host": [row.host for row in rows],
        "process": [row.process for row in rows],
        "n": [row.n for row in rows],
        "at": [row.at // 1000 for row in rows],
    }
    columns = own | {name: _column(name, rows, kind) for name in KINDS[kind]}
    arrays = [pa.array(columns[field.name], type=field.type) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def _column(name: str, rows: list[Row], kind: str) -> list[Any]:
    values = [row.values.get(name) for row in rows]
    if KINDS[kind][name] == TIMESTAMP:
        return [None if value is None else value // 1000 for value in values]  # type: ignore[operator]
    if pa.types.is_map(KINDS[kind][name]):
        return [list(value.items()) if isinstance(value, dict) else value for value in values]
    return values
