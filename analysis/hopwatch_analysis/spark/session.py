"""The one place where a Spark session is built."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.spark.frames import ONE
from hopwatch_analysis.spark.gateway import leave, remember_classes
from hopwatch_analysis.spark.jvm import Jvm, started_by_spark_submit
from hopwatch_analysis.spark.memory import java_memory

NAME = "hopwatch analyze"

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "true",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    # else each expression asks for the place in our code that it stands at, which takes a third of a small analysis
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.dataFrameQueryContext.enabled": "false",
    # else Spark looks at each landed file in a task of its own
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",
}

# with either, Spark would leave out what it cannot read, and nobody would be told
NOTHING_PASSED_OVER = {
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
LOCAL_SETTINGS = {
    "spark.default.parallelism": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

# what compiling code for each step costs, small inputs do not win back
SMALL_SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # the text of each plan, for an interface that is not shown
    "spark.sql.ui.explainMode": "simple",
}
SMALL_ROWS = 1_000_000
# one task does it all: an analysis of few rows is spent on moving them between tasks, in hundreds of jobs
TINY_SETTINGS = {
    "spark.sql.shuffle.partitions": ONE,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # a frame that a hint has sent to each task costs a job of its own
    "spark.sql.optimizer.disableHints": "true",
    # what is in one partition is taken to be hashed by no key (estimates.py), and is joined as it is
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
}
TINY_ROWS = 100_000
# Spark's own 200 tasks for each of many steps take minutes, whatever there is to do
LEAST_PARTITIONS = 2
ROWS_A_PARTITION = 500_000

# with one compiler the JVM reserves 48 MB for code, which an analysis fills; then it stops compiling, and says so at length
QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")


@contextmanager
def spark_session(
    master: str | None = None, rows: int = 0, jvm: Jvm | None = None, *, lasting: bool = False
) -> Iterator[SparkSession]:
    """A session on ``master`` (none: spark-submit's, or this machine) that suits an input of ``rows`` rows, or many of them one after the other (``lasting``), stopped at the end.

    With ``jvm``, that is the Java process it runs in, once in the life of this process; else one that pyspark starts.
    Raises AnalysisError if Spark does not start. ``SPARK_DRIVER_MEMORY`` says how much memory it may use, as with any Spark program;
    where it is not set, a large input has half of the machine's.
    """
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    master = master or _usual_master()
    if rows >= SMALL_ROWS and master is not None and master.startswith("local"):
        os.environ.setdefault("SPARK_DRIVER_MEMORY", java_memory())
    settings = _settings(master, rows, lasting=lasting)
    with jvm.serving(settings) if jvm else nullcontext():
        session = _started(settings)
        try:
            with passing_over_nothing(session):
                yield session
        finally:
            with suppress(Py4JError, OSError):  # a Java process that died cannot be told to stop
                session.stop()
            if jvm:
                leave(threading.enumerate())


@contextmanager
def passing_over_nothing(session: SparkSession) -> Iterator[None]:
    """Have each file that Spark cannot read be an error, whatever the cluster's own settings are, and leave those as they were."""
    with set_to(session, NOTHING_PASSED_OVER):
        yield


@contextmanager
def suited_to(session: SparkSession, rows: int) -> Iterator[None]:
    """Have a lasting session do an analysis of few rows as one for few rows does, and leave it as it was."""
    with set_to(session, TINY_SETTINGS if rows < TINY_ROWS else {}):
        yield


@contextmanager
def set_to(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """These settings for a while, and those from before afterwards."""
    before = {name: session.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        with suppress(Py4JError, OSError):  # a Java process that died has no settings
            for name, was in before.items():
                session.conf.unset(name) if was is None else session.conf.set(name, was)


def _started(settings: dict[str, str]) -> SparkSession:
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    try:
        with ThreadPoolExecutor(max_workers=1) as aside:  # in the main thread pyspark takes SIGINT for itself
            aside.submit(SparkContext.getOrCreate, conf).result()
        session = SparkSession.builder.getOrCreate()
        for form in ("callSite.short", "callSite.long"):  # else Java looks through its stack for each step's
            session.sparkContext.setLocalProperty(form, NAME)
        remember_classes(session)
    except (PySparkException, Py4JError) as error:
        raise AnalysisError(f"Spark did not start: {str(error).splitlines()[0]}") from error
    return session


def _usual_master() -> str | None:
    """None where spark-submit has started this process, and knows the master; else this machine."""
    return None if started_by_spark_submit() else "local[*]"


def _settings(master: str | None, rows: int, *, lasting: bool) -> dict[str, str]:
    settings = dict(SETTINGS)
    settings["spark.sql.shuffle.partitions"] = str(max(LEAST_PARTITIONS, rows // ROWS_A_PARTITION))
    if rows < SMALL_ROWS:
        settings |= SMALL_SETTINGS
    if rows < TINY_ROWS and not lasting:
        settings |= TINY_SETTINGS
    if master is not None:
        settings |= {"spark.master": master, "spark.app.name": NAME}
    if master is None or not master.startswith("local"):
        return settings
    java = [f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"]
    if rows < SMALL_ROWS and not lasting:
        java += QUICK_START
    return settings | LOCAL_SETTINGS | {"spark.driver.extraJavaOptions": " ".join(java)}
