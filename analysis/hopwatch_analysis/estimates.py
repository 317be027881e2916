"""How large Spark takes computed frames to be: else it keeps an estimate of the plan that a checkpoint cut off."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession

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
    session = computed.sparkSession
    jvm: Any = session._jvm  # noqa: SLF001
    spark: Any = session._jsparkSession  # noqa: SLF001
    try:
        plan = computed._jdf.queryExecution().analyzed()  # noqa: SLF001
        none = getattr(jvm, "scala.Option").empty()
        rows = getattr(jvm, "org.apache.spark.sql.execution.LogicalRDD")(
            plan.output(),
            plan.rdd(),
            plan.outputPartitioning(),
            plan.outputOrdering(),
            plan.isStreaming(),
            none,
            spark,
            none,
            none,
            False,
        )
        return DataFrame(getattr(jvm, "org.apache.spark.sql.classic.Dataset").ofRows(spark, rows), session)
    except (
        Py4JError
    ):  # of another version of Spark, whose plans are built otherwise: it works as well, slower
        return computed
