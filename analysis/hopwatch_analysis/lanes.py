"""Lanes: how far each sender numbered them, and how much of them each receiver got."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import best

WHOLE_STREAM_LANE = 4294967295


def receipts(lane_rows: DataFrame) -> DataFrame:
    """The last word of each receiver on each lane: stream, lane, receiver, count, first, next, since, newest_sent_at, moved_at,
    got_first_at, by_count.

    ``since`` is what came after the last stamp of a lane whose stamps are sparse. ``by_count``: no number is known to have come. ``moved_at`` is when the lane was first seen
    with its last count.
    """
    by_lane = Window.partitionBy("stream", "lane", "socket")
    came = sf.col("count") + sf.coalesce("since", sf.lit(0))
    rows = lane_rows.where("role = 'receive'").withColumn("most", sf.max(came).over(by_lane))
    moved = sf.min(sf.when(came == sf.col("most"), sf.col("at"))).over(by_lane)
    seen = rows.withColumns({"moved_at": moved, "got_first_at": sf.min("at").over(by_lane)})
    return best(seen, ["stream", "lane", "socket"], latest()).select(
        "stream",
        "lane",
        sf.col("socket").alias("receiver"),
        sf.coalesce("count", sf.lit(0)).alias("count"),
        sf.coalesce("first", sf.lit(0)).alias("first"),
        sf.when(sf.coalesce("count", sf.lit(0)) > 0, sf.col("next")).otherwise(0).alias("next"),
        sf.coalesce("since", sf.lit(0)).alias("since"),
        "newest_sent_at",
        "moved_at",
        "got_first_at",
        "by_count",
    )


def lanes(lane_rows: DataFrame, receipts: DataFrame) -> DataFrame:
    """One row a lane: stream, lane, topic (hex), sent, frames_each, moved_at, moved_after.

    The last number was sent between ``moved_after`` and ``moved_at``: then it was still missing, and then seen.
    The sender's count is bumped after its send returned: a receiver may know of one message more.
    """
    sent = best(lane_rows.where("role = 'send'"), ["stream", "lane"], latest()).select(
        "stream", "lane", _numbered().alias("numbered"), sf.col("count").alias("messages"), "frames"
    )
    moved = best(
        lane_rows.where("role = 'send' and count is not null"),
        ["stream", "lane"],
        [sf.col("count").desc(), sf.col("at")],
    ).select("stream", "lane", sf.col("at").alias("moved_at"))
    seen = receipts.groupBy("stream", "lane").agg(
        sf.max("next").alias("seen"), sf.max(sf.col("next") + sf.col("since")).alias("seen_alone")
    )
    progress = lane_rows.where("role = 'send'").select("stream", "lane", "count", "at")
    short = progress.join(sent, on=["stream", "lane"], how="inner")
    moved_after = (
        short.where("coalesce(count, 0) < messages")
        .groupBy("stream", "lane")
        .agg(sf.max("at").alias("moved_after"))
    )
    topics = (
        lane_rows.where("topic is not null").groupBy("stream", "lane").agg(sf.max("topic").alias("topic"))
    )
    whole = sf.col("lane") == WHOLE_STREAM_LANE
    return (
        seen.join(sent, on=["stream", "lane"], how="full")
        .join(topics, on=["stream", "lane"], how="left")
        .join(moved, on=["stream", "lane"], how="left")
        .join(moved_after, on=["stream", "lane"], how="left")
        .select(
            "stream",
            "lane",
            sf.when(whole, "").otherwise(sf.coalesce("topic", sf.lit(""))).alias("topic"),
            sf.when(sf.col("numbered").isNull(), sf.coalesce("seen_alone", sf.lit(0)))
            .otherwise(sf.greatest("numbered", "seen"))
            .alias("sent"),
            sf.try_divide("frames", "messages").alias("frames_each"),
            "moved_at",
            "moved_after",
        )
    )


def send_samples(lane_rows: DataFrame) -> DataFrame:
    """How far each lane was numbered at which time, its last word left out: stream, lane, at, n, count."""
    rows = lane_rows.where("role = 'send' and state = 'sample'")
    return rows.select("stream", "lane", "at", "n", _numbered().alias("count"))


def _numbered() -> Column:
    """One past the last number of a sender's lane: stamps begin at 0, numbers that messages carry anywhere."""
    return sf.greatest("count", "next")


def latest() -> list[Column]:
    """The order in which the last word on a lane comes first."""
    final = (sf.col("state") == "final").desc_nulls_last()
    return [final, sf.col("count").desc_nulls_last(), sf.col("at").desc()]
