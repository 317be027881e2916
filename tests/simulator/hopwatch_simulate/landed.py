"""Landed files: where an agent puts each of them, and rows of them as Parquet."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from hopwatch_agent.landing.schemas import SCHEMA_VERSION, schema_of

from hopwatch_simulate.errors import SimulationError

Row = dict[str, Any]
ROWS_A_GROUP = 20_000
"""As many as an agent puts into one row group."""


def place_of(folder: Path, kind: str, day: date, host: str) -> Path:
    """Return the folder of a host's files of one kind and day."""
    return folder / f"kind={kind}" / f"date={day.isoformat()}" / f"host={quote(host, safe='')}"


def write_rows(path: Path, kind: str, rows: Sequence[Row], version: int = SCHEMA_VERSION) -> None:
    """Write rows as one file. A column that a row does not name is null.

    Raises SimulationError for columns that the kind does not have, and OSError.
    """
    schema = schema_of(kind)
    if unknown := {name for row in rows for name in row} - set(schema.names):
        raise SimulationError(f"kind {kind} has no columns {sorted(unknown)}")
    blank: Row = dict.fromkeys(schema.names) | {"schema_version": version}
    write_table(path, pa.Table.from_pylist([blank | row for row in rows], schema=schema))


def write_table(path: Path, table: pa.Table) -> None:
    """Write a table with the schema of its kind as one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", row_group_size=ROWS_A_GROUP, write_page_checksum=True)
