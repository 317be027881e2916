"""What is told of a step that Spark could not finish."""

from pathlib import Path

import pytest
from hopwatch_analysis.spark.failures import reason
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_both_the_step_that_failed_and_what_made_it_fail_are_told(
    spark: SparkSession, tmp_path: Path
) -> None:
    numbers = spark.range(1).write.option("compression", "lzo")
    with pytest.raises(Py4JJavaError) as failure:
        numbers.parquet(str(tmp_path / "out"))  # of that compression Spark knows the name, but has no code
    told = reason(failure.value)
    assert told.startswith("org.apache.spark.SparkException: Job aborted due to stage failure")
    assert told.endswith("(java.lang.ClassNotFoundException: com.hadoop.compression.lzo.LzoCodec)")
    assert "\n" not in told
