"""Rows of landed tables as columns, and the files that an agent would have merged them into."""

from collections import defaultdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hopwatch_agent.landing.schemas import SCHEMA_VERSION, schema_of
from hopwatch_simulate.landed import place_of, write_table

HOUR = 1_780_322_400
"""When the hour begins (seconds since 1970)."""
DAY = datetime.fromtimestamp(HOUR, timezone.utc).date()
Columns = dict[str, Any]


class Rows:
    """Rows by kind and host, until they are landed."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[str, str], list[pa.Table]] = defaultdict(list)
        self.count = 0

    def add(self, kind: str, host: str, at: Any, **columns: Any) -> None:
        """Rows of one kind; ``at`` in seconds of the hour. A column is an array of that length, one value for all, or left out."""
        at = np.atleast_1d(np.asarray(at, np.float64))
        given = {**columns, "host": host, "schema_version": SCHEMA_VERSION, "at": at}
        schema = schema_of(kind)
        unknown = given.keys() - set(schema.names)
        assert not unknown, f"{kind} has no columns {unknown}"
        arrays = [_array(field, given.get(field.name), len(at)) for field in schema]
        self._blocks[kind, host].append(pa.Table.from_arrays(arrays, schema=schema))
        self.count += len(at)

    def land(self, folder: Path, database: str) -> None:
        """One file a kind and host, as after an hour's merging; the rows are gone from here."""
        for number, ((kind, host), blocks) in enumerate(sorted(self._blocks.items())):
            name = f"{database}-{number * 100_000:012d}-{number * 100_000 + 99_999:012d}.parquet"
            write_table(place_of(folder, kind, DAY, host) / name, pa.concat_tables(blocks).sort_by("at"))
        self._blocks.clear()


def _array(field: pa.Field, value: Any, length: int) -> pa.Array:
    if value is None:
        return pa.nulls(length, field.type)
    if pa.types.is_timestamp(field.type):
        seconds = np.asarray(value, np.float64)
        micros = HOUR * 1_000_000 + np.round(np.nan_to_num(seconds) * 1e6).astype(np.int64)
        return pa.array(micros, mask=np.isnan(seconds)).cast(field.type)
    if isinstance(value, dict):
        return pa.array([list(value.items())] * length, field.type)
    if isinstance(value, np.ndarray | list):
        return pa.array(value, type=field.type)
    return pa.repeat(pa.scalar(value, field.type), length)
