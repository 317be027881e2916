"""Work on landed files that goes on without those that turn out to be damaged, and begins again where some went away."""

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from hopwatch_judge import counted
from py4j.protocol import Py4JError, Py4JNetworkError
from pyarrow import fs
from pyspark.errors import PySparkException

from hopwatch_analysis.errors import AnalysisError, UnusableInputError
from hopwatch_analysis.files.contradictions import MEANING, SetAside
from hopwatch_analysis.files.damage import without_damaged
from hopwatch_analysis.files.landed import Landed, SkippedFile
from hopwatch_analysis.files.output import refusal, room_left
from hopwatch_analysis.spark.failures import JAVA_ENDED, ran_out_of_memory, reason

Progress = Callable[[str], None]
Result = TypeVar("Result")
BEGINNINGS = 5
OUT_OF_MEMORY = "Spark ran out of memory. SPARK_DRIVER_MEMORY says how much it may use on this machine, say 6g; on a cluster, spark.executor.memory ({})"


def on_sound_files(
    landed: Landed,
    work: Callable[[Landed], Result],
    *,
    out: Path,
    listed_again: Callable[[], Landed],
    progress: Progress,
) -> Result:
    """The work's result. Where Spark fails, what went away is listed again, and damaged files are left out.

    Raises AnalysisError if that is not why it failed.
    """
    for _ in range(BEGINNINGS):
        done, error = _attempt(work, landed)
        if error is None:
            return done[0]
        _raise_refusal(error, out)
        if ran_out_of_memory(error):
            raise AnalysisError(OUT_OF_MEMORY.format(reason(error))) from error
        if _some_went_away(landed):
            progress("some files went away meanwhile, as merged ones do: beginning again")
            landed = listed_again()
        else:
            landed = _without_damaged(landed, error, progress)
    raise AnalysisError(
        f"files went away {BEGINNINGS} times while they were read: is something removing them?"
    )


def _attempt(work: Callable[[Landed], Result], landed: Landed) -> tuple[tuple[Result, ...], Exception | None]:
    """The result, or why Spark failed."""
    try:
        return (work(landed),), None
    except Py4JNetworkError as error:
        raise AnalysisError(JAVA_ENDED) from error
    except (PySparkException, Py4JError) as error:
        return (), error


def tell(skipped: Sequence[SkippedFile], progress: Progress) -> None:
    """Name each file that was left out."""
    for item in skipped:
        progress(f"skipped {item.file}: {item.reason}")


def tell_set_aside(found: Sequence[SetAside], progress: Progress) -> None:
    """Name each file of which rows were left out."""
    for each in found:
        progress(f"{counted(each.rows, 'row')} of {each.file}: {MEANING[each.rule]} ({each.example})")


def _without_damaged(landed: Landed, error: Exception, progress: Progress) -> Landed:
    progress("Spark failed: looking for damaged files")
    sound = without_damaged(landed)
    if len(sound.files) == len(landed.files):
        raise AnalysisError(f"Spark could not finish: {reason(error)}") from error
    tell(sound.skipped[len(landed.skipped) :], progress)
    if not sound.files:
        raise UnusableInputError("none of the landed files can be read: all are damaged") from error
    return sound


def _some_went_away(landed: Landed) -> bool:
    found = (file.system.get_file_info(file.name) for file in landed.files)
    return any(info.type == fs.FileType.NotFound for info in found)


def _raise_refusal(error: Exception, out: Path) -> None:
    """A full disk is told as such: nothing is wrong with the landed files then."""
    refused = refusal(error)
    if refused:
        scratch = os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()
        raise AnalysisError(
            f"Spark could not write a file: {refused}. It writes into {out} ({_megabytes(out)} free) and, "
            f"as scratch, into {scratch} ({_megabytes(Path(scratch))} free)"
        ) from error


def _megabytes(folder: Path) -> str:
    return f"{room_left(folder) / 1_000_000:.0f} MB"
