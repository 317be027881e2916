"""Writing of one batch as one Parquet file, whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from hopwatch_agent.errors import LandingError, SettingsError, UnlandableBatchError
from hopwatch_agent.journal.lines import escaped_host
from hopwatch_agent.landing.batches import Batch
from hopwatch_agent.landing.schemas import KINDS, SCHEMA_VERSION, TIMESTAMP, schema_of
from hopwatch_agent.live.state import Row

_TIME_COLUMNS = {
    kind: [name for name, data_type in columns.items() if data_type == TIMESTAMP]
    for kind, columns in KINDS.items()
}


def without_secret(uri: str) -> str:
    """The URI as it may be shown: object stores take a key and its secret before the bucket."""
    scheme, separator, rest = uri.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{separator}{place.rpartition('@')[2]}{slash}{path}" if separator else uri


class Landing:
    """A folder or object store below which the batches are written."""

    def __init__(self, uri: str) -> None:
        """``uri``: a local path, or anything that ``pyarrow.fs`` knows; raises ``SettingsError``."""
        self._uri = uri
        self.shown = without_secret(uri)
        self._opened: tuple[fs.FileSystem, str] | None = None
        if "://" in uri and not uri.startswith(("file://", "s3://", "gs://", "gcs://", "abfs://", "hdfs://")):
            raise SettingsError(f"cannot land at {self.shown}: the scheme is not known")

    def write(self, batch: Batch, name: str, rows: Iterable[Row]) -> None:
        """Writes the batch's file, over one of the same name.

        Raises ``UnlandableBatchError`` if the rows are at fault, else ``LandingError``.
        """
        try:
            table = table_of(batch.kind, rows)
        except (pa.ArrowException, ValueError, KeyError, OverflowError) as error:
            raise UnlandableBatchError(f"cannot make a table of batch {name}: {error}") from error
        try:
            filesystem, root = self._open()
            folder = f"{root}/kind={batch.kind}/date={batch.date}/host={escaped_host(batch.host)}"
            if isinstance(filesystem, fs.LocalFileSystem):
                _write_local(table, Path(folder), name)
            else:
                _write_remote(table, filesystem, f"{folder}/{name}.parquet")
        except (OSError, pa.ArrowException, ValueError) as error:
            reason = str(error).replace(self._uri, self.shown)
            raise LandingError(f"cannot land {name} at {self.shown}: {reason}") from error

    def _open(self) -> tuple[fs.FileSystem, str]:
        if self._opened is None:
            where = self._uri if "://" in self._uri else str(Path(self._uri).absolute())
            filesystem, root = fs.FileSystem.from_uri(where)
            self._opened = filesystem, root.rstrip("/")
        return self._opened


def table_of(kind: str, rows: Iterable[Row]) -> pa.Table:
    """Rows of one kind as a table with the schema of that kind."""
    times = _TIME_COLUMNS[kind]
    return pa.Table.from_pylist([_record(row, times) for row in rows], schema=schema_of(kind))


def _record(row: Row, times: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {
        **row.values,
        "schema_version": SCHEMA_VERSION,
        "host": row.host,
        "process": row.process,
        "n": row.n,
        "at": row.at // 1000,
    }
    for name in times:
        if record.get(name) is not None:
            record[name] //= 1000
    if isinstance(record.get("options"), dict):
        record["options"] = list(record["options"].items())
    return record


def _write_local(table: pa.Table, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # readers of such folders pass over names that begin with a dot
    temporary = folder / f".{name}.tmp"
    try:
        with temporary.open("wb") as file:
            pq.write_table(table, file, compression="zstd", write_page_checksum=True)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / f"{name}.parquet")
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_remote(table: pa.Table, filesystem: fs.FileSystem, path: str) -> None:
    # an object is there once its stream was closed, and not before
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    with filesystem.open_output_stream(path) as stream:
        stream.write(sink.getvalue())
