"""What each receiver did not get of what it was owed, as ranges: before its first, between, after its last."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER
from hopwatch_analysis.terms.ranges import length, without


def gap_rows(rows: DataFrame, action: str) -> DataFrame:
    """Rows of one action, the receiving socket as ``receiver``."""
    return rows.where(sf.col("action") == action).withColumnsRenamed({"socket": "receiver"})


def missing(owed: DataFrame, gaps: DataFrame) -> DataFrame:
    """Ranges of numbers owed and not received.

    Columns: stream, receiver, lane, first, last, part ("head", "inner", "tail", "all", or "unsure": not known whether they
    were owed), before, after, before_sent_at, after_sent_at, seen_at, sparse (these numbers stand for others of their gap).
    """
    late, skipped = gap_rows(gaps, "late"), gap_rows(gaps, "skipped")
    not_missing = late.select(*LANE_OF_RECEIVER, "first", "last").unionByName(
        skipped.select(*LANE_OF_RECEIVER, "first", "last")
    )
    numbered = owed.where("not by_count")
    parts = [_head(numbered), _inner(numbered, gaps), _tail(numbered), *_all(numbered), _unsure(numbered)]
    return reduce(DataFrame.unionByName, parts).transform(
        lambda ranges: without(ranges, not_missing, LANE_OF_RECEIVER)
    )


def owed_ranges(owed: DataFrame, gaps: DataFrame) -> DataFrame:
    """The numbers owed, as ranges: stream, receiver, lane, first, last."""
    whole = owed.where("end > 0").select(
        *LANE_OF_RECEIVER, sf.lit(0).cast("long").alias("first"), _number("end - 1", "last")
    )
    skipped = gap_rows(gaps, "skipped").select(*LANE_OF_RECEIVER, "first", "last")
    return without(whole, skipped, LANE_OF_RECEIVER)


def unlocated(owed: DataFrame, missing: DataFrame, owed_ranges: DataFrame) -> DataFrame:
    """Numbers that are neither received nor in a known range (their gap events went, or no number came at all): stream,
    receiver, lane, unlocated, by_count, moved_at.
    """
    known = missing.groupBy(*LANE_OF_RECEIVER).agg(sf.sum(length()).alias("missing"))
    due = owed_ranges.groupBy(*LANE_OF_RECEIVER).agg(sf.sum(length()).alias("due"))
    return (
        owed.join(known, on=list(LANE_OF_RECEIVER), how="left")
        .join(due, on=list(LANE_OF_RECEIVER), how="left")
        .fillna(0, subset=["missing", "due"])
        .withColumn("unlocated", sf.greatest(sf.lit(0), sf.col("due") - sf.col("count") - sf.col("missing")))
        .select(*LANE_OF_RECEIVER, "unlocated", "by_count", "moved_at")
    )


def _head(owed: DataFrame) -> DataFrame:
    return owed.where("count > 0 and first > 0").select(
        *_ends(sf.lit(0), sf.col("first") - 1, "head"), *_around(None, None), sf.lit(False).alias("sparse")
    )


def _tail(owed: DataFrame) -> DataFrame:
    return owed.where("count > 0 and sure_end > next").select(
        *_ends(sf.col("next"), sf.col("sure_end") - 1, "tail"),
        *_around(sf.col("newest_sent_at"), None),
        (sf.col("came") > 0).alias("sparse"),
    )


def _all(owed: DataFrame) -> list[DataFrame]:
    """Nothing arrived: what was sent before the connection came up apart from the rest, where that is known."""
    nothing = owed.where("count = 0 and sure_end > 0").withColumn(
        "cut", sf.least(sf.coalesce("joined_at_number", sf.lit(0)), "sure_end")
    )
    plain = sf.lit(False).alias("sparse")
    return [
        nothing.where("cut > 0").select(
            *_ends(sf.lit(0), sf.col("cut") - 1, "all"), *_around(None, None), plain
        ),
        nothing.where("sure_end > cut").select(
            *_ends(sf.col("cut"), sf.col("sure_end") - 1, "all"), *_around(None, None), plain
        ),
    ]


def _unsure(owed: DataFrame) -> DataFrame:
    return owed.where("end > sure_end").select(
        *_ends(sf.col("sure_end"), sf.col("end") - 1, "unsure"),
        *_around(sf.col("newest_sent_at"), None),
        sf.lit(False).alias("sparse"),
    )


def _inner(owed: DataFrame, gaps: DataFrame) -> DataFrame:
    known = gap_rows(gaps, "gap").join(
        owed.select(*LANE_OF_RECEIVER), on=list(LANE_OF_RECEIVER), how="left_semi"
    )
    return known.select(
        *LANE_OF_RECEIVER,
        "first",
        "last",
        sf.lit("inner").alias("part"),
        "before",
        "after",
        "before_sent_at",
        "after_sent_at",
        sf.col("at").alias("seen_at"),
        "sparse",
    )


def _ends(first: Column, last: Column, part: str) -> list[Column]:
    keys = [sf.col(name) for name in LANE_OF_RECEIVER]
    return [
        *keys,
        first.cast("long").alias("first"),
        last.cast("long").alias("last"),
        sf.lit(part).alias("part"),
    ]


def _around(before_sent_at: Column | None, after_sent_at: Column | None) -> list[Column]:
    def time(value: Column | None, name: str) -> Column:
        return (sf.lit(None) if value is None else value).cast("timestamp").alias(name)

    return [
        sf.lit(None).cast("long").alias("before"),
        sf.lit(None).cast("long").alias("after"),
        time(before_sent_at, "before_sent_at"),
        time(after_sent_at, "after_sent_at"),
        sf.lit(None).cast("timestamp").alias("seen_at"),
    ]


def _number(expression: str, name: str) -> Column:
    return sf.expr(expression).cast("long").alias(name)
