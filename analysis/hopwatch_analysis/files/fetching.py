"""Files where Spark cannot read: copied to this machine by pyarrow, which found them, or refused with what is missing."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.finding import LISTINGS
from hopwatch_analysis.files.landed import Landed, LandedFile
from hopwatch_analysis.files.output import room_left

Progress = Callable[[str], None]
NO_FILE_SYSTEM = ("No FileSystem for scheme", "FileSystem not found", "UnsupportedFileSystemException")
JARS = {
    "s3a": "hadoop-aws, with the AWS SDK bundle that it names",
    "gs": "gcs-connector",
    "abfs": "hadoop-azure",
}
SHARE_OF_THE_DISK = 0.8


class UnreadableBySparkError(AnalysisError):
    """Spark has no file system for where the files are."""


@contextmanager
def within_reach(
    spark: SparkSession, listed: Callable[[], Landed], progress: Progress
) -> Iterator[Callable[[], Landed]]:
    """``listed``, with its files copied to this machine where Spark has no file system for them; removed in the end.

    Raises UnreadableBySparkError if it has none, and works on other machines too.
    """
    with TemporaryDirectory(prefix="hopwatch-fetched-") as scratch:
        schemes: dict[str, bool] = {}

        def reachable() -> Landed:
            landed = listed()
            for _ in range(LISTINGS):
                far = [file for file in landed.files if _is_out_of_reach(spark, file, schemes)]
                try:
                    return _fetched(spark, landed, far, Path(scratch), progress)
                except FileNotFoundError:
                    landed = listed()
            raise AnalysisError("files went away again and again while they were copied")

        yield reachable


def require_reach(spark: SparkSession, place: str) -> None:
    """Raises UnreadableBySparkError if Spark has no file system for a folder that it has to list itself."""
    scheme = _scheme(place)
    if scheme and _is_missing(spark, place):
        raise UnreadableBySparkError(
            f"{_missing(scheme)}: --follow has Spark list the folder itself. Or mount the bucket, and follow that folder"
        )


def _fetched(
    spark: SparkSession, landed: Landed, far: Sequence[LandedFile], scratch: Path, progress: Progress
) -> Landed:
    if not far:
        return landed
    scheme = _scheme(far[0].path)
    master = spark.conf.get("spark.master") or ""
    if not master.startswith("local"):
        raise UnreadableBySparkError(
            f"{_missing(scheme)}, and its workers ({master}) cannot read copies on this machine"
        )
    missing = [file for file in far if not _copy_of(file, scratch).exists()]
    size = sum(file.system.get_file_info(file.name).size or 0 for file in missing)
    if size > SHARE_OF_THE_DISK * room_left(scratch):
        raise UnreadableBySparkError(
            f"{_missing(scheme)}, and to copy {size / 1e6:.0f} MB, {scratch.parent} has too little room"
        )
    progress(f"{_missing(scheme)}: copying {len(missing)} files, {size / 1e6:.1f} MB, to {scratch}")
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(lambda file: _copy(file, scratch), missing))
    near = {file: replace(file, path=str(_copy_of(file, scratch))) for file in far}
    return replace(landed, files=tuple(near.get(file, file) for file in landed.files))


def _copy(file: LandedFile, scratch: Path) -> None:
    path = _copy_of(file, scratch)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".new")
    with file.system.open_input_stream(file.name) as source, aside.open("wb") as target:
        shutil.copyfileobj(source, target)
    aside.rename(path)


def _copy_of(file: LandedFile, scratch: Path) -> Path:
    return scratch / _scheme(file.path) / file.name.lstrip("/")


def _is_out_of_reach(spark: SparkSession, file: LandedFile, schemes: dict[str, bool]) -> bool:
    scheme = _scheme(file.path)
    if scheme and scheme not in schemes:
        schemes[scheme] = _is_missing(spark, file.path)
    return schemes.get(scheme, False)


def _is_missing(spark: SparkSession, path: str) -> bool:
    """Other reasons why a path cannot be read show when it is read."""
    try:
        spark.read.format("binaryFile").load(path)
    except (PySparkException, Py4JError) as error:
        return any(words in str(error) for words in NO_FILE_SYSTEM)
    return False


def _scheme(path: str) -> str:
    scheme = path.split("://", 1)[0] if "://" in path else ""
    return "" if scheme == "file" else scheme


def _missing(scheme: str) -> str:
    jars = JARS.get(scheme, f"the jar for {scheme}://")
    return f"Spark cannot read {scheme}:// here ({jars}, is not among its jars)"
