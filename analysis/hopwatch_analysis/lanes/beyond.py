"""Receivers that have messages of a lane which its sender, by its own last word, never sent, or that have and lack more than it sent."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.contradictions import BEYOND_SENT
from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER
from hopwatch_analysis.terms.ranges import length

BEHIND = 1
"""A sender's count is bumped after its send returned: one that was killed may have sent one message more."""


def beyond_sent(lanes: DataFrame, receipts: DataFrame, missing: DataFrame) -> DataFrame:
    """One row, or none: rule, rows (a lane of a receiver each), example. ``missing``: ranges of numbers that receivers lack."""
    got = receipts.where("not by_count").select(*LANE_OF_RECEIVER, "count", "next")
    lacking = missing.groupBy(*LANE_OF_RECEIVER).agg(sf.sum(length()).alias("lacking"))
    in_all = sf.col("count") + sf.coalesce("lacking", sf.lit(0))
    found = (
        lanes.where("sent_at_last is not null")
        .select("stream", "lane", "sent_at_last")
        .join(got, on=["stream", "lane"], how="inner")
        .join(lacking, on=list(LANE_OF_RECEIVER), how="left")
        .where(sf.greatest("next", in_all) > sf.col("sent_at_last") + BEHIND)
    )
    example = sf.to_json(sf.struct("stream", "lane", "receiver", "sent_at_last", "count", "lacking", "next"))
    return (
        found.agg(sf.count("*").alias("rows"), sf.min(example).alias("example"))
        .where("rows > 0")
        .select(sf.lit(BEYOND_SENT).alias("rule"), "rows", "example")
    )
