"""Landed files in, one frame a kind out; a file that cannot be used is named and left out.

Every file's footer is checked here before Spark sees it, so that all that can be wrong with the input
is found, and told in our words, at this one boundary.
"""

import re
from collections.abc import Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.files import footers
from hopwatch_analysis.files.contradictions import (
    FILE,
    SetAside,
    contradictory,
    of_files,
    without_contradictory,
)
from hopwatch_analysis.files.merged import overlapping, without_parts
from hopwatch_analysis.files.output import results_among
from hopwatch_analysis.files.places import host_of, hosts_of, parsed, to_read
from hopwatch_analysis.files.schemas import KINDS, schema_of
from hopwatch_analysis.spark.estimates import expect_rows
from hopwatch_analysis.spark.frames import empty, in_one_partition, settle, together

Tables = Mapping[str, DataFrame]
LISTINGS = 5
WENT_AWAY = "went away while the files were looked at, again and again"

LONG = ("counters", "lane", "gap", "onset", "tcp", "usage", "memory")
"""Kinds with most of all rows. Of the others, opening the files is most of the work: where they are many, that is done once."""
FILES_READ_AGAIN = 32
PARTS = 8


@dataclass(frozen=True)
class SkippedFile:
    """A file that was left out, and what is wrong with it: its bytes, or, if not ``lasting``, that the system did not give them this time."""

    file: str
    reason: str
    lasting: bool = True


@dataclass(frozen=True)
class ListedFile:
    """A file as it was listed: ``path`` is Spark's, ``name`` its name within ``system``. Written anew, it is another one."""

    path: str
    name: str
    system: fs.FileSystem = field(compare=False)
    size: int = 0
    mtime_ns: int | None = None


@dataclass(frozen=True)
class LandedFile:
    """A file that can be used: ``path`` is Spark's, ``name`` its name within ``system``.

    ``earliest`` and ``latest`` bound its rows' times, where known.
    """

    path: str
    kind: str
    system: fs.FileSystem = field(compare=False)
    name: str
    rows: int
    earliest: datetime | None = None
    latest: datetime | None = None

    @property
    def host(self) -> str:
        """The host whose agent landed it, as its path says."""
        return host_of(self.name) or ""


@dataclass(frozen=True)
class Landed:
    """What was found under the given folders."""

    files: tuple[LandedFile, ...]
    skipped: tuple[SkippedFile, ...]
    set_aside: tuple[SetAside, ...] = ()
    """Rows of the files that can be used which contradict each other; known once they are loaded."""

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)

    @property
    def unreadable_hosts(self) -> frozenset[str]:
        """Hosts of files that were left out or of which rows were, of kinds without which a loss is not what it looks like."""
        return hosts_of({skipped.file for skipped in self.skipped} | of_files(self.set_aside))

    @property
    def earliest(self) -> datetime | None:
        return min((file.earliest for file in self.files if file.earliest), default=None)

    @property
    def latest(self) -> datetime | None:
        return self.latest_by({})

    def latest_by(self, ahead: Mapping[str, float]) -> datetime | None:
        """The newest time, by a clock that those of these hosts are so many seconds ahead of."""
        return max(self.heard_until(ahead).values(), default=None)

    def heard_until(self, ahead: Mapping[str, float]) -> dict[str, datetime]:
        """The newest time that each host told of, by that clock."""
        newest: dict[str, datetime] = {}
        for file in self.files:
            if file.latest:
                newest[file.host] = max(file.latest, newest.get(file.host, file.latest))
        return {host: at - timedelta(seconds=ahead.get(host, 0)) for host, at in newest.items()}


Checked = MutableMapping[ListedFile, LandedFile | SkippedFile | None]
"""What came of looking at files, so that none is looked at twice whose bytes were seen."""


def find_landed(uris: Sequence[str], checked: Checked | None = None) -> Landed:
    """Check every Parquet file under the given URIs or folders; a folder that cannot be listed is named and left out.

    Where files go while they are looked at (agents remove the parts of what they merged), all is listed again. What
    ``checked`` knows is not looked at again; what is learned is added to it.
    Raises UnusableInputError if no file at all can be used.
    """
    known: Checked = {} if checked is None else checked
    for _ in range(LISTINGS):
        landed, gone = _find_landed(uris, known)
        if not gone:
            break
    landed = Landed(landed.files, landed.skipped + gone)
    if not landed.files:
        raise UnusableInputError(_nothing_usable(uris, landed.skipped))
    return landed


def load(spark: SparkSession, landed: Landed) -> tuple[Landed, Tables]:
    """One frame a kind (empty where nothing was landed), without contradictory rows; what was landed, with those named."""
    expect_rows(spark, landed.rows)
    told = {kind: _told(spark, kind, paths) for kind in KINDS if (paths := _paths(landed, kind))}
    found = contradictory(told, _path_of)
    spoilt = {kind for kind in told if any(f"/kind={kind}/" in file for file in of_files(found))}
    tables = {}
    for kind in KINDS:
        rows = told[kind].drop(FILE) if kind in told else empty(spark, schema_of(kind))
        sound = without_contradictory(rows, kind) if kind in spoilt else rows
        tables[kind] = together(sound)
    return replace(landed, set_aside=found), tables


def rows_until(tables: Tables, until: datetime | None) -> Tables:
    """Without the rows that are later; their times are to be told by one clock."""
    if until is None:
        return tables
    return {kind: rows.where(sf.col("at") <= sf.lit(until)) for kind, rows in tables.items()}


def _paths(landed: Landed, kind: str) -> list[str]:
    return [to_read(file.path) for file in landed.files if file.kind == kind]


def _told(spark: SparkSession, kind: str, paths: Sequence[str]) -> DataFrame:
    """The rows of a kind, each with its file."""
    rows = spark.read.schema(schema_of(kind)).parquet(*paths)
    told = rows.select("*", sf.col("_metadata.file_path").alias(FILE))
    many = len(paths) > FILES_READ_AGAIN and kind not in LONG
    return settle(told.coalesce(PARTS)) if many or in_one_partition(spark) else told


def _path_of(uri: str) -> str:
    """A file as it was listed, of the URI that Spark gives it."""
    return re.sub("^file:/+", "/", unquote(uri))


def _find_landed(uris: Sequence[str], checked: Checked) -> tuple[Landed, tuple[SkippedFile, ...]]:
    """What can be used and what cannot, and what went away meanwhile."""
    listed = [_list(uri) for uri in uris]
    unlisted = tuple(item for item in listed if isinstance(item, SkippedFile))
    candidates = {found.path: found for item in listed if not isinstance(item, SkippedFile) for found in item}
    contrary = tuple(
        SkippedFile(path, f"contradictory: its blocks overlap those of {other}, and neither has all of both")
        for path, other in overlapping(candidates).items()
    )
    for item in contrary:
        del candidates[item.file]
    new = [found for path, found in sorted(candidates.items()) if found not in checked]
    with ThreadPoolExecutor(max_workers=8) as pool:
        checked.update(zip(new, pool.map(_check, new), strict=True))
    results = [checked[candidates[path]] for path in sorted(candidates)]
    gone = tuple(SkippedFile(found.path, WENT_AWAY) for found in new if checked[found] is None)
    for found in [found for found, was in checked.items() if found.path not in candidates or not _lasts(was)]:
        del checked[found]
    files = tuple(item for item in results if isinstance(item, LandedFile))
    skipped = tuple(item for item in results if isinstance(item, SkippedFile))
    return Landed(files, unlisted + contrary + skipped), gone


def _lasts(was: LandedFile | SkippedFile | None) -> bool:
    """Whether the file would look the same again."""
    return isinstance(was, LandedFile) or (was is not None and was.lasting)


def require_folder(uri: str) -> None:
    """Raises UnusableInputError if the folder is not there, or cannot be listed."""
    listed = _list(uri)
    if isinstance(listed, SkippedFile):
        raise UnusableInputError(f"{listed.file} {listed.reason}")


def _nothing_usable(uris: Sequence[str], skipped: tuple[SkippedFile, ...]) -> str:
    where = ", ".join(uris)
    if not skipped:
        return f"no landed Parquet files (kind=.../date=.../host=.../*.parquet) under {where}"
    first = skipped[0]
    if len(skipped) == len(uris) == 1 and first.file == uris[0]:
        return f"{first.file} {first.reason}"
    return f"none of {len(skipped)} inputs under {where} can be used; {first.file}: {first.reason}"


def _list(uri: str) -> list[ListedFile] | SkippedFile:
    """Each Parquet file, but those whose rows are all in another one, and the results of analyses."""
    try:
        system, root, prefix = parsed(uri)
        if system.get_file_info(root).type == fs.FileType.NotFound:
            return SkippedFile(uri, "is not there: no such folder")
        found = system.get_file_info(fs.FileSelector(root, recursive=True))
    except (OSError, pa.ArrowInvalid) as error:
        return SkippedFile(uri, f"cannot be listed: {error}")
    files = {info.path: info for info in found if info.type == fs.FileType.File}
    results = results_among(files)
    names = [name for name in files if name.endswith(".parquet") and name not in results]
    whole = without_parts(name for name in names if not Path(name).name.startswith((".", "_")))
    return [ListedFile(prefix + name, name, system, files[name].size, files[name].mtime_ns) for name in whole]


def _check(found: ListedFile) -> LandedFile | SkippedFile | None:
    """Whether the file can be used; None if it is not there any more."""
    system, path, name = found.system, found.path, found.name
    kind = next((part[5:] for part in name.split("/") if part.startswith("kind=")), None)
    if kind not in KINDS:
        return SkippedFile(path, f"kind {kind!r} is unknown" if kind else "no kind=... in its path")
    try:
        with system.open_input_file(name) as source:
            footer = pq.ParquetFile(source)
            problem = footers.problem(kind, footer, host_of(name))
            if problem:
                return SkippedFile(path, problem)
            return LandedFile(
                path, kind, system, name, footer.metadata.num_rows, *footers.time_bounds(footer.metadata)
            )
    except FileNotFoundError:
        return None
    except OSError as error:  # also of bytes that make no footer: pyarrow does not tell the two apart
        return SkippedFile(path, _unreadable(error), lasting=False)
    except (ValueError, ArithmeticError, pa.ArrowException) as error:
        # the latter ones: a name that is no UTF-8, a time behind the year 9999
        return SkippedFile(path, _unreadable(error))


def _unreadable(error: Exception) -> str:
    return f"no readable Parquet file: {error}"
