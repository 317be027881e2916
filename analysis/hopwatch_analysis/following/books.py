"""What has been told: of each stream, hop and cause the messages, as sums over the runs of which landed incidents told.

A book is written aside and renamed: that is the one moment in which a turn of the job counts as done. The incidents it
tells of are in it, and are published from it, as often as need be.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.places import to_read
from hopwatch_analysis.following.told import NEVER, RUNS, TOLD
from hopwatch_analysis.spark.frames import empty

INCIDENTS = "incidents.parquet"
READY, PUBLISHED = "ready", "published"
KEPT = 2


@dataclass(frozen=True)
class Book:
    """The state after a turn. Samples are read from ``cut`` on (none: all of them); what ended by ``told_through`` is told.

    ``known`` are the names of the files that it rests on, ``away`` those of them that were not there then; ``clocks`` are ahead by so many
    seconds, by host; ``folder`` is where it is kept (none: nothing was told yet).
    """

    number: int = 0
    cut: datetime | None = None
    told_through: datetime = NEVER
    known: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()
    clocks: Mapping[str, float] = field(default_factory=dict)
    folder: Path | None = None

    def told(self, spark: SparkSession) -> DataFrame:
        """The rows of TOLD."""
        return self._rows(spark, "told", TOLD)

    def early(self, spark: SparkSession) -> DataFrame:
        """Of what is told, the runs that ended after ``told_through``: rows of RUNS."""
        return self._rows(spark, "early", RUNS)

    def _rows(self, spark: SparkSession, name: str, schema: StructType) -> DataFrame:
        folder = self.folder and self.folder.resolve() / name
        if folder is None or not folder.exists():
            return empty(spark, schema)
        return spark.read.schema(schema).parquet(to_read(str(folder)))

    @property
    def carry(self) -> Path | None:
        """What is carried over of the samples before the cut, one folder a kind."""
        return self.folder / "carry" if self.folder and self.cut else None


class Books:
    """The books of a checkpoint."""

    def __init__(self, folder: Path, incidents: Path) -> None:
        self._folder, self._incidents = folder, incidents

    def last(self) -> Book:
        """The newest book; what a turn that was cut off has left is removed, and what it could not publish is published.

        Raises AnalysisError if the system refuses to read or write a file.
        """
        with _refusals_told(self._folder.parent):
            return self._last()

    def _last(self) -> Book:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._incidents.mkdir(parents=True, exist_ok=True)
        for left in self._folder.glob("*.new"):
            shutil.rmtree(left)
        numbers = self._numbers()
        for number in numbers:
            self._publish(number)
        return _read(self._folder / str(numbers[-1])) if numbers else Book()

    def write(self, book: Book, incidents: pa.Table | None, fill: Callable[[Path], None]) -> Book:
        """Keep a book and publish its incidents; ``fill`` writes ``told``, ``early`` and ``carry`` into the folder it is given.

        Raises AnalysisError if the system refuses to write a file.
        """
        with _refusals_told(self._folder.parent):
            return self._write(book, incidents, fill)

    def _write(self, book: Book, incidents: pa.Table | None, fill: Callable[[Path], None]) -> Book:
        folder, aside = self._folder / str(book.number), self._folder / f"{book.number}.new"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        fill(aside)
        if incidents is not None:
            pq.write_table(incidents, aside / INCIDENTS, compression="zstd")
        files = sorted(book.known)
        known = pa.table({"file": files, "away": [file in book.away for file in files]})
        pq.write_table(known, aside / "known.parquet", compression="zstd")
        said = {
            "cut": book.cut and book.cut.isoformat(),
            "told_through": book.told_through.isoformat(),
            "clocks": dict(book.clocks),
        }
        (aside / "book.json").write_text(json.dumps(said) + "\n", encoding="utf-8")
        _sync(aside)
        aside.rename(folder)
        _sync_one(self._folder)
        self._publish(book.number)
        for number in self._numbers()[:-KEPT]:
            shutil.rmtree(self._folder / str(number))
        return replace(book, folder=folder)

    def _numbers(self) -> list[int]:
        return sorted(int(path.name) for path in self._folder.iterdir() if path.name.isdecimal())

    def _publish(self, number: int) -> None:
        """Once: who reads the incidents may take them away, so that nothing tells whether they were there but a mark from before."""
        source, aside = self._folder / str(number) / INCIDENTS, self._incidents / f".batch={number}.new"
        ready, published = source.with_name(READY), source.with_name(PUBLISHED)
        if not source.exists() or published.exists():
            return
        if not ready.exists():
            shutil.rmtree(aside, ignore_errors=True)
            aside.mkdir()
            shutil.copyfile(source, aside / INCIDENTS)
            _sync(aside)
            _sync_one(self._incidents)
            ready.touch()
            _sync_one(source.parent)
        if aside.exists():
            aside.rename(self._incidents / f"batch={number}")
            _sync_one(self._incidents)
        published.touch()
        _sync_one(source.parent)


def _read(folder: Path) -> Book:
    """A book as it was kept. Raises AnalysisError for one that is damaged."""
    try:
        said = json.loads((folder / "book.json").read_text(encoding="utf-8"))
        files = pq.read_table(folder / "known.parquet").to_pylist()
        cut = said["cut"] and datetime.fromisoformat(said["cut"])
        return Book(
            int(folder.name),
            cut,
            datetime.fromisoformat(said["told_through"]),
            frozenset(row["file"] for row in files),
            frozenset(row["file"] for row in files if row.get("away")),
            said["clocks"],
            folder,
        )
    except (ValueError, KeyError, TypeError, pa.ArrowException) as error:
        raise AnalysisError(
            f"{folder} is damaged ({' '.join(str(error).split())}), so that it is not known what was told: "
            "put it back from a copy, or begin anew with another --out"
        ) from error


@contextmanager
def _refusals_told(folder: Path) -> Iterator[None]:
    """What the system refuses is told with the file, or else with the folder."""
    try:
        yield
    except OSError as error:
        where = error.filename or folder
        raise AnalysisError(f"cannot read or write {where}: {error.strerror or error}") from error


def keep_carry(old: Book, folder: Path) -> None:
    """The carry of a book goes into the next one's folder as it is."""
    if old.carry is not None:
        shutil.copytree(old.carry, folder / "carry", copy_function=os.link)


def _sync(folder: Path) -> None:
    """All that is in the folder survives the loss of power."""
    for path in _below(folder):
        _sync_one(path)


def _below(folder: Path) -> Iterable[Path]:
    return [*folder.rglob("*"), folder]


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
