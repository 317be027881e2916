"""What counts alone tell of the lanes that a receiver has by count: how many messages are missing, and never which."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.keys import WAY


def before_joining(
    owed: DataFrame, samples: DataFrame, way_edges: DataFrame, link_facts: DataFrame
) -> DataFrame:
    """Numbers that the sender is known to have sent before the receiver was there, as rows of gaps that were skipped:
    socket, stream, lane, action, first, last.
    """
    connected = (
        way_edges.where("depth = length")
        .join(
            link_facts.select("from_socket", "to_socket", "connected_at"),
            on=["from_socket", "to_socket"],
            how="inner",
        )
        .select(*WAY, "connected_at")
    )
    return (
        owed.where("by_count")
        .join(connected, on=list(WAY), how="left")
        .withColumn("joined_at", sf.greatest("connected_at", "subscribed_at"))
        .join(
            samples.select("stream", "lane", "at", sf.col("count").alias("sent_then")),
            on=["stream", "lane"],
            how="inner",
        )
        .where("at <= joined_at")
        .groupBy(*WAY, "lane", "count", "end")
        .agg(sf.max("sent_then").alias("sent_then"))
        .withColumn("last", sf.least("sent_then", sf.col("end") - sf.col("count")) - 1)
        .where("last >= 0")
        .select(
            sf.col("receiver").alias("socket"),
            "stream",
            "lane",
            sf.lit("skipped").alias("action"),
            sf.lit(0).cast("long").alias("first"),
            "last",
        )
    )


def with_cause(
    unlocated: DataFrame, way_edges: DataFrame, sockets: DataFrame, window_end: datetime, guard: float
) -> DataFrame:
    """Adds ``cause`` and ``messages``: of a lane that is known by count as many as its queues hold may be in flight, while
    its receiver is there to get them; the rest is unexplained.
    """
    moving = sf.coalesce(seconds(sf.lit(window_end), sf.col("moved_at")) <= guard, sf.lit(False))
    there = sf.col("y_ended_at").isNull() & (moving | sf.col("x_ended_at").isNull())
    in_flight = sf.when(sf.col("by_count") & there, _held()).otherwise(0).cast("long")
    parts = sf.array(
        sf.struct(sf.lit("in_flight").alias("cause"), sf.col("queued").alias("messages")),
        sf.struct(sf.lit("unexplained").alias("cause"), sf.expr("unlocated - queued").alias("messages")),
    )
    return (
        unlocated.where("unlocated > 0")
        .transform(lambda frame: _with_ends(frame, way_edges, sockets))
        .withColumn("queued", in_flight)
        .withColumn("part", sf.explode(parts))
        .select(*WAY, "lane", "part.cause", "part.messages")
        .where("messages > 0")
    )


def _with_ends(rows: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    ends = sockets.select("socket", "ended_at", "sndhwm", "rcvhwm")
    sender = ends.drop("rcvhwm").toDF("stream", "x_ended_at", "sndhwm")
    receiver = ends.drop("sndhwm").toDF("receiver", "y_ended_at", "rcvhwm")
    return (
        rows.join(way_edges.select(*WAY, "length").distinct(), on=list(WAY), how="left")
        .join(sender, on="stream", how="left")
        .join(receiver, on="receiver", how="left")
    )


def _held() -> Column:
    """What the two queues of a direct way have room for, shared by all its lanes; without marks, everything."""
    bounded = (sf.col("length") == 1) & (sf.col("sndhwm") > 0) & (sf.col("rcvhwm") > 0)
    before = Window.partitionBy(*WAY).orderBy("lane").rowsBetween(Window.unboundedPreceding, -1)
    room = sf.col("sndhwm") + sf.col("rcvhwm") - sf.coalesce(sf.sum("unlocated").over(before), sf.lit(0))
    held = sf.greatest(sf.lit(0), sf.least("unlocated", room))
    return sf.when(bounded, held).otherwise(sf.col("unlocated"))
