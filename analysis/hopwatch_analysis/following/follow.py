"""``hopwatch analyze --follow``: a Structured Streaming job that takes a turn whenever files have landed."""

import time
from collections.abc import Callable, Sequence
from threading import Event, Lock

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from hopwatch_analysis.errors import AnalysisError, UnusableInputError
from hopwatch_analysis.files.fetching import require_reach
from hopwatch_analysis.files.finding import Checked, find_landed, require_folder
from hopwatch_analysis.files.output import require_writable, to_write
from hopwatch_analysis.files.places import place_of, to_read
from hopwatch_analysis.following.checkpoint import claimed
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.following.turns import Turns
from hopwatch_analysis.recovery import Progress
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.verdict import verdict, where_the_report_is
from hopwatch_analysis.spark.failures import JAVA_ENDED, reason
from hopwatch_analysis.spark.jvm import Jvm
from hopwatch_analysis.spark.session import spark_session


class StoppedError(Exception):
    """A turn was asked for when the job was ending."""


LISTED = "path string, modificationTime timestamp, length long, content binary"
LOOK_EVERY = 0.2


def run_following(job: Following, master: str | None, progress: Progress, jvm: Jvm, stop: Event) -> None:
    """Follow in a session of its own until told to stop (``once``: until nothing is new). Raises AnalysisError."""
    require_writable(job.out)
    checked: Checked = {}
    rows = _rows(job, checked)
    with claimed(job.checkpoint, job.out / "incidents", job.events):
        progress("starting Spark")
        with spark_session(master, rows, jvm, lasting=not job.once) as spark:
            for uri in job.events:
                require_reach(spark, place_of(uri))
            found = follow(spark, job, progress, stop, checked)
    if job.once and found is not None:
        print(f"{verdict(found)}\n\n{where_the_report_is(job.out)}")


def follow(
    spark: SparkSession, job: Following, progress: Progress, stop: Event, checked: Checked | None = None
) -> Analysis | None:
    """Take turns in a given session until told to stop (``once``: until nothing is new); what the last of them found, if there was one.

    Raises AnalysisError.
    """
    try:
        return _followed(spark, job, progress, stop, checked or {})
    except (PySparkException, Py4JJavaError) as error:
        what = f"Spark could not follow {', '.join(job.events)} with {job.checkpoint}"
        raise AnalysisError(f"{what}: {reason(error)}") from error
    except Py4JError as error:
        raise AnalysisError(JAVA_ENDED) from error


def _followed(
    spark: SparkSession, job: Following, progress: Progress, stop: Event, checked: Checked
) -> Analysis | None:
    turns = Turns(spark, job, progress, checked)
    pace = _Pace(job, turns, stop)
    queries = [
        _started(spark, uri, job, place, pace.take)
        for place, uri in enumerate(sorted(set(map(place_of, job.events))))
    ]
    try:
        while _are_running(queries, once=job.once) and not stop.is_set():
            pace.close_if_quiet()
            stop.wait(LOOK_EVERY)
        if job.once and not any(query.exception() for query in queries):
            pace.take_the_rest()
    finally:
        pace.finish()
        failures = [failure for failure in (query.exception() for query in queries) if failure]
        for query in queries:
            query.stop()
    pace.raise_failure()
    if failures and not stop.is_set():
        raise AnalysisError(f"Spark could not finish: {reason(failures[0])}") from failures[0]
    progress("stopped" if stop.is_set() else "nothing more has landed")
    return turns.newest


def _are_running(queries: Sequence[StreamingQuery], *, once: bool) -> bool:
    active = [query.isActive for query in queries]
    return any(active) if once else all(active)


def _rows(job: Following, checked: Checked) -> int:
    """Of what has landed by now; a folder has to be there, though nothing need have landed in it yet."""
    for uri in job.events:
        require_folder(uri)
    try:
        return find_landed(job.events, checked).rows
    except UnusableInputError:
        return 0


def _started(
    spark: SparkSession, uri: str, job: Following, place: int, take: Callable[[DataFrame, int], None]
) -> StreamingQuery:
    """A query over the names of the files below a folder. What they hold is read by the turn itself, which needs older ones too."""
    names = (
        spark.readStream.format("binaryFile")
        .schema(LISTED)
        .option("pathGlobFilter", "*.parquet")
        .option("recursiveFileLookup", "true")
        .load(to_read(uri))
        .select("path")
    )
    writing = names.writeStream.foreachBatch(take).option(
        "checkpointLocation", to_write(job.checkpoint / f"stream-{place}")
    )
    if job.once:
        return writing.trigger(availableNow=True).start()
    return writing.trigger(processingTime=f"{job.every} seconds").start()


class _Pace:
    """One turn at a time, whoever asks for it, and none after one has failed."""

    def __init__(self, job: Following, turns: Turns, stop: Event) -> None:
        self._turns, self._stop, self._lock = turns, stop, Lock()
        self._patience = job.guard + job.late + job.every
        self._heard = time.monotonic()
        self._closed = job.once
        self._finished = False
        self._failure: AnalysisError | None = None

    def take(self, _names: DataFrame, _batch: int) -> None:
        """A turn, as Spark asks for it; if it is not taken, Spark asks for it again next time."""
        with self._lock:
            if self._finished or self._stop.is_set():
                raise StoppedError
            if self._turn(quiet=False) or self._turns.waits:
                self._heard, self._closed = time.monotonic(), False

    def take_the_rest(self) -> None:
        """A turn, if there are files that no turn has had: Spark takes note of files also while a folder is away, when no turn is taken."""
        with self._lock:
            if not self._stop.is_set():
                self._turn(quiet=False)

    def close_if_quiet(self) -> None:
        """Once, when nothing has landed for so long that nothing more is to be expected."""
        if not self._is_quiet():
            return
        with self._lock:
            if (
                self._is_quiet() and not self._stop.is_set()
            ):  # as it may not be any more after a turn that took long
                self._turn(quiet=True)
                self._heard, self._closed = time.monotonic(), not self._turns.waits

    def _is_quiet(self) -> bool:
        return not self._closed and time.monotonic() - self._heard >= self._patience

    def finish(self) -> None:
        """No turn begins any more, and the one that is being taken is done."""
        with self._lock:
            self._finished = True

    def raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _turn(self, *, quiet: bool) -> bool:
        try:
            return self._turns.take(quiet=quiet)
        except AnalysisError as error:
            self._failure = error
            self._stop.set()
            raise
