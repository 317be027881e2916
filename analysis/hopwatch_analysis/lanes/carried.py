"""Numbers that messages carry by themselves: a receiver's lanes are given to the sender's lanes that they are of.

A receiver does not know whose stream it reads. Its lane belongs to the sender's lane of the same topic and sequence, if that sender's messages
reach the receiver, its socket was open when the lane began, its numbers hold the lane's, and no other's do. A lane of
nobody's stays a stream of its own, sent by a socket that nobody wrapped: what it lacks between its first and last number is known all the same.
"""

from dataclasses import dataclass

from hopwatch_judge.socket_types import FILTERED_TYPES
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import best, seconds, settle

MARGIN = 10  # seconds: clocks may differ, and what was sent before a socket closed arrives after it
RECEIVED = ("receiver", "stream", "lane")


@dataclass(frozen=True)
class Carried:
    """Rows of lanes and gaps with the sender's stream and lane in them, and the senders that nobody wrapped."""

    lanes: DataFrame
    gaps: DataFrame
    sockets: DataFrame
    unchecked: DataFrame | None
    """stream, lane, receiver: lanes of sequences that a receiver's own lanes are not known to be."""


def assigned(lane_rows: DataFrame, gap_rows: DataFrame, sockets: DataFrame, links: DataFrame) -> Carried:
    """Give the lanes of sequences that receivers read to the senders' lanes that they are of."""
    if lane_rows.where("sequence is not null").isEmpty():
        return Carried(lane_rows, gap_rows, sockets, None)
    named = lane_rows.where("sequence is not null").select(
        "socket", "stream", "lane", "role", "topic", "sequence", "at"
    )
    extents = (
        lane_rows.where("count is not null")
        .groupBy("socket", "stream", "lane")
        .agg(sf.min("first").alias("first"), sf.max("next").alias("next"), sf.max("count").alias("count"))
    )
    ends = settle(
        best(named, ["socket", "stream", "lane"], [sf.col("at")]).join(
            extents, on=["socket", "stream", "lane"], how="left"
        )
    )
    reached = settle(reach(links, sockets))
    matched = settle(_matched(ends, sockets, reached))
    sending = ends.where("role = 'send'")
    pairs = settle(
        sending.select("stream", "lane", "topic", "sequence", "first").join(reached, on="stream", how="inner")
    )
    checks = settle(
        matched.select("receiver", sf.col("to_stream").alias("stream"), sf.col("to_lane").alias("lane"))
        .unionByName(_reached_by_nothing(pairs, ends, sockets))
        .distinct()
    )
    alone = (
        ends.where("role = 'receive'")
        .select("stream", "lane", sf.col("socket").alias("receiver"), "sequence", "first")
        .join(matched.select(*RECEIVED), on=list(RECEIVED), how="left_anti")
    )
    begun = (
        checks.join(sending.select("stream", "lane", "first"), on=["stream", "lane"], how="inner")
        .unionByName(alone.select("receiver", "stream", "lane", "first"))
        .where("first > 0")
    )
    left_out = gap_rows.where("action = 'skipped' and socket = stream").join(
        checks, on=["stream", "lane"], how="inner"
    )
    gaps = (
        _renamed(gap_rows.where("action != 'skipped' or socket != stream"), matched)
        .unionByName(_skips(begun, sf.lit(0).cast("long"), sf.col("first") - 1), allowMissingColumns=True)
        .unionByName(
            left_out.drop("socket").withColumnsRenamed({"receiver": "socket"}), allowMissingColumns=True
        )
    )
    return Carried(
        lanes=_renamed(lane_rows, matched),
        gaps=gaps,
        sockets=sockets.unionByName(_unwrapped(alone, sockets), allowMissingColumns=True),
        unchecked=settle(
            pairs.select("stream", "lane", "receiver").join(
                checks, on=["stream", "lane", "receiver"], how="left_anti"
            )
        ),
    )


def reach(links: DataFrame, sockets: DataFrame) -> DataFrame:
    """Who gets whose messages, directly or through one proxy: stream, receiver."""
    direct = links.select(sf.col("from_socket").alias("stream"), sf.col("to_socket").alias("receiver"))
    passing = sockets.where("passes_to is not null").select(sf.col("socket").alias("receiver"), "passes_to")
    behind = links.select(sf.col("from_socket").alias("passes_to"), sf.col("to_socket").alias("behind"))
    through = (
        direct.join(passing, on="receiver", how="inner")
        .join(behind, on="passes_to", how="inner")
        .select("stream", sf.col("behind").alias("receiver"))
    )
    return direct.unionByName(through).distinct()


def _matched(ends: DataFrame, sockets: DataFrame, reach: DataFrame) -> DataFrame:
    """receiver, stream, lane (as the receiver has them), to_stream, to_lane."""
    life = sockets.select(sf.col("socket").alias("to_stream"), "opened_at", "ended_at")
    senders = ends.where("role = 'send'").select(
        sf.col("stream").alias("to_stream"),
        sf.col("lane").alias("to_lane"),
        "topic",
        "sequence",
        sf.col("first").alias("from_first"),
        sf.col("next").alias("to_next"),
    )
    received = ends.where("role = 'receive'").select(
        sf.col("socket").alias("receiver"),
        "stream",
        "lane",
        "topic",
        "sequence",
        "at",
        "first",
        "next",
        "count",
    )
    open_then = (seconds(sf.col("at"), sf.col("opened_at")) >= -MARGIN) & (
        sf.col("ended_at").isNull() | (seconds(sf.col("at"), sf.col("ended_at")) <= MARGIN)
    )
    holds = (sf.col("first") >= sf.col("from_first")) & (sf.col("next") <= sf.col("to_next") + 1)
    alone = Window.partitionBy(*RECEIVED)
    fits = (
        received.join(senders, on=["topic", "sequence"], how="inner")
        .join(life, on="to_stream", how="inner")
        .join(reach.toDF("to_stream", "receiver"), on=["to_stream", "receiver"], how="left_semi")
        .where(open_then & holds)
        .withColumn("candidates", sf.count("*").over(alone))
        .where("candidates = 1")
    )
    return best(fits, ["receiver", "to_stream", "to_lane"], [sf.col("count").desc()]).select(
        *RECEIVED, "to_stream", "to_lane"
    )


def _reached_by_nothing(pairs: DataFrame, ends: DataFrame, sockets: DataFrame) -> DataFrame:
    """Receivers that read a lane's sequence, and got nothing of its topic from anybody: receiver, stream, lane."""
    reads = sockets.select(sf.col("socket").alias("receiver"), "sequence")
    got = ends.where("role = 'receive'").select(sf.col("socket").alias("receiver"), "topic", "sequence")
    return (
        pairs.join(reads, on=["receiver", "sequence"], how="left_semi")
        .join(got, on=["receiver", "topic", "sequence"], how="left_anti")
        .select("receiver", "stream", "lane")
    )


def _renamed(rows: DataFrame, matched: DataFrame) -> DataFrame:
    to = matched.withColumnsRenamed({"receiver": "socket"})
    return (
        rows.join(to, on=["socket", "stream", "lane"], how="left")
        .withColumns({"stream": sf.coalesce("to_stream", "stream"), "lane": sf.coalesce("to_lane", "lane")})
        .select(*rows.columns)
    )


def _skips(lanes: DataFrame, first: Column, last: Column) -> DataFrame:
    """Numbers before the first one that anybody sent or saw were never owed."""
    return lanes.select(
        sf.col("receiver").alias("socket"),
        "stream",
        "lane",
        sf.lit("skipped").alias("action"),
        first.alias("first"),
        last.alias("last"),
    )


def _unwrapped(alone: DataFrame, sockets: DataFrame) -> DataFrame:
    """A socket for each stream that no wrapped sender is known of."""
    receivers = sockets.select(
        sf.col("socket").alias("receiver"),
        "host",
        sf.col("name").alias("of"),
        sf.col("type").alias("to_type"),
    )
    publishes = sf.when(sf.col("to_type").isin(*FILTERED_TYPES), "PUB")
    name = sf.concat(sf.lit("sender to "), "of")
    return (
        best(alone, ["stream"], [sf.col("receiver")])
        .join(receivers, on="receiver", how="inner")
        .select(
            sf.col("stream").alias("socket"),
            publishes.alias("type"),
            name.alias("name"),
            sf.col("stream").alias("node"),
            name.alias("node_name"),
            publishes.alias("node_type"),
            sf.lit(False).alias("probed"),
            sf.lit("open").alias("end"),
        )
    )
