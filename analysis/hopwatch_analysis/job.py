"""The job around the algorithm: read landed files, analyse, write report and tables, print the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pyspark.sql import SparkSession

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.fetching import within_reach
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.files.landed import Landed
from hopwatch_analysis.files.output import require_writable, results_renewed, to_write
from hopwatch_analysis.files.reading import Tables, load, rows_until
from hopwatch_analysis.links import clocks
from hopwatch_analysis.page import page
from hopwatch_analysis.pipeline import find_losses
from hopwatch_analysis.recovery import Progress, on_sound_files, tell, tell_set_aside
from hopwatch_analysis.report.identities import identities
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.report_json import Json, read_report, report, write_page, write_report
from hopwatch_analysis.report.summary import summarize
from hopwatch_analysis.report.verdict import verdict, where_the_report_is
from hopwatch_analysis.spark.estimates import expectation_restored
from hopwatch_analysis.spark.jvm import Jvm
from hopwatch_analysis.spark.session import passing_over_nothing, spark_session
from hopwatch_analysis.topology import Scope

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


def run_job(job: Job, master: str | None, progress: Progress, jvm: Jvm) -> None:
    """Run the job in a session of its own and print the verdict. Raises AnalysisError if it cannot be made."""
    landed = _checked(job, progress)
    progress("starting Spark")
    with spark_session(master, landed.rows, jvm) as spark:
        analysis = _analyze(spark, landed, job, progress)
    print(f"{verdict(analysis)}\n\n{where_the_report_is(job.out)}")


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
    with expectation_restored(spark), passing_over_nothing(spark):
        _analyze(spark, _checked(job, progress), job, progress)
        return read_report(job.out)


def _checked(job: Job, progress: Progress) -> Landed:
    landed = find_landed(job.events)
    require_writable(job.out)
    progress(f"{len(landed.files)} landed files to read")
    tell(landed.skipped, progress)
    return landed


def _analyze(spark: SparkSession, landed: Landed, job: Job, progress: Progress) -> Analysis:
    first = [landed]
    with within_reach(
        spark, lambda: first.pop() if first else find_landed(job.events), progress
    ) as reachable:
        return on_sound_files(
            reachable(),
            lambda files: _analyze_files(spark, files, job, progress),
            out=job.out,
            listed_again=reachable,
            progress=progress,
        )


def _analyze_files(spark: SparkSession, landed: Landed, job: Job, progress: Progress) -> Analysis:
    landed, as_told = load(spark, landed)
    tell_set_aside(landed.set_aside, progress)
    differences = clocks.differences(as_told)
    ahead = clocks.ahead_by(differences)
    known_end = min((at for at in (landed.latest_by(ahead), job.until) if at), default=None)
    if known_end is None:
        raise AnalysisError("no row of the landed files has a time")
    if _is_beside(job, landed):
        progress(
            f"what has landed is of {landed.earliest:%Y-%m-%d %H:%M:%S} to {landed.latest:%Y-%m-%d %H:%M:%S} UTC: --from and --to leave nothing of it"
        )
    compared = clocks.compared_by(differences)
    begins = job.since or landed.earliest
    heard_until = landed.heard_until(ahead)
    scope = Scope(known_end, job.guard, job.since, begins, compared, landed.unreadable_hosts, heard_until)
    tables = rows_until(clocks.by_one_clock(as_told, ahead), job.until)
    results = find_losses(tables, scope, progress)
    progress("writing tables and report")
    with results_renewed(job.out) as folder:
        _write_tables(results, folder)
        found, incidents = summarize(results, identities(tables), landed, scope)
        analysis = replace(found, clocks=ahead)
        write_report(report(analysis, incidents), folder)
        write_page(page(analysis), folder)
    return analysis


def _is_beside(job: Job, landed: Landed) -> bool:
    """Whether the window that was asked for is all before or all after what has landed."""
    before = job.until is not None and landed.earliest is not None and job.until < landed.earliest
    after = job.since is not None and landed.latest is not None and job.since > landed.latest
    return before or after


def _write_tables(results: Tables, folder: Path) -> None:
    for name in results.keys() - {"lost_runs"}:
        # losses have a row for each run of lost messages: as many files as Spark makes of them
        table = results[name] if name == "losses" else results[name].coalesce(1)
        table.write.mode("overwrite").parquet(to_write(folder / name))
