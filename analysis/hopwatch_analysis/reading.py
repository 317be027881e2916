"""Landed files in, one frame a kind out; a file that cannot be used is named and left out.

Every file's footer is checked here before Spark sees it, so that all that can be wrong with the input
is found, and told in our words, at this one boundary.
"""

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.merged import without_parts
from hopwatch_analysis.schemas import KINDS, SCHEMA_VERSION, schema_of

Tables = Mapping[str, DataFrame]

ARROW_NAMES = {
    "string": ("string", "large_string"),
    "bigint": ("int64",),
    "int": ("int32",),
    "boolean": ("bool",),
    "timestamp": ("timestamp[us, tz=UTC]",),
    "map<string,bigint>": ("map<string, int64>",),
}


@dataclass(frozen=True)
class SkippedFile:
    """A file that was left out, and what is wrong with it."""

    file: str
    reason: str


@dataclass(frozen=True)
class LandedFile:
    """A file that can be used: ``path`` is Spark's, ``name`` its name within ``system``.

    ``earliest`` and ``latest`` bound its rows' times, where known.
    """

    path: str
    kind: str
    system: fs.FileSystem
    name: str
    rows: int
    earliest: datetime | None = None
    latest: datetime | None = None


@dataclass(frozen=True)
class Landed:
    """What was found under the given folders."""

    files: tuple[LandedFile, ...]
    skipped: tuple[SkippedFile, ...]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def earliest(self) -> datetime | None:
        return min((file.earliest for file in self.files if file.earliest), default=None)

    @property
    def latest(self) -> datetime | None:
        return max((file.latest for file in self.files if file.latest), default=None)


def find_landed(uris: Sequence[str]) -> Landed:
    """Check every Parquet file under the given URIs or folders; a folder that cannot be listed is named and left out.

    Raises UnusableInputError if no file at all can be used.
    """
    listed = [_list(uri) for uri in uris]
    unlisted = tuple(item for item in listed if isinstance(item, SkippedFile))
    candidates = {found[1]: found for item in listed if not isinstance(item, SkippedFile) for found in item}
    with ThreadPoolExecutor(max_workers=8) as pool:
        checked = list(pool.map(_check, sorted(candidates.values(), key=lambda found: found[1])))
    files = tuple(item for item in checked if isinstance(item, LandedFile))
    skipped = unlisted + tuple(item for item in checked if isinstance(item, SkippedFile))
    if not files:
        raise UnusableInputError(_nothing_usable(uris, skipped))
    return Landed(files, skipped)


def load(spark: SparkSession, landed: Landed, until: datetime | None = None) -> Tables:
    """One frame a kind (empty where nothing was landed), without the rows later than ``until``."""
    tables = {}
    for kind in KINDS:
        paths = [_literally(file.path) for file in landed.files if file.kind == kind]
        schema = schema_of(kind)
        frame = (
            spark.read.schema(schema).parquet(*paths) if paths else spark.createDataFrame([], schema=schema)
        )
        tables[kind] = frame.where(sf.col("at") <= sf.lit(until)) if until else frame
    return tables


def _literally(path: str) -> str:
    """The path for Spark, which takes every path for a pattern."""
    return re.sub(r"([\\\[\]{}*?])", r"\\\1", path)


def _nothing_usable(uris: Sequence[str], skipped: tuple[SkippedFile, ...]) -> str:
    where = ", ".join(uris)
    if not skipped:
        return f"no landed Parquet files (kind=.../date=.../host=.../*.parquet) under {where}"
    first = skipped[0]
    return f"none of {len(skipped)} inputs under {where} can be used; {first.file}: {first.reason}"


def _list(uri: str) -> list[tuple[fs.FileSystem, str, str]] | SkippedFile:
    """(file system, path as Spark takes it, path within the file system) of each Parquet file."""
    try:
        if "://" in uri:
            system, root = fs.FileSystem.from_uri(uri)
            scheme = uri.split("://", 1)[0]
        else:
            system, root, scheme = fs.LocalFileSystem(), str(Path(uri).resolve()), "file"
        found = system.get_file_info(fs.FileSelector(root, recursive=True))
    except (OSError, pa.ArrowInvalid) as error:
        return SkippedFile(uri, f"cannot be listed: {error}")
    prefix = {"file": "", "s3": "s3a://", "gs": "gs://"}.get(scheme, f"{scheme}://")
    names = [info.path for info in found if info.type == fs.FileType.File and info.path.endswith(".parquet")]
    whole = without_parts(name for name in names if not Path(name).name.startswith((".", "_")))
    return [(system, prefix + name, name) for name in whole]


def _check(found: tuple[fs.FileSystem, str, str]) -> LandedFile | SkippedFile:
    system, path, name = found
    kind = next((part[5:] for part in name.split("/") if part.startswith("kind=")), None)
    if kind not in KINDS:
        return SkippedFile(path, f"kind {kind!r} is unknown" if kind else "no kind=... in its path")
    try:
        with system.open_input_file(name) as source:
            footer = pq.ParquetFile(source)
            problem = _schema_problem(kind, footer.schema_arrow) or _version_problem(footer)
            if problem:
                return SkippedFile(path, problem)
            return LandedFile(
                path, kind, system, name, footer.metadata.num_rows, *_time_bounds(footer.metadata)
            )
    except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        return SkippedFile(path, f"no readable Parquet file: {error}")


def _schema_problem(kind: str, schema: pa.Schema) -> str | None:
    for field in schema_of(kind):
        if field.name not in schema.names:
            return f"column {field.name!r} is missing"
        actual = _type_name(schema.field(field.name).type)
        if actual not in ARROW_NAMES[field.dataType.simpleString()]:
            return f"column {field.name!r} is {actual}, not {field.dataType.simpleString()}"
    return None


def _type_name(type_: pa.DataType) -> str:
    """The type's name; of a map without the names of its parts, which vary by writer."""
    return f"map<{type_.key_type}, {type_.item_type}>" if pa.types.is_map(type_) else str(type_)


def _version_problem(footer: pq.ParquetFile) -> str | None:
    versions = footer.read(columns=["schema_version"]).column(0).unique().to_pylist()
    foreign = [version for version in versions if version != SCHEMA_VERSION]
    return f"schema_version {foreign[0]}, this program reads {SCHEMA_VERSION}" if foreign else None


def _time_bounds(metadata: pq.FileMetaData) -> tuple[datetime | None, datetime | None]:
    column = metadata.schema.names.index("at")
    groups = [metadata.row_group(index).column(column).statistics for index in range(metadata.num_row_groups)]
    known = [statistics for statistics in groups if statistics and statistics.has_min_max]
    if not known:
        return None, None
    return min(item.min for item in known), max(item.max for item in known)
