"""What is told of a step that Spark could not finish."""

from pathlib import Path

import pytest
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.recovery import on_sound_files
from hopwatch_analysis.spark.failures import reason
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf
from small_disks import small_disk

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


def test_a_disk_that_is_full_is_told_as_such_and_not_taken_for_a_damaged_file(
    spark: SparkSession, landed: Path, tmp_path: Path
) -> None:
    found = find_landed([str(landed)])
    told: list[str] = []
    disk = tmp_path / "disk"
    too_much = spark.range(400_000).select(sf.rand(1))
    with (
        small_disk(disk, 1),
        pytest.raises(
            AnalysisError, match=r"could not write a file: No space left on device\. It writes into"
        ),
    ):
        on_sound_files(
            found,
            lambda _: too_much.write.parquet(str(disk / "table")),
            out=disk,
            listed_again=lambda: found,
            progress=told.append,
        )
    assert told == []
