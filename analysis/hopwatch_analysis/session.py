"""The one place where a Spark session is built."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "true",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
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


@contextmanager
def spark_session(master: str = "local[*]", rows: int = 0) -> Iterator[SparkSession]:
    """A session on ``master`` that suits an input of ``rows`` rows, stopped at the end."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName("hopwatch analyze")
    for name, value in _settings(master, rows).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _settings(master: str, rows: int) -> dict[str, str]:
    settings = dict(SETTINGS)
    if master.startswith("local"):
        java = [f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"]
        if rows < SMALL_ROWS:
            java.append("-XX:TieredStopAtLevel=1")
        settings |= LOCAL_SETTINGS | {"spark.driver.extraJavaOptions": " ".join(java)}
    return settings | SMALL_SETTINGS if rows < SMALL_ROWS else settings
