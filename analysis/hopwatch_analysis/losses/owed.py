"""What each receiver is owed of each lane: the numbers that were sent while it was there to be sent them."""

from hopwatch_judge.socket_types import BALANCED_TYPES, FILTERED_TYPES
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.sparse_stamps import with_tails
from hopwatch_analysis.losses.unsubscribed import (
    end_of_unsubscribed,
    sure_end_of_unsubscribed,
    with_count_when_unsubscribed,
)
from hopwatch_analysis.spark.frames import only_of, seconds, settle
from hopwatch_analysis.terms.delays import AT_ONCE, CLOCKS_TOLD_WITHIN, SOON_AFTER
from hopwatch_analysis.terms.numbered_by_then import numbered_by_then

COLUMNS = (
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
    "got_first_at",
    "sent",
    "receiver_left_first",
    "owed_until",
    "subscribed_at",
    "unsubscribed",
    "sure_end",
    "joined_at_number",
    "end",
    "by_count",
)


def owed(
    endings: DataFrame,
    lanes: DataFrame,
    receipts: DataFrame,
    *,
    subscriptions: DataFrame,
    sockets: DataFrame,
    samples: DataFrame,
    located: DataFrame | None = None,
    unchecked: DataFrame | None = None,
) -> DataFrame:
    """The checked lanes of each way, with ``end``, one past the last number owed.

    ``unchecked`` (stream, lane, receiver) are left out. Of a ROUTER's lanes each is its peer's: one that got something of it, or that of
    ``located`` (stream, lane, receiver).

    Columns: stream, receiver, lane, length, count, first, next, came (of those, without a stamp after the last one),
    newest_sent_at, moved_at, got_first_at, sent, receiver_left_first, owed_until (when it left, or unsubscribed), subscribed_at, unsubscribed (before it ended),
    sure_end (from there on it is not known whether it was owed), joined_at_number (the lane's first number that was sent
    after the connection came up, where known), end, by_count (how many came is known, and not which).
    """
    candidates = (
        _candidate_lanes(endings, lanes, receipts, sockets, located)
        .transform(lambda frame: _checked_only(frame, unchecked))
        .transform(lambda frame: _subscribed_only(frame, subscriptions))
    )
    return (
        settle(candidates)
        .transform(lambda frame: _with_count_when_left(frame, samples))
        .transform(lambda frame: with_count_when_unsubscribed(frame, samples))
        .withColumn("unsubscribed", ~sf.col("in_force"))
        .withColumn("owed_until", _owed_until())
        .withColumn(
            "sure_end", sf.when(sf.col("in_force"), _sure_end()).otherwise(sure_end_of_unsubscribed())
        )
        .withColumn("end", sf.when(sf.col("in_force"), _end()).otherwise(end_of_unsubscribed()))
        .withColumn("end", sf.when(sf.col("by_count"), sf.col("sure_end")).otherwise(sf.col("end")))
        .withColumn("joined_at_number", sf.col("sent_when_joined") + sf.col("counted_from"))
        .select(*COLUMNS)
    )


def _candidate_lanes(
    endings: DataFrame,
    lanes: DataFrame,
    receipts: DataFrame,
    sockets: DataFrame,
    located: DataFrame | None,
) -> DataFrame:
    types = sockets.select("socket", "type")
    return (
        endings.join(types.toDF("stream", "stream_type"), on="stream", how="left")
        .join(types.toDF("receiver", "receiver_type"), on="receiver", how="left")
        .where(~sf.coalesce(sf.col("stream_type").isin(*BALANCED_TYPES), sf.lit(False)))
        .join(
            lanes.drop("moved_at", "moved_after", "announced_at"),
            on="stream",
            how="inner",
        )
        .join(receipts, on=["stream", "lane", "receiver"], how="left")
        .transform(lambda frame: _with_located(frame, located))
        .withColumn("has_rows", sf.col("count").isNotNull())
        .fillna(0, subset=["count", "first", "next", "since"])
        .fillna(False, subset=["by_count"])
        .transform(with_tails)
        .where("stream_type is null or stream_type != 'ROUTER' or has_rows or located")
    )


def _with_located(candidates: DataFrame, located: DataFrame | None) -> DataFrame:
    if located is None:
        return candidates.withColumn("located", sf.lit(False))
    marked = sf.broadcast(located.withColumn("located", sf.lit(True)))
    return candidates.join(marked, on=["stream", "lane", "receiver"], how="left").fillna(
        False, subset=["located"]
    )


def _checked_only(candidates: DataFrame, unchecked: DataFrame | None) -> DataFrame:
    if unchecked is None:
        return candidates
    return candidates.join(unchecked, on=["stream", "lane", "receiver"], how="left_anti")


def _subscribed_only(candidates: DataFrame, subscriptions: DataFrame) -> DataFrame:
    """Lanes that a filtering receiver has or had subscribed to, or has messages of."""
    filtered = sf.coalesce(sf.col("receiver_type").isin(*FILTERED_TYPES), sf.lit(False))
    covered = (
        candidates.where(filtered)
        .select("stream", "receiver", "lane", "topic")
        .join(subscriptions, on="receiver", how="inner")
        .where(sf.col("topic").startswith(sf.col("prefix")))
        .groupBy("stream", "receiver", "lane")
        .agg(
            sf.max("standing").alias("covered"),
            sf.min("since").alias("subscribed_at"),
            sf.max(sf.when(~sf.col("standing"), sf.col("until"))).alias("unsubscribed_at"),
        )
    )
    told = subscriptions.select("receiver", sf.lit(True).alias("told")).distinct()
    in_force = (
        ~filtered | sf.coalesce("covered", sf.lit(False)) | sf.col("told").isNull() & sf.col("has_rows")
    )
    return (
        candidates.join(covered, on=["stream", "receiver", "lane"], how="left")
        .join(told, on="receiver", how="left")
        .withColumn("in_force", in_force)
        .where("in_force or has_rows or covered is not null")
    )


def _with_count_when_left(candidates: DataFrame, samples: DataFrame) -> DataFrame:
    leavers = candidates.where("receiver_left_first").select(
        "stream", "receiver", "lane", "left_at", "left_elsewhere", "left_n"
    )
    told = only_of(samples, leavers, "stream")
    moments = leavers.withColumn("long_before", _long_before("left_at"))
    asked = moments.select("stream", "lane", sf.explode(sf.array("left_at", "long_before")).alias("moment"))
    by_then = settle(numbered_by_then(asked, told))
    by_left_at = by_then.withColumnsRenamed({"moment": "left_at", "count": "by_then"})
    by_long_before = by_then.withColumnsRenamed({"moment": "long_before", "count": "long_before_then"})
    reached = sf.greatest("by_then", "written")
    surely = sf.when(~sf.col("left_elsewhere"), reached).otherwise(sf.col("long_before_then"))
    reached_when_left = (
        moments.join(by_left_at, on=["stream", "lane", "left_at"], how="left")
        .join(by_long_before, on=["stream", "lane", "long_before"], how="left")
        .join(_written_when_seen_gone(leavers, told), on=["stream", "receiver", "lane"], how="left")
        .select(
            "stream",
            "receiver",
            "lane",
            reached.alias("count_when_left"),
            surely.alias("count_surely_when_left"),
        )
    )
    return candidates.join(reached_when_left, on=["stream", "receiver", "lane"], how="left")


def _long_before(left_at: str) -> Column:
    """The last moment from which more than what clocks may differ by passed until then."""
    return sf.timestamp_micros(sf.unix_micros(left_at) - int(CLOCKS_TOLD_WITHIN * 1e6) - 1)


def _written_when_seen_gone(leavers: DataFrame, samples: DataFrame) -> DataFrame:
    """How far a lane was numbered when its sender had just seen a receiver go: stream, receiver, lane, written."""
    at_once = seconds(sf.col("at"), sf.col("left_at")) <= AT_ONCE
    return (
        leavers.join(_first_behind(leavers, samples), on=["stream", "receiver"], how="inner")
        .join(samples.withColumnRenamed("n", "behind_n"), on=["stream", "lane", "behind_n"], how="inner")
        .where(at_once)
        .groupBy("stream", "receiver", "lane")
        .agg(sf.max("count").alias("written"))
    )


def _first_behind(leavers: DataFrame, samples: DataFrame) -> DataFrame:
    """The event in which the sender wrote its lanes when it saw a receiver go: stream, receiver, behind_n.

    Only the first one behind the disconnection is of it: the next may be of another disconnection, later.
    """
    soon_after = sf.sequence(sf.col("left_n") + 1, sf.col("left_n") + SOON_AFTER)
    return (
        leavers.where("left_n is not null")
        .select("stream", "receiver", "left_n")
        .distinct()
        .withColumn("n", sf.explode(soon_after))
        .join(samples.select("stream", "n").distinct(), on=["stream", "n"], how="inner")
        .groupBy("stream", "receiver")
        .agg(sf.min("n").alias("behind_n"))
    )


def _owed_until() -> Column:
    left_first = sf.col("receiver_left_first") & ~sf.col("left_unsure") & ~sf.col("located")
    unsubscribed_at = sf.when(~sf.col("in_force"), sf.col("unsubscribed_at"))
    return sf.least(sf.when(left_first, sf.col("left_at")), unsubscribed_at)


def _sure_end() -> Column:
    """Behind what was sent for certain until the receiver left; where two clocks tell, some may have been sent after that."""
    unsure = sf.col("left_unsure") & ~sf.col("located")
    left_elsewhere = sf.col("receiver_left_first") & sf.col("left_elsewhere") & ~sf.col("located")
    surely_sent = sf.least(_end(), sf.greatest("next", "count_surely_when_left"))
    return sf.when(unsure, sf.col("next")).when(left_elsewhere, surely_sent).otherwise(_end())


def _end() -> Column:
    number_when_left = sf.col("left_sent") + sf.col("counted_from")
    sent_when_left = sf.when(
        number_when_left.isNotNull(), sf.least(number_when_left, "sent")
    )  # least() passes nulls over
    until_left = sf.greatest(sf.col("next"), sf.col("count_when_left"), sent_when_left)
    left_first = sf.col("receiver_left_first") & ~sf.col("left_unsure")
    all_sent = sf.greatest("sent", "next")
    return (
        sf.when(sf.col("located"), all_sent)  # a ROUTER swallows what comes after its peer has left
        .when(left_first, sf.coalesce(until_left, sf.lit(0)))
        .otherwise(all_sent)
    )
