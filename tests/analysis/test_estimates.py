"""What Spark takes a computed frame to be, by its own plans."""

from hopwatch_analysis.spark.estimates import (
    BYTES_A_ROW,
    SETTING,
    expect_no_fewer,
    expect_rows,
    expectation_restored,
    without_estimates,
)
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.spark.gateway import java_frame
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf


def estimated_bytes(frame: DataFrame) -> int:
    return int(str(java_frame(frame).queryExecution().optimizedPlan().stats().sizeInBytes()))


def exchanges(frame: DataFrame) -> int:
    plan = str(java_frame(frame.groupBy("left").count()).queryExecution().executedPlan().toString())
    return plan.count("Exchange")


def test_a_chain_of_computed_joins_is_estimated_by_what_was_read(spark: SparkSession) -> None:
    expect_rows(spark, 1000)
    numbers = spark.range(8).withColumnRenamed("id", "number")
    for _ in range(4):
        numbers = settle(numbers.join(numbers, on="number", how="inner"))
    assert estimated_bytes(numbers) == 1000 * BYTES_A_ROW
    assert sorted(row.number for row in numbers.collect()) == list(range(8))


def test_spark_alone_keeps_what_it_multiplied(spark: SparkSession) -> None:
    numbers = spark.range(8).withColumnRenamed("id", "number")
    for _ in range(4):
        numbers = numbers.join(numbers, on="number", how="inner").localCheckpoint(eager=True)
    assert estimated_bytes(numbers) > 10**16


def test_a_computed_frame_keeps_its_partitions_and_types(spark: SparkSession) -> None:
    rows = spark.range(100).selectExpr("id", "id % 7 as left", "array(id) as many").repartition(4, "left")
    settled = without_estimates(rows.localCheckpoint(eager=True))
    assert settled.schema == rows.schema
    assert settled.rdd.getNumPartitions() == 4
    assert sorted(settled.collect()) == sorted(rows.collect())
    assert exchanges(settled) == exchanges(rows.localCheckpoint(eager=True))


def test_in_a_session_for_few_rows_no_step_moves_any(spark: SparkSession) -> None:
    numbers = settle(spark.range(100).selectExpr("id", "id % 7 as left").repartition(4, "left"))
    assert numbers.rdd.getNumPartitions() == 1
    few = settle(numbers.where("id < 7").select("left", sf.col("id").alias("first")))
    counted = numbers.groupBy("left").count()
    joined = numbers.join(few, on="left", how="left").join(sf.broadcast(counted), on="left", how="inner")
    assert joined.where("first = left").count() == 100
    assert exchanges(joined) == 0


def test_a_frame_that_is_larger_than_what_was_read_raises_what_is_expected_and_a_small_one_does_not(
    spark: SparkSession,
) -> None:
    with expectation_restored(spark):
        expect_rows(spark, 10)
        expect_no_fewer(spark.range(5))
        assert estimated_bytes(settle(spark.range(3))) == 10 * BYTES_A_ROW
        expect_no_fewer(spark.range(40))
        assert estimated_bytes(settle(spark.range(3))) == 40 * BYTES_A_ROW


def test_a_session_is_left_as_it_was(spark: SparkSession) -> None:
    before = spark.conf.get(SETTING)
    with expectation_restored(spark):
        expect_rows(spark, 10)
    assert spark.conf.get(SETTING) == before
