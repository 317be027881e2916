"""An agent that lost its database lands again what the head of a journal's segment repeats."""

import pytest
from hopwatch_analysis.lanes.subscriptions import subscriptions
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_subscription_that_was_landed_twice_counts_once(spark: SparkSession) -> None:
    rows = [("a", "61", "subscribe", 3), ("a", "61", "subscribe", 3), ("a", "61", "unsubscribe", 7)]
    rows += [("a", "62", "subscribe", 4), ("a", "62", "subscribe", 5), ("a", "62", "unsubscribe", 8)]
    rows += [("b", "61", "subscribe", None), ("b", "61", "subscribe", None), ("b", "61", "unsubscribe", None)]
    frame = spark.createDataFrame(rows, "socket string, topic string, action string, n bigint").selectExpr(
        "socket", "topic", "action", "timestamp_seconds(coalesce(n, 1)) as at", "n"
    )
    found = {(row["receiver"], row["prefix"]): row["standing"] for row in subscriptions(frame).collect()}
    assert found == {("a", "61"): False, ("a", "62"): True, ("b", "61"): True}
