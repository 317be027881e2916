"""One analysis of all recorded systems."""

from typing import Any

import pytest
import recordings
import shared_spark
from hopwatch_analysis.job import analyze
from pyspark.sql import SparkSession

pytest_configure = shared_spark.use


@pytest.fixture(scope="session")
def report(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folders = [str(recording.landed) for recording in recordings.recordings()]
    made: dict[str, Any] = analyze(spark, folders, tmp_path_factory.mktemp("recorded"))
    return made
