"""Messages that no number tells the lane of: counts by topic, given to the lanes of the senders that they came from.

A receiver of sparse stamps may have met no stamp of a lane, and one that only counts meets none at all. What it counted of a topic
belongs to the lanes of that topic whose senders reach it: they get it as far as they go, the oldest sender first. How many messages
are missing is exact, for all of them together; which ones they are is not known.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import settle
from hopwatch_analysis.lanes import receipts

COUNTING = ("count", "stamp")


@dataclass(frozen=True)
class Counted:
    """Rows of lanes with what was counted by topic in them, and what nobody counted (stream, lane, receiver)."""

    lanes: DataFrame
    uncounted: DataFrame


def counted(lane_rows: DataFrame, sockets: DataFrame, reach: DataFrame) -> Counted | None:
    """Give counts by topic to lanes; None where there is nothing to give. ``reach``: stream, receiver."""
    types = sockets.select("socket", "sequence", "opened_at")
    senders = types.where("sequence = 'count'").select(sf.col("socket").alias("stream"))
    counts = lane_rows.where("role = 'count'")
    if counts.isEmpty() and senders.isEmpty():
        return None
    by_topic = (
        counts.groupBy("socket", "lane")
        .agg(
            sf.max("topic").alias("topic"),
            sf.max_by("count", sf.struct(sf.col("state") == "final", sf.col("at"))).alias("counted"),
        )
        .select(
            sf.col("socket").alias("receiver"), "topic", sf.coalesce("counted", sf.lit(0)).alias("counted")
        )
    )
    sent = (
        lane_rows.where("role = 'send'")
        .groupBy("stream", "lane")
        .agg(
            sf.max("topic").alias("topic"), sf.max("count").alias("sent"), sf.max("sequence").alias("carries")
        )
        .where("carries is null")
        .join(types.select(sf.col("socket").alias("stream"), "opened_at"), on="stream", how="inner")
    )
    receivers = types.where(sf.col("sequence").isin(*COUNTING)).select(sf.col("socket").alias("receiver"))
    known = receipts(lane_rows).select("stream", "lane", "receiver")
    pairs = (
        sent.join(reach, on="stream", how="inner")
        .join(known, on=["stream", "lane", "receiver"], how="left_anti")
        .join(receivers, on="receiver", how="left_semi")
        .join(by_topic, on=["receiver", "topic"], how="left")
    )
    before = (
        Window.partitionBy("receiver", "topic")
        .orderBy("opened_at", "stream", "lane")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    taken = sf.coalesce(sf.sum("sent").over(before), sf.lit(0))
    given = (
        pairs.withColumn("left", sf.greatest(sf.lit(0), sf.col("counted") - taken))
        .where("left > 0")
        .select(
            sf.col("receiver").alias("socket"),
            "stream",
            "lane",
            sf.lit("receive").alias("role"),
            sf.lit("final").alias("state"),
            sf.least("left", "sent").alias("count"),
            sf.lit(0).cast("long").alias("first"),
            sf.col("sent").alias("next"),
        )
    )
    seen = lane_rows.groupBy("socket").agg(sf.max("at").alias("at"))
    rows = given.join(seen, on="socket", how="left")
    uncounted = (
        sent.join(senders, on="stream", how="left_semi")
        .join(reach, on="stream", how="inner")
        .join(receivers, on="receiver", how="left_anti")
        .select("stream", "lane", "receiver")
    )
    return Counted(
        settle(lane_rows.where("role != 'count'").unionByName(rows, allowMissingColumns=True)),
        settle(uncounted),
    )
