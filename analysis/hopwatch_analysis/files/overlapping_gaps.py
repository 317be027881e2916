"""Gaps of one receiver's lane that share numbers: each begins behind the highest number that had come by then, so that no two ever do."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

LANE = ("socket", "stream", "lane")
TOLD = ("at", "first", "last", "lost", "received", "before", "after")
FLAG = "shares_numbers"


def overlapping(gaps: DataFrame) -> DataFrame:
    """The rows of gaps that share numbers with another one, which of them is wrong nobody can tell. The same row twice is one."""
    return _flagged(gaps.where("action = 'gap'")).where(FLAG).drop(FLAG)


def without_overlapping(rows: DataFrame) -> DataFrame:
    """Rows of gaps, skipped and late numbers, but those of gaps that share numbers."""
    gaps = _flagged(rows.where("action = 'gap'")).where(~sf.col(FLAG)).drop(FLAG)
    return rows.where("action != 'gap'").unionByName(gaps)


def _flagged(gaps: DataFrame) -> DataFrame:
    lane = Window.partitionBy(*LANE)
    forwards, backwards = lane.orderBy("first"), lane.orderBy(sf.desc("first"))
    # two frames that both begin at the first row: one that ends at the last row is gone through anew for each row
    others = (Window.unboundedPreceding, -1)
    began_before = sf.max("last").over(forwards.rangeBetween(*others)) >= sf.col("first")
    begins_in_it = sf.min("first").over(backwards.rangeBetween(*others)) <= sf.col("last")
    beside = Window.partitionBy(*LANE, "first")
    told = sf.xxhash64(*TOLD)
    told_otherwise = sf.min(told).over(beside) != sf.max(told).over(beside)
    return gaps.withColumn(FLAG, _holds(began_before) | _holds(begins_in_it) | told_otherwise)


def _holds(condition: Column) -> Column:
    return sf.coalesce(condition, sf.lit(False))
