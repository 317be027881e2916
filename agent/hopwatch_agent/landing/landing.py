"""Writing, merging and removing of landed files, with every failure told in words."""

import errno
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import PurePosixPath
from urllib.parse import quote

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from hopwatch.errors import HopwatchError

from hopwatch_agent.errors import LandingError, UnlandableBatchError, UnmergeableFileError
from hopwatch_agent.landing.address import check_scheme, without_secret
from hopwatch_agent.landing.batches import Batch
from hopwatch_agent.landing.parquet import ROWS_AT_ONCE, write_rows, write_tables
from hopwatch_agent.landing.place import Place, open_place
from hopwatch_agent.landing.reasons import told_without_secrets
from hopwatch_agent.landing.schemas import schema_of
from hopwatch_agent.store.blocks import PackedRow

HOST_LIMIT = 240
READERS = 8
_OF_THE_ROWS = (
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
    NotImplementedError,
    msgspec.DecodeError,
)
"""What is raised, pyarrow's errors among it, where rows fit no table: not where memory or disk is short."""


class Landing:
    """A folder or object store below which the batches are written. Used by one thread."""

    def __init__(self, uri: str) -> None:
        """``uri``: a local path, or anything that ``pyarrow.fs`` knows; raises ``SettingsError``."""
        check_scheme(uri)
        self._uri = uri
        self.shown = without_secret(uri)
        self._opened: Place | None = None

    def write(self, batch: Batch, name: str, rows: Iterable[PackedRow]) -> int:
        """Writes the batch's file, over one of the same name; gives its size in bytes.

        Raises ``UnlandableBatchError`` if the rows are at fault, else ``LandingError``.
        """
        with self._told(f"cannot land {name}"):
            return self._place().put(_path(batch, name), lambda sink: _fill(batch, name, rows, sink))[1]

    def merge(self, parts: Sequence[Batch], whole: Batch, rows: int) -> int:
        """Writes one file of all the rows of the parts, which stay; gives its size in bytes.

        Raises ``UnmergeableFileError`` if one of them is not what was landed, else ``LandingError``.
        """
        pool = ThreadPoolExecutor(READERS)
        try:
            with self._told(f"cannot merge files into {whole.name}"):
                place = self._place()
                contents = pool.map(lambda part: _contents(place, part), parts)
                pairs = zip(parts, contents, strict=True)
                return place.put(_path(whole, whole.name), lambda sink: _fill_merged(pairs, rows, sink))[1]
        finally:
            pool.shutdown(cancel_futures=True)

    def remove(self, batch: Batch) -> None:
        """Removes the batch's file, if it is there; raises ``LandingError``."""
        with self._told(f"cannot remove {batch.name}"):
            self._place().remove(_path(batch, batch.name))

    def _place(self) -> Place:
        if self._opened is None:
            self._opened = open_place(self._uri)
        return self._opened

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except HopwatchError:
            raise
        except (OSError, pa.ArrowException, ValueError) as error:
            reason = told_without_secrets(str(error), self._uri)
            raise LandingError(f"{what} at {self.shown}: {reason}") from error


def _path(batch: Batch, name: str) -> PurePosixPath:
    host = quote(batch.host, safe="", errors="replace")[:HOST_LIMIT]
    return PurePosixPath(f"kind={batch.kind}", f"date={batch.date}", f"host={host}", f"{name}.parquet")


def _contents(place: Place, part: Batch) -> pa.Buffer:
    try:
        return place.read(_path(part, part.name))
    except OSError as error:
        if error.errno not in {errno.ENOENT, errno.ELOOP}:
            raise
        raise UnmergeableFileError(f"{part.name} is not there any more", part.name) from error


def _fill_merged(pairs: Iterable[tuple[Batch, pa.Buffer]], rows: int, sink: object) -> None:
    parts = list(pairs)
    tables = (table for part, contents in parts for table in _tables(part, contents))
    written = write_tables(parts[0][0].kind, tables, sink)
    if written != rows:
        first = parts[0][0].name
        raise UnmergeableFileError(f"{written} rows are there, {rows} were landed: {first} and on", first)


def _tables(part: Batch, contents: pa.Buffer) -> Iterator[pa.Table]:
    try:
        file = pq.ParquetFile(pa.BufferReader(contents))
        if not file.schema_arrow.equals(schema_of(part.kind)):
            raise UnmergeableFileError(f"{part.name} is of another version of the agent", part.name)
        for records in file.iter_batches(ROWS_AT_ONCE):
            yield pa.Table.from_batches([records])
    except (pa.ArrowException, OSError) as error:
        raise UnmergeableFileError(f"{part.name} cannot be read: {error}", part.name) from error


def _fill(batch: Batch, name: str, rows: Iterable[PackedRow], sink: object) -> int:
    try:
        return write_rows(batch.kind, batch.host, rows, sink)
    except _OF_THE_ROWS as error:
        raise UnlandableBatchError(
            f"cannot make a table of batch {name}: it stays in the database until another version of the agent"
            f" can land it, or it is given up: {error}"
        ) from error
