"""Footers of landed Parquet files: whether this program can read a file, and the times of its rows, without reading the rows."""

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq

from hopwatch_analysis.files.schemas import SCHEMA_VERSION, schema_of

ARROW_NAMES = {
    "string": ("string", "large_string"),
    "bigint": ("int64",),
    "int": ("int32",),
    "boolean": ("bool",),
    "timestamp": ("timestamp[us, tz=UTC]",),
    "map<string,bigint>": ("map<string, int64>",),
}


def problem(kind: str, footer: pq.ParquetFile, host: str | None = None) -> str | None:
    """What is wrong with a file's columns, their version, or the host that its path says (None: it says none)."""
    return (
        _schema_problem(kind, footer.schema_arrow)
        or _version_problem(footer)
        or (None if host is None else _host_problem(footer, host))
    )


def time_bounds(metadata: pq.FileMetaData) -> tuple[datetime | None, datetime | None]:
    """Bounds of the rows' times, where known."""
    known = [item for item in _statistics(metadata, "at") if item is not None and item.has_min_max]
    if not known:
        return None, None
    return min(item.min for item in known), max(item.max for item in known)


def _schema_problem(kind: str, schema: pa.Schema) -> str | None:
    for column in schema_of(kind):
        if column.name not in schema.names:
            return f"column {column.name!r} is missing"
        actual = _type_name(schema.field(column.name).type)
        if actual not in ARROW_NAMES[column.dataType.simpleString()]:
            return f"column {column.name!r} is {actual}, not {column.dataType.simpleString()}"
    return None


def _type_name(type_: pa.DataType) -> str:
    """The type's name; of a map without the names of its parts, which vary by writer."""
    return f"map<{type_.key_type}, {type_.item_type}>" if pa.types.is_map(type_) else str(type_)


def _version_problem(footer: pq.ParquetFile) -> str | None:
    if all(_says(SCHEMA_VERSION, item) for item in _statistics(footer.metadata, "schema_version")):
        return None
    versions = footer.read(columns=["schema_version"]).column(0).unique().to_pylist()
    foreign = [version for version in versions if version != SCHEMA_VERSION]
    return f"schema_version {foreign[0]}, this program reads {SCHEMA_VERSION}" if foreign else None


def _host_problem(footer: pq.ParquetFile, host: str) -> str | None:
    if all(_says(host, item) for item in _statistics(footer.metadata, "host")):
        return None
    others = [each for each in footer.read(columns=["host"]).column(0).unique().to_pylist() if each != host]
    return f"contradictory: rows of host {others[0]!r} in the folder of {host!r}" if others else None


def _says(value: object, item: pq.Statistics | None) -> bool:
    """The footer itself says that a row group has this value alone."""
    if item is None or not item.has_min_max or item.null_count != 0:
        return False
    return bool(item.min == item.max == value)


def _statistics(metadata: pq.FileMetaData, name: str) -> list[pq.Statistics | None]:
    """What the footer says of a column, by row group."""
    column = metadata.schema.names.index(name)
    return [metadata.row_group(index).column(column).statistics for index in range(metadata.num_row_groups)]
