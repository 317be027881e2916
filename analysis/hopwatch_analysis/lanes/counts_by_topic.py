"""Messages that no number tells the lane of: counts by topic, given to the lanes of the senders that they came from.

A receiver that only counts meets no stamp at all, and one of sparse stamps may have met none of some lane. What it counted of a
topic belongs to the lanes of that topic whose senders reach it. Where the two ends do not tell topics apart in the same way
(one of them gathers what is past its bound, or was told another rule), all counts without a lane belong to all lanes without a
count. What came from senders that nobody wrapped is taken for theirs, so that no more is missing than is lost.
"""

from dataclasses import dataclass

from hopwatch_judge.socket_types import BALANCED_TYPES, FILTERED_TYPES
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import WHOLE_STREAM_LANE, latest, receipts
from hopwatch_analysis.lanes.surplus import surplus
from hopwatch_analysis.spark.frames import best, settle

COUNTING = ("count", "stamp")
REST = "rest"  # no topic: those are hex
PAIR = ("stream", "lane", "receiver")


@dataclass(frozen=True)
class Counted:
    """Rows of lanes with what was counted by topic in them (``by_count``), what cannot be told so (stream, lane, receiver), and
    what receivers counted that no sender is known of (receiver, surplus).
    """

    lanes: DataFrame
    uncounted: DataFrame | None = None
    surplus: DataFrame | None = None


def counted(
    lane_rows: DataFrame,
    sockets: DataFrame,
    reach: DataFrame,
    *,
    subscriptions: DataFrame,
    leaving_out: DataFrame,
) -> Counted:
    """Give counts by topic to lanes. ``reach``: stream, receiver; ``leaving_out``: socket."""
    counting = sockets.where("sequence = 'count'").select(sf.col("socket").alias("stream"), "type")
    if lane_rows.where("role = 'count'").isEmpty() and counting.isEmpty():
        return Counted(lane_rows.withColumn("by_count", sf.lit(False)))
    by_count = counting.where("type != 'ROUTER'").select("stream")
    routers = counting.where("type = 'ROUTER'").select("stream")
    pairs = settle(_pairs(lane_rows, sockets, reach).transform(lambda found: _counting(found, leaving_out)))
    counts = settle(_topic_counts(lane_rows))
    shares = settle(
        pairs.where("counting")
        .transform(lambda found: _with_counts(found, counts))
        .transform(lambda found: _subscribed(found, subscriptions))
        .transform(_shared)
    )
    uncounted = settle(
        pairs.where("sequence = 'count' and not counting")
        .unionByName(shares.where("ambiguous"), allowMissingColumns=True)
        .select(*PAIR, "type")
    )
    given = shares.where("not ambiguous")
    unknown = settle(_told_by_nobody(by_count, pairs, given, uncounted).unionByName(routers))
    rows = (
        lane_rows.where("role != 'count'")
        .withColumn("by_count", sf.lit(False))
        .unionByName(given.transform(_as_rows), allowMissingColumns=True)
        .join(unknown, on="stream", how="left_anti")
    )
    return Counted(
        settle(rows),
        uncounted.select(*PAIR).join(unknown, on="stream", how="left_anti"),
        surplus(counts, given, sockets),
    )


def _pairs(lane_rows: DataFrame, sockets: DataFrame, reach: DataFrame) -> DataFrame:
    """Lanes and the receivers that they reach and that no stamp of them did: stream, lane, topic, sent, type, sequence,
    opened_at, receiver, receiver_type, receiver_sequence.

    A ROUTER's lanes are named after its peers, which do not know their names.
    """
    senders = sockets.where("type != 'ROUTER' and sequence in ('count', 'stamp')").select(
        sf.col("socket").alias("stream"), "type", "sequence", "opened_at"
    )
    receivers = sockets.select(
        sf.col("socket").alias("receiver"),
        sf.col("type").alias("receiver_type"),
        sf.col("sequence").alias("receiver_sequence"),
    )
    stamped = receipts(lane_rows.withColumn("by_count", sf.lit(False))).select(*PAIR)
    return (
        lane_rows.where("role = 'send'")
        .groupBy("stream", "lane")
        .agg(
            sf.coalesce(sf.max("topic"), sf.lit("")).alias("topic"),
            sf.coalesce(sf.max("count"), sf.lit(0)).alias("sent"),
        )
        .join(senders, on="stream", how="inner")
        .join(reach, on="stream", how="inner")
        .join(receivers, on="receiver", how="inner")
        .join(stamped, on=list(PAIR), how="left_anti")
    )


def _counting(pairs: DataFrame, leaving_out: DataFrame) -> DataFrame:
    """Adds ``counting``: the receiver counts by topic, and neither end leaves messages out by design."""
    either = leaving_out.select("socket").distinct().withColumn("conflates", sf.lit(True))
    asked = sf.coalesce(sf.col("receiver_sequence").isin(*COUNTING), sf.lit(False))
    keeps_all = sf.col("conflates").isNull() & sf.col("conflated").isNull()
    return (
        pairs.join(either.toDF("receiver", "conflates"), on="receiver", how="left")
        .join(either.toDF("stream", "conflated"), on="stream", how="left")
        .withColumn("counting", asked & keeps_all)
        .drop("conflates", "conflated")
    )


def _topic_counts(lane_rows: DataFrame) -> DataFrame:
    """The last word of each receiver on each topic: receiver, topic, gathered (it is of several), counted, moved_at (when it
    was first seen).
    """
    rows = lane_rows.where("role = 'count'")
    last = best(rows.where("count is not null"), ["socket", "lane"], latest()).select(
        "socket", "lane", sf.col("count").alias("counted")
    )
    topics = rows.groupBy("socket", "lane").agg(sf.coalesce(sf.max("topic"), sf.lit("")).alias("topic"))
    moved = (
        rows.join(last, on=["socket", "lane"], how="inner")
        .where("count = counted")
        .groupBy("socket", "lane", "counted")
        .agg(sf.min("at").alias("moved_at"))
    )
    return (
        moved.join(topics, on=["socket", "lane"], how="inner")
        .withColumn("gathered", sf.col("lane") == WHOLE_STREAM_LANE)
        .groupBy(sf.col("socket").alias("receiver"), "topic", "gathered")
        .agg(sf.sum("counted").alias("counted"), sf.max("moved_at").alias("moved_at"))
    )


def _with_counts(pairs: DataFrame, counts: DataFrame) -> DataFrame:
    """Adds ``key``, which lanes and counts of one receiver have in common, ``counted`` and ``moved_at`` of all lanes with it."""
    own = counts.where("not gathered").drop("gathered")
    rest = (
        own.join(pairs.select("receiver", "topic").distinct(), on=["receiver", "topic"], how="left_anti")
        .unionByName(counts.where("gathered").drop("gathered"))
        .groupBy("receiver")
        .agg(sf.sum("counted").alias("rest"), sf.max("moved_at").alias("rest_moved_at"))
    )
    has_own = sf.col("counted").isNotNull()
    return (
        pairs.join(own, on=["receiver", "topic"], how="left")
        .join(rest, on="receiver", how="left")
        .where(has_own | (sf.col("sequence") == "count"))
        .withColumns(
            {
                "key": sf.when(has_own, sf.col("topic")).otherwise(REST),
                "counted": sf.coalesce("counted", "rest", sf.lit(0)),
                "moved_at": sf.when(has_own, sf.col("moved_at")).otherwise(sf.col("rest_moved_at")),
            }
        )
        .drop("rest", "rest_moved_at")
    )


def _subscribed(pairs: DataFrame, subscriptions: DataFrame) -> DataFrame:
    """Lanes that a receiver gets all of: one of its subscriptions covers them, or it does not filter.

    Where its subscriptions are not known, what came of a topic shows that it has one.
    """
    filtering = sf.coalesce(sf.col("receiver_type").isin(*FILTERED_TYPES), sf.lit(False))
    covered = (
        pairs.join(subscriptions.select("receiver", "prefix"), on="receiver", how="inner")
        .where(sf.col("topic").startswith(sf.col("prefix")))
        .select(*PAIR)
        .distinct()
        .withColumn("covered", sf.lit(True))
    )
    told = subscriptions.select("receiver").distinct().withColumn("told", sf.lit(True))
    shown = sf.col("told").isNull() & (sf.col("topic") != "") & (sf.col("key") == sf.col("topic"))
    return (
        pairs.join(covered, on=list(PAIR), how="left")
        .join(told, on="receiver", how="left")
        .where(~filtering | sf.col("covered").isNotNull() | shown)
        .drop("covered", "told")
    )


def _shared(pairs: DataFrame) -> DataFrame:
    """Adds ``given``, each lane's part of the count, the oldest sender first, and ``ambiguous``: several senders have sent more
    than was counted, and nothing tells whose messages are missing.
    """
    same = Window.partitionBy("receiver", "key")
    before = same.orderBy("opened_at", "stream", "lane").rowsBetween(Window.unboundedPreceding, -1)
    left = sf.col("counted") - sf.coalesce(sf.sum("sent").over(before), sf.lit(0))
    several = sf.size(sf.collect_set("stream").over(same)) > 1
    return pairs.withColumns(
        {
            "given": sf.greatest(sf.lit(0), sf.least("sent", left)),
            "ambiguous": several & (sf.sum("sent").over(same) > sf.col("counted")),
        }
    )


def _told_by_nobody(
    by_count: DataFrame, pairs: DataFrame, given: DataFrame, uncounted: DataFrame
) -> DataFrame:
    """Counting senders of which no receiver's count tells anything, or, where they share out, not all receivers': stream."""
    told = given.select("stream").distinct()
    reached = pairs.select("stream").distinct()
    not_all = uncounted.where(sf.col("type").isin(*BALANCED_TYPES)).select("stream")
    not_one = uncounted.select("stream").join(told, on="stream", how="left_anti")
    return (
        by_count.join(reached, on="stream", how="left_anti")
        .unionByName(not_all)
        .unionByName(not_one)
        .distinct()
    )


def _as_rows(given: DataFrame) -> DataFrame:
    """Rows of lanes, as receivers of stamps have them. How far the last message was is known where one receiver got it all."""
    return given.select(
        sf.col("receiver").alias("socket"),
        "stream",
        "lane",
        sf.lit("receive").alias("role"),
        sf.lit("final").alias("state"),
        sf.col("moved_at").alias("at"),
        sf.col("given").alias("count"),
        sf.lit(0).cast("long").alias("first"),
        _next().alias("next"),
        sf.lit(True).alias("by_count"),
    )


def _next() -> Column:
    receivers = sf.size(sf.collect_set("receiver").over(Window.partitionBy("stream")))
    shared_out = sf.col("type").isin(*BALANCED_TYPES) & (receivers > 1)
    return sf.when(shared_out, sf.col("sent")).otherwise(sf.col("given"))
