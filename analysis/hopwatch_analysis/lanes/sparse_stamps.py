"""Lanes whose stamps are sparse: how many messages are missing is known exactly, which of them is not.

Numbers stand for them from here on, as many as are missing: those from the sender's first onset on of a gap (else the first
ones), and of a lane's tail (else the last ones). So every sum over ranges is exact, while what rests on the place of a number in
its gap is inferred at best.
"""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER
from hopwatch_analysis.terms.ranges import holding

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
    numbers = late.select(*LANE, sf.col("first").alias("number"))
    inside = holding(sparse.select(*LANE, "first", "last"), numbers, LANE, "number")
    came = inside.groupBy(*LANE, "first").agg(sf.count("*").alias("came_late"))
    met = onsets.select(sf.col("socket").alias("stream"), "lane", "lane_number")
    may_begin = sparse.select(*LANE, "first", (sf.col("last") - sf.col("lost") + 1).alias("last"))
    began = (
        holding(may_begin, met, ("stream", "lane"), "lane_number")
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


@dataclass(frozen=True)
class Tails:
    """What is owed (see ``losses.owed``), with tails that begin at the onset at which they were met; ``came_behind`` are the numbers that came last of all
    instead, as "late" gap rows.
    """

    owed: DataFrame
    came_behind: DataFrame


def tails_at_onsets(owed: DataFrame, onsets: DataFrame) -> Tails:
    """Of a tail that the sender's onset is shown to have begun among messages that came without a stamp, those from there on are missing: not those behind
    as many as came, of which some came when the pipe had room again.
    """
    without_stamps = owed.where("came > 0 and count > 0 and sure_end > next and not by_count")
    among = without_stamps.select(
        *LANE_OF_RECEIVER,
        "next",
        "sure_end",
        sf.expr("next - came").alias("first"),
        sf.expr("next - 1").alias("last"),
    )
    onset_numbers = onsets.select("stream", "lane", "lane_number")
    met = (
        holding(among, onset_numbers, ("stream", "lane"), "lane_number")
        .groupBy(*LANE_OF_RECEIVER, "next", "sure_end")
        .agg(sf.min("lane_number").alias("onset"))
    )
    came_behind = met.select(
        sf.col("receiver").alias("socket"),
        "stream",
        "lane",
        sf.lit("late").alias("action"),
        (sf.col("sure_end") - (sf.col("next") - sf.col("onset"))).alias("first"),
        (sf.col("sure_end") - 1).alias("last"),
    )
    begins = met.select(*LANE_OF_RECEIVER, "onset")
    moved = owed.join(begins, on=list(LANE_OF_RECEIVER), how="left").withColumn(
        "next", sf.coalesce("onset", "next")
    )
    return Tails(moved.select(*owed.columns), came_behind)


def with_tails(lanes: DataFrame) -> DataFrame:
    """Takes what came after a lane's last stamp (``since``) for the numbers next to it: adds to ``count`` and ``next``."""
    came = sf.least(sf.col("since"), sf.greatest(sf.lit(0), sf.col("sent") - sf.col("next")))
    return lanes.withColumn("came", came).withColumns(
        {"count": sf.col("count") + sf.col("came"), "next": sf.col("next") + sf.col("came")}
    )
