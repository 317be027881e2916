"""Receivers that have messages of a lane which its sender, by its own last word, never sent."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.contradictions import BEYOND_SENT

BEHIND = 1
"""A sender's count is bumped after its send returned: one that was killed may have sent one message more."""


def beyond_sent(lanes: DataFrame, receipts: DataFrame) -> DataFrame:
    """One row, or none: rule, rows (a lane of a receiver each), example."""
    got = receipts.where("not by_count").select("stream", "lane", "receiver", "next")
    found = (
        lanes.where("sent_at_last is not null")
        .select("stream", "lane", "sent_at_last")
        .join(got, on=["stream", "lane"], how="inner")
        .where(sf.col("next") > sf.col("sent_at_last") + BEHIND)
    )
    example = sf.to_json(sf.struct("stream", "lane", "receiver", "sent_at_last", "next"))
    return (
        found.agg(sf.count("*").alias("rows"), sf.min(example).alias("example"))
        .where("rows > 0")
        .select(sf.lit(BEYOND_SENT).alias("rule"), "rows", "example")
    )
