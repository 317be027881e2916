"""What filtering receivers have and had subscribed to, counted as libzmq does."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf


def subscriptions(rows: DataFrame) -> DataFrame:
    """Every topic (hex) that a socket ever subscribed to, or unsubscribed from: receiver, prefix, standing, since, until (the last time
    that it unsubscribed from what it had, else from what nothing tells that it had).

    An unsubscription does nothing where no subscription is left.
    """
    subscribes = sf.col("action") == "subscribe"
    in_order = Window.partitionBy("socket", "topic").orderBy("at", "n")
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    counted = (
        rows.withColumn("sum", sf.sum(sf.when(subscribes, 1).otherwise(-1)).over(so_far))
        .withColumn("unmatched", -sf.least(sf.lit(0), sf.min("sum").over(so_far)))
        .withColumn("matched", sf.col("unmatched") == sf.lag("unmatched", 1, 0).over(in_order))
    )
    told = counted.groupBy("socket", "topic").agg(
        sf.sum(sf.when(subscribes, 1).when(sf.col("matched"), -1).otherwise(0)).alias("times"),
        sf.min(sf.when(subscribes, sf.col("at"))).alias("since"),
        sf.max(sf.when(~subscribes & sf.col("matched"), sf.col("at"))).alias("left_at"),
        sf.max(sf.when(~subscribes, sf.col("at"))).alias("asked_at"),
    )
    return told.select(
        sf.col("socket").alias("receiver"),
        sf.col("topic").alias("prefix"),
        (sf.col("times") > 0).alias("standing"),
        "since",
        sf.coalesce("left_at", "asked_at").alias("until"),
    )
