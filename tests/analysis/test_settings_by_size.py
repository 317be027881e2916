"""Spark is set to suit the size of each input; what its user has chosen stays."""

import os
import subprocess
import sys

import pytest
from hopwatch_analysis.spark.session import suited_to
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SIZED = (
    "spark.sql.shuffle.partitions",
    "spark.sql.codegen.wholeStage",
    "spark.sql.adaptive.enabled",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes",
    "spark.sql.session.timeZone",
)


def set_now(spark: SparkSession) -> list[str | None]:
    return [spark.conf.get(name) for name in SIZED]


def test_a_lasting_session_suits_each_input_and_is_left_as_it_was(spark: SparkSession) -> None:
    before = set_now(spark)
    for rows, settings in {
        0: ["1", "false", "false", "8m", "UTC"],
        99_999: ["1", "false", "false", "8m", "UTC"],
        100_000: ["2", "false", "true", "8m", "UTC"],
        40_000_000: ["80", "true", "true", "8m", "UTC"],
    }.items():
        with suited_to(spark, rows):
            assert set_now(spark) == settings
    assert set_now(spark) == before


PROGRAM = f"""
from hopwatch_analysis.spark.session import spark_session, suited_to
with spark_session("local[1]") as spark, suited_to(spark, 40_000_000):
    print(*[spark.conf.get(name) for name in {SIZED!r}], spark.sparkContext.master)
"""


def test_what_a_user_has_chosen_stays_but_for_what_results_depend_on() -> None:
    chosen = (
        "--conf spark.sql.shuffle.partitions=7 --conf spark.sql.session.timeZone=Asia/Tokyo --master local[3]"
    )
    environment = os.environ | {"PYSPARK_SUBMIT_ARGS": f"{chosen} pyspark-shell"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["7", "true", "true", "8m", "UTC", "local[1]"], done.stderr[-2000:]
