"""What receivers had got when they noticed a gap: they tell that at once, and how far their lanes have come from time to time only.

So of lanes that go on, the last gap may tell of more than the last sample does, which would count what lies between them as not received yet.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

PAIR = ("stream", "lane", "receiver")


def with_gaps(receipts: DataFrame, gaps: DataFrame) -> DataFrame:
    """Receipts, as far as gap rows (not narrowed) tell that their lanes had come, where that is further than their samples do: the last word on
    a lane that ended is final.
    """
    further = sf.col("told.received") > sf.col("count") + sf.col("since")
    newer = further & ~sf.col("final") & ~sf.coalesce("by_count", sf.lit(False))
    replaced = {
        "first": sf.when(sf.col("count") > 0, sf.col("first")).otherwise(sf.col("began")),
        "next": sf.col("told.next"),
        "count": sf.col("told.received"),
        "since": sf.lit(0).cast("long"),
        "newest_sent_at": sf.coalesce("told.sent_at", "newest_sent_at"),
        "moved_at": sf.col("told.at"),
        "by_count": sf.lit(False),
    }
    return (
        receipts.join(_told(gaps), on=list(PAIR), how="left")
        .withColumns({name: _where(newer, told, name) for name, told in replaced.items()})
        .drop("told", "began", "final")
    )


def _where(newer: Column, told: Column, name: str) -> Column:
    return sf.when(newer, told).otherwise(sf.col(name))


def _told(gaps: DataFrame) -> DataFrame:
    """Of each lane of a receiver: PAIR, told (received, next, sent_at, at: by its last gap), began (its first number, by its first gap)."""
    behind = sf.col("last") + 1
    last = sf.struct("received", (behind + 1).alias("next"), sf.col("after_sent_at").alias("sent_at"), "at")
    began = behind - (sf.col("received") - 1) - sf.coalesce("lost", behind - sf.col("first"))
    return (
        gaps.where("action = 'gap' and received > 0")
        .groupBy("stream", "lane", sf.col("socket").alias("receiver"))
        .agg(
            sf.max_by(last, "received").alias("told"),
            sf.greatest(sf.min_by(began, "received"), sf.lit(0)).alias("began"),
        )
    )
