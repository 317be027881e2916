"""How large Spark takes computed frames to be, and how spread: else it keeps an estimate of the plan that a checkpoint cut off."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession

from hopwatch_analysis.spark.gateway import (
    COMPUTED_ROWS,
    DATASET,
    HASHED,
    OPTION,
    TO_SEQ,
    java_classes,
    java_frame,
)

BYTES_A_ROW = 200
SETTING = "spark.sql.defaultSizeInBytes"


def expect_rows(spark: SparkSession, rows: int) -> None:
    """From now on, computed frames are taken to have so many rows: those of a small input go whole to where they are joined."""
    spark.conf.set(SETTING, max(rows, 1) * BYTES_A_ROW)


def expect_no_fewer(computed: DataFrame) -> None:
    """Expect as many rows as this frame has, if that is more than was expected."""
    spark = computed.sparkSession
    known = int(spark.conf.get(SETTING) or 0) // BYTES_A_ROW
    expect_rows(spark, max(known, computed.count()))


@contextmanager
def expectation_restored(spark: SparkSession) -> Iterator[None]:
    """Leave a session that is not ours as it was."""
    before = spark.conf.get(SETTING, None)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(SETTING)
        else:
            spark.conf.set(SETTING, before)


def without_estimates(computed: DataFrame) -> DataFrame:
    """The same rows and partitions, taken to be as large as ``expect_rows`` says.

    Spark's estimate for a join is the product of both sides', so along a chain of checkpoints its digits double with each join: a small analysis spent
    a quarter of its time on multiplying such numbers, and filtered tables of some rows with Bloom filters for millions.
    """
    classes, frame = java_classes(computed.sparkSession), java_frame(computed)
    try:
        plan, spark = frame.queryExecution().analyzed(), frame.sparkSession()
        none = getattr(classes, OPTION).empty()
        rows = getattr(classes, COMPUTED_ROWS)(
            plan.output(),
            plan.rdd(),
            _partitioning(plan, classes),
            plan.outputOrdering(),
            plan.isStreaming(),
            none,
            spark,
            none,
            none,
            False,
        )
        return DataFrame(getattr(classes, DATASET).ofRows(spark, rows), computed.sparkSession)
    except Py4JError:
        # another version of Spark builds its plans otherwise: it works as well, slower
        return computed


def _partitioning(plan: Any, classes: Any) -> Any:
    """How the rows of a plan are spread. Those of one partition are together by whatever key: Spark moves both sides of a join of two
    such frames (``EnsureRequirements`` takes neither as the one to go by) unless they are said to be hashed by no key at all.
    """
    known = plan.outputPartitioning()
    if known.numPartitions() != 1:
        return known
    by_no_key = getattr(classes, TO_SEQ).toSeq([])
    return getattr(classes, HASHED)(by_no_key, 1)
