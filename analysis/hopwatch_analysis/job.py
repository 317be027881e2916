"""The job around the algorithm: read landed files, analyse, write report and tables, print the verdict."""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hopwatch_analysis.damage import without_damaged
from hopwatch_analysis.errors import AnalysisError, UnusableInputError
from hopwatch_analysis.identities import identities
from hopwatch_analysis.jvm import Jvm
from hopwatch_analysis.output import refusal, require_writable, room_left
from hopwatch_analysis.page import page
from hopwatch_analysis.pipeline import find_losses
from hopwatch_analysis.reading import Landed, SkippedFile, Tables, find_landed, load
from hopwatch_analysis.records import Analysis
from hopwatch_analysis.report import Json, report, write_page, write_report
from hopwatch_analysis.session import spark_session
from hopwatch_analysis.summary import summarize
from hopwatch_analysis.topology import Scope
from hopwatch_analysis.verdict import verdict

Progress = Callable[[str], None]
DEFAULT_GUARD = 5.0


def _silent(_line: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Job:
    """What is to be analysed, and where the results go."""

    events: tuple[str, ...]
    out: Path
    since: datetime | None = None
    until: datetime | None = None
    guard: float = DEFAULT_GUARD


def run_job(job: Job, master: str, progress: Progress, jvm: Jvm) -> None:
    """Run the job in a session of its own and print the verdict. Raises AnalysisError if it cannot be made."""
    landed = _checked(job, progress)
    progress("starting Spark")
    with spark_session(master, landed.rows, jvm) as spark:
        analysis = _analyze(spark, landed, job, progress)
    print(verdict(analysis))
    print(f"\nReport: {job.out / 'report.html'}, and for programs {job.out / 'report.json'}")


def analyze(
    spark: SparkSession,
    events: Sequence[str],
    out: Path,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    guard: float = DEFAULT_GUARD,
    progress: Progress = _silent,
) -> Json:
    """Analyse landed files in a given session; writes report and tables into ``out`` and gives the report.

    Raises UnusableInputError if nothing can be read, AnalysisError if Spark fails or ``out`` cannot be written.
    """
    job = Job(tuple(events), out, since, until, guard)
    return report(_analyze(spark, _checked(job, progress), job, progress))


def _checked(job: Job, progress: Progress) -> Landed:
    require_writable(job.out)
    landed = find_landed(job.events)
    progress(f"{len(landed.files)} landed files to read")
    _tell(landed.skipped, progress)
    return landed


def _tell(skipped: Sequence[SkippedFile], progress: Progress) -> None:
    for item in skipped:
        progress(f"skipped {item.file}: {item.reason}")


def _analyze(spark: SparkSession, landed: Landed, job: Job, progress: Progress) -> Analysis:
    """Analyse; where Spark fails, look for files with damaged pages, and begin again without them."""
    try:
        return _analyze_files(spark, landed, job, progress)
    except Py4JNetworkError as error:
        raise AnalysisError("Spark's Java process ended early: was it killed, or out of memory?") from error
    except (PySparkException, Py4JError) as error:
        _raise_refusal(error, job.out)
        progress("Spark failed: looking for damaged files")
        sound = without_damaged(landed)
        if len(sound.files) == len(landed.files):
            raise AnalysisError(f"Spark could not finish: {str(error).splitlines()[0]}") from error
        _tell(sound.skipped[len(landed.skipped) :], progress)
        if not sound.files:
            raise UnusableInputError("none of the landed files can be read: all are damaged") from error
    return _analyze(spark, sound, job, progress)


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


def _analyze_files(spark: SparkSession, landed: Landed, job: Job, progress: Progress) -> Analysis:
    known_end = min((at for at in (landed.latest, job.until) if at), default=None)
    if known_end is None:
        raise AnalysisError("no row of the landed files has a time")
    scope = Scope(known_end, job.guard, job.since, job.since or landed.earliest)
    tables = load(spark, landed, job.until)
    results = find_losses(tables, scope, progress)
    progress("writing tables and report")
    _write_tables(results, job.out)
    analysis = summarize(results, identities(tables), landed, scope)
    write_report(report(analysis), job.out)
    write_page(page(analysis), job.out)
    return analysis


def _write_tables(results: Tables, out: Path) -> None:
    for name, frame in results.items():
        frame.coalesce(1).write.mode("overwrite").parquet((out / "tables" / name).resolve().as_uri())
