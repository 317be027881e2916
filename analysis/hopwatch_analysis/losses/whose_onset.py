"""Onsets in ends of lanes, at which a sender does not say whose pipe was full: those that were an edge's own, and those that may have been another's."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.keys import EDGE_OF_STREAM
from hopwatch_analysis.terms.ranges import holding

PLACE = ("stream", "lane", "lane_number")
END = (*EDGE_OF_STREAM, "lane", "first")


def onsets_in_ends(
    losses: DataFrame, onsets: DataFrame, sockets: DataFrame, strangers: DataFrame
) -> DataFrame:
    """Those inside ends of lanes (tail, all), but for those at which only another edge's loss begins: END, lane_number, number, at, doubtful.

    An end that begins at an onset met it. One inside is doubtful where others lack its message too, or may (``strangers``: sockets with a
    peer that nobody tells of), if both marks together hold the whole end: then it may all be queued, or have been.
    """
    from_sender = losses.where("from_socket = stream")
    ends = from_sender.where("hop_known and part in ('tail', 'all')").select(*END, "last")
    inside = holding(ends, onsets, ["stream", "lane"], "lane_number")
    return (
        inside.join(_who_lacks(from_sender, inside), on=list(PLACE), how="inner")
        .where((sf.size("begun_there") == 0) | sf.array_contains("begun_there", sf.col("to_socket")))
        .transform(lambda frame: _with_marks(frame, sockets))
        .join(_marked(strangers), on="from_socket", how="left")
        .withColumn("doubtful", (sf.col("lane_number") > sf.col("first")) & _others_may() & _holds_all())
        .groupBy(*END, "lane_number")
        .agg(
            sf.min("number").alias("number"),
            sf.min("at").alias("at"),
            sf.max("doubtful").alias("doubtful"),
        )
    )


def _who_lacks(ranges: DataFrame, inside: DataFrame) -> DataFrame:
    """PLACE of each of these onsets, by how many edges its message is missing (``lack_it``), and whose losses begin there (``begun_there``)."""
    begins = sf.col("first") == sf.col("lane_number")
    return (
        holding(
            ranges.select("stream", "lane", "first", "last", "to_socket"),
            inside.select(*PLACE).distinct(),
            ["stream", "lane"],
            "lane_number",
        )
        .groupBy(*PLACE)
        .agg(
            sf.count_distinct("to_socket").alias("lack_it"),
            sf.collect_set(sf.when(begins, sf.col("to_socket"))).alias("begun_there"),
        )
    )


def _with_marks(ends: DataFrame, sockets: DataFrame) -> DataFrame:
    sender = sockets.select(sf.col("socket").alias("from_socket"), "sndhwm")
    receiver = sockets.select(sf.col("socket").alias("to_socket"), "rcvhwm")
    return ends.join(sf.broadcast(sender), on="from_socket", how="left").join(
        sf.broadcast(receiver), on="to_socket", how="left"
    )


def _marked(strangers: DataFrame) -> DataFrame:
    named = strangers.select(sf.col("socket").alias("from_socket")).distinct()
    return sf.broadcast(named.withColumn("has_strangers", sf.lit(True)))


def _others_may() -> Column:
    return (sf.col("lack_it") > 1) | sf.col("has_strangers").isNotNull()


def _holds_all() -> Column:
    bounded = (sf.col("sndhwm") > 0) & (sf.col("rcvhwm") > 0)
    holds = sf.col("last") - sf.col("first") < sf.col("sndhwm") + sf.col("rcvhwm")
    return sf.coalesce(~bounded | holds, sf.lit(True))
