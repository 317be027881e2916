"""How far a lane was numbered at a moment, of a stream that may have as many samples as all its receivers together, and as many who ask.

Seconds are looked through, and samples within the moment's own second alone: who asks is never held against all samples.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

LANE = ("stream", "lane")
MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class _Side:
    """Which samples tell: those on this side of the moment in its own second, and all of the seconds ``beyond`` it."""

    within: str
    beyond: tuple[int, int]
    best: Callable[[str], Column]
    best_of_two: Callable[[str, str], Column]


_UNTIL = _Side("at <= moment", (Window.unboundedPreceding, -1), sf.max, sf.greatest)
_BEHIND = _Side("at > moment", (1, Window.unboundedFollowing), sf.min, sf.least)


def numbered_by_then(moments: DataFrame, samples: DataFrame) -> DataFrame:
    """``moments`` (stream, lane, moment) with ``count``: the most that samples (stream, lane, at, count) say until then, that moment included.

    Null where no sample is so old. One row for each moment that is not null, however often it is asked for.
    """
    return _numbered(moments, samples, _UNTIL)


def numbered_behind(moments: DataFrame, samples: DataFrame) -> DataFrame:
    """``moments`` with ``count``: the least that samples say later than that. Null where no sample is so new."""
    return _numbered(moments, samples, _BEHIND)


def _numbered(moments: DataFrame, samples: DataFrame, side: _Side) -> DataFrame:
    asked = (
        moments.where("moment is not null")
        .select(*LANE, "moment")
        .distinct()
        .withColumn("second", _second("moment"))
    )
    told = samples.select(*LANE, "at", "count").withColumn("second", _second("at"))
    own_second = (
        asked.join(told, on=[*LANE, "second"], how="inner")
        .where(side.within)
        .groupBy(*LANE, "moment")
        .agg(side.best("count").alias("within"))
    )
    return (
        asked.join(_of_seconds_beyond(asked, told, side), on=[*LANE, "second"], how="left")
        .join(own_second, on=[*LANE, "moment"], how="left")
        .select(*LANE, "moment", side.best_of_two("beyond", "within").alias("count"))
    )


def _of_seconds_beyond(asked: DataFrame, told: DataFrame, side: _Side) -> DataFrame:
    """What was said in all seconds beyond each that is asked for: stream, lane, second, beyond."""
    others = Window.partitionBy(*LANE).orderBy("second").rangeBetween(*side.beyond)
    by_second = told.groupBy(*LANE, "second").agg(side.best("count").alias("count"))
    wanted = asked.select(*LANE, "second").distinct().withColumn("wanted", sf.lit(True))
    return (
        by_second.unionByName(wanted, allowMissingColumns=True)
        .withColumn("beyond", side.best("count").over(others))
        .where("wanted")
        .select(*LANE, "second", "beyond")
    )


def _second(time: str) -> Column:
    return sf.floor(sf.unix_micros(sf.col(time)) / MICROSECONDS)
