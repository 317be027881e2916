"""Lanes: how far each sender numbered them, and how much of them each receiver got."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

WHOLE_STREAM_LANE = 4294967295


def receipts(lane_rows: DataFrame) -> DataFrame:
    """The last word of each receiver on each lane: stream, lane, receiver, count, first, next, since, newest_sent_at, moved_at,
    got_first_at, by_count, final.

    ``since`` is what came after the last stamp of a lane whose stamps are sparse. ``by_count``: no number is known to have come. ``moved_at`` is when the lane was first seen
    with its last count.
    """
    came = sf.col("count") + sf.coalesce("since", sf.lit(0))
    most_first = sf.when(came.isNotNull(), sf.struct(came.alias("came"), _sooner()))
    last = sf.struct("count", "first", "next", "since", "newest_sent_at", "by_count")
    return (
        lane_rows.where("role = 'receive'")
        .groupBy("stream", "lane", sf.col("socket").alias("receiver"))
        .agg(
            sf.max_by(last, _latest()).alias("last"),
            sf.max(most_first)["sooner"].alias("moved"),
            sf.min("at").alias("got_first_at"),
            sf.coalesce(sf.max(sf.col("state") == "final"), sf.lit(False)).alias("final"),
        )
        .select(
            "stream",
            "lane",
            "receiver",
            sf.coalesce("last.count", sf.lit(0)).alias("count"),
            sf.coalesce("last.first", sf.lit(0)).alias("first"),
            sf.when(sf.coalesce("last.count", sf.lit(0)) > 0, sf.col("last.next")).otherwise(0).alias("next"),
            sf.coalesce("last.since", sf.lit(0)).alias("since"),
            "last.newest_sent_at",
            sf.timestamp_micros(-sf.col("moved")).alias("moved_at"),
            "got_first_at",
            "last.by_count",
            "final",
        )
    )


def lanes(lane_rows: DataFrame, receipts: DataFrame) -> DataFrame:
    """One row a lane: stream, lane, topic (hex), sent (one past its last number), begins (its first number), unused (how many numbers below ``sent`` no
    message has), carried (the numbers are the messages' own), sent_at_last (by its sender's last word), frames_each, moved_at, moved_after, announced_at.

    It began when its sender ``announced`` it. The last number was sent between ``moved_after`` and ``moved_at``: then it was still missing, and then seen.
    The sender's count is bumped after its send returned: a receiver may know of one message more.
    """
    final = sf.coalesce(sf.col("state") == "final", sf.lit(False))
    last = sf.struct(
        _numbered().alias("numbered"),
        sf.col("count").alias("messages"),
        sf.col("first").alias("begins"),
        "frames",
        final.alias("final"),
    )
    most_first = sf.when(sf.col("count").isNotNull(), sf.struct("count", _sooner()))
    sent = (
        lane_rows.where("role = 'send'")
        .groupBy("stream", "lane")
        .agg(
            sf.max_by(last, _latest()).alias("last"),
            sf.max(most_first)["sooner"].alias("moved"),
            sf.max(sf.col("sequence").isNotNull()).alias("carried"),
        )
        .select(
            "stream", "lane", "last.*", sf.timestamp_micros(-sf.col("moved")).alias("moved_at"), "carried"
        )
    )
    seen = receipts.groupBy("stream", "lane").agg(
        sf.max("next").alias("seen"), sf.max(sf.col("next") + sf.col("since")).alias("seen_alone")
    )
    progress = lane_rows.where("role = 'send'").select("stream", "lane", "count", "at")
    short = progress.join(sent.select("stream", "lane", "messages"), on=["stream", "lane"], how="inner")
    moved_after = (
        short.where("coalesce(count, 0) < messages")
        .groupBy("stream", "lane")
        .agg(sf.max("at").alias("moved_after"))
    )
    topics = (
        lane_rows.where("topic is not null").groupBy("stream", "lane").agg(sf.max("topic").alias("topic"))
    )
    announced = (
        lane_rows.where("role = 'send' and state = 'announced'")
        .groupBy("stream", "lane")
        .agg(sf.min("at").alias("announced_at"))
    )
    whole = sf.col("lane") == WHOLE_STREAM_LANE
    return (
        seen.join(sent, on=["stream", "lane"], how="full")
        .join(topics, on=["stream", "lane"], how="left")
        .join(moved_after, on=["stream", "lane"], how="left")
        .join(announced, on=["stream", "lane"], how="left")
        .select(
            "stream",
            "lane",
            sf.when(whole, "").otherwise(sf.coalesce("topic", sf.lit(""))).alias("topic"),
            sf.when(sf.col("numbered").isNull(), sf.coalesce("seen_alone", sf.lit(0)))
            .otherwise(sf.greatest("numbered", "seen"))
            .alias("sent"),
            *_of_carried_numbers(),
            sf.when(sf.col("final"), sf.col("numbered")).alias("sent_at_last"),
            sf.try_divide("frames", "messages").alias("frames_each"),
            "moved_at",
            "moved_after",
            "announced_at",
        )
    )


def _of_carried_numbers() -> list[Column]:
    carried = sf.coalesce("carried", sf.lit(False))
    unused = sf.when(carried, sf.col("numbered") - sf.col("messages"))
    return [
        sf.coalesce(sf.when(carried, sf.col("begins")), sf.lit(0)).alias("begins"),
        sf.coalesce(unused, sf.lit(0)).alias("unused"),
        carried.alias("carried"),
    ]


def messages_sent() -> Column:
    """How many messages a lane had: without the numbers before its first one, and those that its application left out."""
    return sf.col("sent") - sf.col("unused")


def send_samples(lane_rows: DataFrame) -> DataFrame:
    """How far each lane was numbered at which time, its last word left out: stream, lane, at, n, count."""
    return _numbered_by(lane_rows.where("role = 'send' and state = 'sample'"))


def sent_by(lane_rows: DataFrame) -> DataFrame:
    """How far each lane was numbered at which time, also by its last word, and by what receivers had got: stream, lane, at, n, count."""
    own = _numbered_by(lane_rows.where("role = 'send' and state in ('sample', 'final')"))
    got = lane_rows.where("role = 'receive' and newest_sent_at is not null").select(
        "stream",
        "lane",
        sf.col("newest_sent_at").alias("at"),
        sf.lit(None).cast("long").alias("n"),
        sf.col("next").alias("count"),
    )
    return own.unionByName(got)


def _numbered_by(rows: DataFrame) -> DataFrame:
    return rows.select("stream", "lane", "at", "n", _numbered().alias("count"))


def _numbered() -> Column:
    """One past the last number of a sender's lane: stamps begin at 0, numbers that messages carry anywhere."""
    return sf.greatest("count", "next")


def _sooner() -> Column:
    return (-sf.unix_micros("at")).alias("sooner")


def latest() -> list[Column]:
    """The order in which the last word on a lane comes first."""
    final = (sf.col("state") == "final").desc_nulls_last()
    return [final, sf.col("count").desc_nulls_last(), sf.col("at").desc()]


def _latest() -> Column:
    """What is greatest for the last word on a lane: sorted as by ``latest``, without moving all rows to be ranked."""
    return sf.struct(sf.col("state") == "final", "count", "at")
