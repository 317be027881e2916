"""Lanes whose stamps are sparse: how many messages are missing is known exactly, which of them is not.

Numbers stand for them from here on, as many as are missing: of a gap those from the sender's first onset in it on (else the first
ones), of a lane's tail the last ones. So every sum over ranges is exact, while what rests on the place of a number in
its gap is inferred at best.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

LANE = ("socket", "stream", "lane")


def narrowed(gaps: DataFrame, onsets: DataFrame) -> DataFrame:
    """Gap rows with ``sparse``: gaps with more numbers than are lost cut down to so many, and "late" rows in them taken in."""
    whole = sf.col("last") - sf.col("first") + 1
    is_sparse = (sf.col("action") == "gap") & (sf.coalesce("lost", whole) < whole)
    marked = gaps.withColumn("sparse", is_sparse)
    sparse = marked.where("sparse")
    if sparse.isEmpty():
        return marked
    late = marked.where("action = 'late'")
    inside = (
        late.select(*LANE, sf.col("first").alias("number"))
        .join(
            sparse.select(*LANE, sf.col("first").alias("gap_first"), sf.col("last").alias("gap_last")),
            on=list(LANE),
            how="inner",
        )
        .where("number between gap_first and gap_last")
    )
    came = inside.groupBy(*LANE, sf.col("gap_first").alias("first")).agg(sf.count("*").alias("came_late"))
    began = (
        onsets.select(sf.col("socket").alias("stream"), "lane", "lane_number")
        .join(
            sparse.select(*LANE, "first", (sf.col("last") - sf.col("lost") + 1).alias("latest")),
            on=["stream", "lane"],
            how="inner",
        )
        .where("lane_number between first and latest")
        .groupBy(*LANE, "first")
        .agg(sf.min("lane_number").alias("onset"))
    )
    start = sf.coalesce("onset", "first")
    cut = (
        sparse.join(came, on=[*LANE, "first"], how="left")
        .join(began, on=[*LANE, "first"], how="left")
        .withColumn("lost", sf.col("lost") - sf.coalesce("came_late", sf.lit(0)))
        .where("lost > 0")
        .withColumn("begins", start)
        .withColumns({"first": sf.col("begins"), "last": sf.col("begins") + sf.col("lost") - 1})
        .select(*marked.columns)
    )
    taken_in = inside.select(
        *LANE, sf.col("number").alias("first"), sf.lit("late").alias("action")
    ).distinct()
    others = marked.where("not sparse").join(taken_in, on=[*LANE, "first", "action"], how="left_anti")
    return others.select(*marked.columns).unionByName(cut)


def with_tails(lanes: DataFrame) -> DataFrame:
    """Takes what came after a lane's last stamp (``since``) for the numbers next to it: adds to ``count`` and ``next``."""
    came = sf.least(sf.col("since"), sf.greatest(sf.lit(0), sf.col("sent") - sf.col("next")))
    return lanes.withColumn("came", came).withColumns(
        {"count": sf.col("count") + sf.col("came"), "next": sf.col("next") + sf.col("came")}
    )
