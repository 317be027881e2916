"""What filtering receivers have and had subscribed to, counted as libzmq does."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf


def subscriptions(rows: DataFrame) -> DataFrame:
    """Every topic (hex) that a socket ever subscribed to, or unsubscribed from: receiver, prefix, standing, since, until (the last time
    that it unsubscribed from what it had, else from what nothing tells that it had).
    """
    subscribes = sf.col("action") == "subscribe"
    told = (
        _counted(rows)
        .groupBy("socket", "topic")
        .agg(
            sf.sum(sf.when(subscribes, 1).when(sf.col("matched"), -1).otherwise(0)).alias("times"),
            sf.min(sf.when(subscribes, sf.col("at"))).alias("since"),
            sf.max(sf.when(~subscribes & sf.col("matched"), sf.col("at"))).alias("left_at"),
            sf.max(sf.when(~subscribes, sf.col("at"))).alias("asked_at"),
        )
    )
    return told.select(
        sf.col("socket").alias("receiver"),
        sf.col("topic").alias("prefix"),
        (sf.col("times") > 0).alias("standing"),
        "since",
        sf.coalesce("left_at", "asked_at").alias("until"),
    )


def changes_of_returners(rows: DataFrame) -> DataFrame:
    """When topics (hex) came into force (``step`` 1) and went out of it (-1), of sockets that subscribed to any after they had left one:
    receiver, prefix, at, n, step.
    """
    subscribes = sf.col("action") == "subscribe"
    times = sf.col("sum") + sf.col("unmatched")
    step = sf.when(subscribes & (times == 1), 1).when(~subscribes & sf.col("matched") & (times == 0), -1)
    of_socket, moment = Window.partitionBy("socket"), sf.struct("at", "n")
    left_first = sf.min(sf.when(sf.col("step") < 0, moment)).over(of_socket)
    came_last = sf.max(sf.when(sf.col("step") > 0, moment)).over(of_socket)
    return (
        _counted(rows)
        .withColumn("step", step)
        .where("step is not null")
        .withColumn("returned", came_last > left_first)
        .where("returned")
        .select(sf.col("socket").alias("receiver"), sf.col("topic").alias("prefix"), "at", "n", "step")
    )


def _counted(rows: DataFrame) -> DataFrame:
    """Adds the ``sum`` of a topic's subscriptions less its unsubscriptions, those ``unmatched`` by then, and whether this row is ``matched``.

    An unsubscription does nothing where no subscription is left. An event counts once: an agent that lost its
    database lands again what a journal repeats.
    """
    in_order = Window.partitionBy("socket", "topic").orderBy("at", "n")
    again = sf.coalesce(sf.col("n") == sf.lag("n").over(in_order), sf.lit(False))
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return (
        rows.withColumn("again", again)
        .where("not again")
        .drop("again")
        .withColumn("sum", sf.sum(sf.when(sf.col("action") == "subscribe", 1).otherwise(-1)).over(so_far))
        .withColumn("unmatched", -sf.least(sf.lit(0), sf.min("sum").over(so_far)))
        .withColumn("matched", sf.col("unmatched") == sf.lag("unmatched", 1, 0).over(in_order))
    )
