"""Rows to Parquet, a bounded number of them in memory at a time."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hopwatch_agent.landing.schemas import KINDS, SCHEMA_VERSION, TIMESTAMP, schema_of
from hopwatch_agent.store.blocks import PackedRow

ROWS_AT_ONCE = 500
"""Rows that are Python objects at the same time."""
ROWS_A_GROUP = 20_000
"""Rows of a row group: until it is written they are in memory as columns."""


def write_rows(kind: str, host: str, rows: Iterable[PackedRow], sink: Any) -> int:
    """Writes rows of one kind and host as a Parquet file into an open sink; gives how many they were.

    Raises what pyarrow raises, and ``ValueError`` or ``TypeError`` for rows that fit no table.
    """
    return write_tables(kind, _tables(kind, host, iter(rows)), sink)


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


def _tables(kind: str, host: str, rows: Iterator[PackedRow]) -> Iterator[pa.Table]:
    while chunk := list(islice(rows, ROWS_AT_ONCE)):
        yield table_of(kind, host, chunk)


def table_of(kind: str, host: str, rows: list[PackedRow]) -> pa.Table:
    """Rows of one kind and host as a table with the schema of that kind."""
    _numbers, at, processes, ns, *columns = zip(*rows, strict=True)
    named = {"process": processes, "n": ns, "at": at, **dict(zip(KINDS[kind], columns, strict=True))}
    constant = {"schema_version": SCHEMA_VERSION, "host": host}
    schema = schema_of(kind)
    arrays = [
        pa.repeat(pa.scalar(constant[field.name], field.type), len(rows))
        if field.name in constant
        else _array(named[field.name], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind == TIMESTAMP:
        nanoseconds = pa.array(values, type=pa.int64())
        return pc.divide(nanoseconds, 1000).cast(TIMESTAMP)
    if pa.types.is_map(kind):
        values = [list(value.items()) if isinstance(value, dict) else value for value in values]
    return pa.array(values, type=kind)
