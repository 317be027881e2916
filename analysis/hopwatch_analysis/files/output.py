"""Where the results go: checked before any work is done, and told apart from other failures afterwards."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from hopwatch.ownership import foreign_owner, opened_folder

from hopwatch_analysis.errors import AnalysisError

# what the kernel says, as Java repeats it within the text of its exception
REFUSALS = re.compile(
    "No space left on device|Disk quota exceeded|Read-only file system|Permission denied"
    "|File too large|Mkdirs failed to create|Input/output error"
)


TABLES = "tables"
NOT_DONE = f".{TABLES}.new"
RESULTS = (TABLES, NOT_DONE, "incidents", "checkpoint")
"""Folders beside ``report.json``."""


def results_among(names: Iterable[str]) -> frozenset[str]:
    """The files of these that are results of an analysis, and no events: somebody has it write where events are read.

    What has a kind in its path was landed, wherever it lies.
    """
    names = list(names)
    reports = [PurePosixPath(name).parent for name in names if PurePosixPath(name).name == "report.json"]
    folders = tuple(f"{report / folder}/" for report in reports for folder in RESULTS)
    return frozenset(name for name in names if name.startswith(folders) and "/kind=" not in name)


def require_writable(folder: Path) -> None:
    """Make the folder if need be. Raises AnalysisError if it cannot be made, or nothing can be written into it."""
    try:
        with opened_folder(folder, 0o777):
            pass
        for place in (folder, *(folder / name for name in RESULTS)):
            problem = foreign_owner(place)
            if problem is not None:
                raise AnalysisError(f"cannot write into {folder} (--out): {problem}")
        for place in (folder, folder / TABLES):
            if place.exists():
                with tempfile.TemporaryFile(dir=place) as probe:
                    probe.write(b"probe")
    except OSError as error:
        raise AnalysisError(f"cannot write into {folder} (--out): {error.strerror or error}") from error


@contextmanager
def results_renewed(out: Path) -> Iterator[Path]:
    """A folder for tables and report, which take the places of those of before once the block has ended well: else those stay.

    The report comes last: where a new one is, the tables are its own.
    """
    aside = out / NOT_DONE
    shutil.rmtree(aside, ignore_errors=True)
    try:
        yield aside
        _put_in_place(aside, out)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _put_in_place(aside: Path, out: Path) -> None:
    tables = out / TABLES
    try:
        tables.mkdir(exist_ok=True)
        made = {path: path.is_dir() for path in aside.iterdir()}
        for table in (path for path, is_table in made.items() if is_table):
            place = tables / table.name
            if place.exists():
                place.rename(aside / f"{table.name}.before")
            table.rename(place)
        for file in (path for path, is_table in made.items() if not is_table):
            file.replace(out / file.name)
    except OSError as error:
        raise AnalysisError(f"cannot write into {out} (--out): {error}") from error


def to_write(folder: Path) -> str:
    """The folder for Spark to write: on this machine, or mounted alike on all that work."""
    return f"file://{folder.resolve()}"


def refusal(error: Exception) -> str | None:
    """What the system said, if Spark failed because a file could not be written."""
    found = REFUSALS.search(str(error))
    return found[0] if found else None


def room_left(folder: Path) -> int:
    """Free bytes of the disk that the folder is on, for this user."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
