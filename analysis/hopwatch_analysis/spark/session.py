"""The one place where a Spark session is built."""

import os
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.spark.failures import reason
from hopwatch_analysis.spark.gateway import leave, remember_classes, steps_called
from hopwatch_analysis.spark.jvm import Jvm, started_by_spark_submit
from hopwatch_analysis.spark.memory import java_memory
from hopwatch_analysis.spark.settings import (
    NAME,
    NOTHING_PASSED_OVER,
    SMALL_ROWS,
    at_start,
    by_size,
    of_java,
    required,
)

OWN = "spark.hopwatch.own"
"""Names of the settings that nobody but us has chosen, in the session's own settings."""


@contextmanager
def spark_session(
    master: str | None = None, rows: int = 0, jvm: Jvm | None = None, *, lasting: bool = False
) -> Iterator[SparkSession]:
    """A session on ``master`` (none: spark-submit's, or this machine) that suits an input of ``rows`` rows, or many of them one after the other (``lasting``), stopped at the end.

    With ``jvm``, that is the Java process it runs in, once in the life of this process; else one that pyspark starts.
    Raises AnalysisError if Spark does not start. ``SPARK_DRIVER_MEMORY`` says how much memory it may use, as with any Spark program;
    where it is not set, a large input, or one that may become large, has half of the machine's.
    """
    master = master or _usual_master()
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if master is not None and master.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:  # of a cluster's workers, whose Python may be elsewhere
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if (rows >= SMALL_ROWS or lasting) and master is not None and master.startswith("local"):
        os.environ.setdefault("SPARK_DRIVER_MEMORY", java_memory())
    java = of_java(master, rows, lasting=lasting)
    with jvm.serving(java) if jvm else nullcontext():
        session = _started(java, required(master), at_start(master, rows))
        try:
            with passing_over_nothing(session), steps_called(NAME, session):
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
    """Have a lasting session do an analysis of so many rows as one for them does, and leave it as it was."""
    own = (session.sparkContext.getConf().get(OWN) or "").split(",")
    with set_to(session, {name: value for name, value in by_size(rows).items() if name in own}):
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


def _started(java: Mapping[str, str], must: Mapping[str, str], may: Mapping[str, str]) -> SparkSession:
    try:
        with ThreadPoolExecutor(max_workers=1) as aside:  # in the main thread pyspark takes SIGINT for itself
            aside.submit(_make_context, java, must, may).result()
        session = SparkSession.builder.getOrCreate()
        remember_classes(session)
    except (PySparkException, Py4JError) as error:
        master = must.get("spark.master")
        where = f" on {master}" if master else ""
        raise AnalysisError(f"Spark did not start{where}: {reason(error)}") from error
    return session


def _make_context(java: Mapping[str, str], must: Mapping[str, str], may: Mapping[str, str]) -> None:
    """With what spark-submit, ``PYSPARK_SUBMIT_ARGS`` and ``spark-defaults.conf`` say, where it is not among what must be.

    pyspark shows that to nobody in public before it has a context, which cannot be changed any more.
    """
    SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(java.items())))  # noqa: SLF001
    conf = SparkConf(_jvm=SparkContext._jvm)  # noqa: SLF001
    own = {name: value for name, value in may.items() if not conf.contains(name)}
    conf.setAll([*own.items(), *must.items(), (OWN, ",".join(own))])
    SparkContext.getOrCreate(conf)


def _usual_master() -> str | None:
    """None where spark-submit has started this process, and knows the master; else this machine."""
    return None if started_by_spark_submit() else "local[*]"
