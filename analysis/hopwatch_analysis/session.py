"""The one place where a Spark session is built."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.gateway import leave
from hopwatch_analysis.jvm import Jvm

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "true",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    # else each expression asks for the place in our code that it stands at, which takes a third of a small analysis
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.dataFrameQueryContext.enabled": "false",
}

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
LOCAL_SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

# what compiling code for each step costs, small inputs do not win back
SMALL_SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
SMALL_ROWS = 1_000_000

# with one compiler the JVM reserves 48 MB for code, which an analysis fills; then it stops compiling, and says so at length
QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")


@contextmanager
def spark_session(
    master: str = "local[*]", rows: int = 0, jvm: Jvm | None = None, *, lasting: bool = False
) -> Iterator[SparkSession]:
    """A session on ``master`` that suits an input of ``rows`` rows, or many of them one after the other (``lasting``), stopped at the end.

    With ``jvm``, that is the Java process it runs in, once in the life of this process; else one that pyspark starts.
    Raises AnalysisError if Spark does not start.
    """
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    settings = {"spark.master": master, "spark.app.name": "hopwatch analyze"} | _settings(
        master, rows, lasting=lasting
    )
    with jvm.serving(settings) if jvm else nullcontext():
        session = _started(settings)
        try:
            yield session
        finally:
            with suppress(Py4JError, OSError):  # a Java process that died cannot be told to stop
                session.stop()
            if jvm:
                leave(threading.enumerate())


def _started(settings: dict[str, str]) -> SparkSession:
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    try:
        with ThreadPoolExecutor(max_workers=1) as aside:  # in the main thread pyspark takes SIGINT for itself
            aside.submit(SparkContext.getOrCreate, conf).result()
        return SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        raise AnalysisError(f"Spark did not start: {str(error).splitlines()[0]}") from error


def _settings(master: str, rows: int, *, lasting: bool) -> dict[str, str]:
    settings = dict(SETTINGS)
    if master.startswith("local"):
        java = [f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"]
        if rows < SMALL_ROWS and not lasting:
            java += QUICK_START
        settings |= LOCAL_SETTINGS | {"spark.driver.extraJavaOptions": " ".join(java)}
    return settings | SMALL_SETTINGS if rows < SMALL_ROWS else settings
