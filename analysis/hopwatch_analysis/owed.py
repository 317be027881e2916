"""What each receiver is owed of each lane: the numbers that were sent while it was there to be sent them."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links import saw_it_end
from hopwatch_analysis.nodes import BALANCED_TYPES, FILTERED_TYPES
from hopwatch_analysis.sparse import with_tails

SOON_AFTER = 3  # events: a sender writes its lanes right behind the disconnection they belong to


def endings(way_edges: DataFrame, sockets: DataFrame, link_facts: DataFrame) -> DataFrame:
    """Which end of each way ended first: stream, receiver, length, receiver_left_first, left_at, left_n, left_sent.

    ``left_*`` is when, and at which event and count, the sending side saw the receiver go.
    """
    ends = sockets.select("socket", "end", "ended_at")
    sender = ends.toDF("stream", "sender_end", "sender_ended_at")
    receiver = ends.toDF("receiver", "receiver_end", "receiver_ended_at")
    last = ends.toDF("from_socket", "last_end", "last_ended_at")
    last_edge = way_edges.where("depth = length").select(
        "stream", "receiver", "length", "from_socket", "to_socket"
    )
    sender_before = sf.col("sender_ended_at").isNotNull() & (
        sf.col("sender_ended_at") <= sf.col("receiver_ended_at")
    )
    saw_sender_end = saw_it_end(sf.col("last_ended_at"))
    direct = sf.col("length") == 1
    return (
        last_edge.join(sender, on="stream", how="left")
        .join(receiver, on="receiver", how="left")
        .join(last, on="from_socket", how="left")
        .join(link_facts, on=["from_socket", "to_socket"], how="left")
        .select(
            "stream",
            "receiver",
            "length",
            (sf.col("receiver_ended_at").isNotNull() & ~sender_before & ~saw_sender_end).alias(
                "receiver_left_first"
            ),
            sf.when(direct, sf.coalesce("left_at", "receiver_ended_at"))
            .otherwise(sf.col("receiver_ended_at"))
            .alias("left_at"),
            sf.when(direct, sf.col("left_n")).alias("left_n"),
            sf.when(direct, sf.col("left_sent")).alias("left_sent"),
        )
    )


def owed(
    endings: DataFrame,
    lanes: DataFrame,
    receipts: DataFrame,
    *,
    subscriptions: DataFrame,
    sockets: DataFrame,
    samples: DataFrame,
    unchecked: DataFrame | None = None,
) -> DataFrame:
    """The checked lanes of each way, with ``end``, one past the last number owed.

    ``unchecked`` (stream, lane, receiver) are left out.

    Columns: stream, receiver, lane, length, count, first, next, came (of those, without a stamp after the last one),
    newest_sent_at, moved_at, sent, receiver_left_first, end.
    """
    return (
        _candidate_lanes(endings, lanes, receipts, sockets)
        .transform(lambda frame: _checked_only(frame, unchecked))
        .transform(lambda frame: _subscribed_only(frame, subscriptions))
        .transform(lambda frame: _with_count_when_left(frame, samples))
        .withColumn("end", _end())
        .select(
            "stream",
            "receiver",
            "lane",
            "length",
            "count",
            "first",
            "next",
            "came",
            "newest_sent_at",
            "moved_at",
            "sent",
            "receiver_left_first",
            "end",
        )
    )


def subscriptions(rows: DataFrame) -> DataFrame:
    """Every topic (hex) that a socket ever subscribed to: receiver, prefix, standing."""
    change = sf.when(sf.col("action") == "subscribe", 1).otherwise(-1)
    counted = rows.groupBy("socket", "topic").agg(sf.sum(change).alias("times"))
    return counted.select(
        sf.col("socket").alias("receiver"),
        sf.col("topic").alias("prefix"),
        (sf.col("times") > 0).alias("standing"),
    )


def _candidate_lanes(
    endings: DataFrame, lanes: DataFrame, receipts: DataFrame, sockets: DataFrame
) -> DataFrame:
    types = sockets.select("socket", "type")
    return (
        endings.join(types.toDF("stream", "stream_type"), on="stream", how="left")
        .join(types.toDF("receiver", "receiver_type"), on="receiver", how="left")
        .where(~sf.coalesce(sf.col("stream_type").isin(*BALANCED_TYPES), sf.lit(False)))
        .join(lanes.drop("moved_at"), on="stream", how="inner")
        .join(receipts, on=["stream", "lane", "receiver"], how="left")
        .withColumn("has_rows", sf.col("count").isNotNull())
        .fillna(0, subset=["count", "first", "next", "since"])
        .transform(with_tails)
        .where((sf.col("stream_type") != "ROUTER") | sf.col("stream_type").isNull() | sf.col("has_rows"))
    )


def _checked_only(candidates: DataFrame, unchecked: DataFrame | None) -> DataFrame:
    if unchecked is None:
        return candidates
    return candidates.join(unchecked, on=["stream", "lane", "receiver"], how="left_anti")


def _subscribed_only(candidates: DataFrame, subscriptions: DataFrame) -> DataFrame:
    """Lanes that a filtering receiver has subscribed to, or has messages of."""
    filtered = sf.coalesce(sf.col("receiver_type").isin(*FILTERED_TYPES), sf.lit(False))
    covered = (
        candidates.where(filtered)
        .select("stream", "receiver", "lane", "topic")
        .join(subscriptions, on="receiver", how="inner")
        .where(sf.col("standing") & sf.col("topic").startswith(sf.col("prefix")))
        .select("stream", "receiver", "lane", sf.lit(True).alias("covered"))
        .distinct()
    )
    told = subscriptions.select("receiver", sf.lit(True).alias("told")).distinct()
    in_force = (
        ~filtered | sf.coalesce("covered", sf.lit(False)) | sf.col("told").isNull() & sf.col("has_rows")
    )
    return (
        candidates.join(covered, on=["stream", "receiver", "lane"], how="left")
        .join(told, on="receiver", how="left")
        .withColumn("in_force", in_force)
        .where("in_force or has_rows")
    )


def _with_count_when_left(candidates: DataFrame, samples: DataFrame) -> DataFrame:
    leavers = candidates.where("receiver_left_first").select(
        "stream", "receiver", "lane", "left_at", "left_n"
    )
    written_behind = sf.col("n").between(sf.col("left_n"), sf.col("left_n") + SOON_AFTER)
    in_time = (sf.col("at") <= sf.col("left_at")) | sf.coalesce(written_behind, sf.lit(False))
    reached = (
        leavers.join(samples, on=["stream", "lane"], how="inner")
        .where(in_time)
        .groupBy("stream", "receiver", "lane")
        .agg(sf.max("count").alias("count_when_left"))
    )
    lanes_each = candidates.groupBy("stream", "receiver").agg(sf.count("*").alias("lanes_each"))
    return candidates.join(reached, on=["stream", "receiver", "lane"], how="left").join(
        lanes_each, on=["stream", "receiver"], how="inner"
    )


def _end() -> Column:
    sent_when_left = sf.least(sf.when(sf.col("lanes_each") == 1, sf.col("left_sent")), sf.col("sent"))
    until_left = sf.greatest(sf.col("next"), sf.col("count_when_left"), sent_when_left)
    return (
        sf.when(~sf.col("in_force"), sf.col("next"))
        .when(sf.col("receiver_left_first"), sf.coalesce(until_left, sf.lit(0)))
        .otherwise(sf.greatest("sent", "next"))
    )
