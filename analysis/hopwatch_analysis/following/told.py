"""What is new since the last turn: runs that no incident has told of, and corrections of what was told.

Told of is, for each stream, hop, cause and certainty (the key), every run that ended by a time, which only moves on. So
what has landed always adds up to the messages of those runs as they were last seen: if late files change one of them, the
difference is a correction. A run has the certainty of its incident, which is what lands: one that is inferred makes all so.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from hopwatch_analysis.incidents.incidents import SESSION
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.keys import HOP

KEY = ("stream", "from_socket", "to_socket", "cause", "certainty")
TOLD = StructType(
    [StructField(name, StringType()) for name in (*KEY, *HOP)]
    + [StructField("messages", LongType()), StructField("until", TimestampType())]
)
RUN = ("stream", "from_socket", "to_socket", "lane", "mark")
"""What a run is known by, whatever cause it is told to have."""
RUNS = StructType([StructField(name, LongType() if name == "lane" else StringType()) for name in RUN])
NEVER = datetime.fromtimestamp(0, timezone.utc)


@dataclass(frozen=True)
class Closing:
    """What ended by ``horizon`` is closed; of what goes on for longer than ``longest`` seconds, the closed part is told.

    ``told_through``: what ended by then is told; ``tells_through``: the same once this turn is done.
    """

    horizon: datetime
    longest: float
    told_through: datetime
    tells_through: datetime


@dataclass(frozen=True)
class News:
    """``fresh``: runs to tell of; ``corrections``: hop, cause, certainty, streams, messages (may be negative), until; ``told``:
    rows of TOLD after this turn; ``early``: rows of RUNS, those of them that ended after the time by which all is told.
    """

    fresh: DataFrame
    corrections: DataFrame
    told: DataFrame
    early: DataFrame


def news(lost_runs: DataFrame, told: DataFrame, closing: Closing) -> News:
    """What is to be told now. ``told`` are rows of TOLD."""
    runs = settle(
        _with_until(lost_runs, told, closing.told_through).transform(lambda rows: _with_fresh(rows, closing))
    )
    told_by_now = runs.where("fresh or ends <= until")
    now = told_by_now.groupBy(*KEY, *HOP).agg(
        sf.sum("messages").alias("messages"),
        sf.sum(sf.when(sf.col("fresh"), sf.col("messages")).otherwise(0)).alias("fresh"),
        sf.max("ends").alias("until"),
    )
    before = told.select(*KEY, *HOP, (-sf.col("messages")).alias("before"), "until")
    balance = settle(
        now.unionByName(before, allowMissingColumns=True)
        .groupBy(*KEY)
        .agg(
            *[sf.max(name).alias(name) for name in HOP],
            *[sf.coalesce(sf.sum(name), sf.lit(0)).alias(name) for name in ("messages", "fresh", "before")],
            sf.max("until").alias("until"),
        )
    )
    corrections = (
        balance.withColumn("difference", sf.expr("messages + before - fresh"))
        .where("difference != 0")
        .groupBy(*HOP, "cause", "certainty")
        .agg(
            sf.sum("difference").alias("messages"),
            sf.max("until").alias("until"),
            sf.sort_array(sf.collect_set("stream")).alias("streams"),
        )
        .where("messages != 0")
    )
    worth_keeping = (sf.col("messages") != 0) | (sf.col("until") > sf.lit(closing.tells_through))
    return News(
        runs.where("fresh").drop("ends", "until", "fresh"),
        corrections,
        balance.where(worth_keeping).select(*[sf.col(field.name) for field in TOLD]),
        told_by_now.where(sf.col("ends") > sf.lit(closing.tells_through)).select(*RUN),
    )


def sums(lost_runs: DataFrame, told: DataFrame, early: DataFrame, told_through: datetime) -> DataFrame:
    """Rows of TOLD with the messages of runs as they are seen now: from another cut, that is another sum.

    From there a run may have another cause than it was told with: ``early`` ones are told all the same.
    """
    was_told = early.distinct().withColumn("was_told", sf.lit(True))
    seen = (
        _with_until(lost_runs, told, told_through)
        .join(was_told, on=list(RUN), how="left")
        .where("ends <= until or was_told")
    )
    counted = seen.groupBy(*KEY, *HOP).agg(
        sf.sum("messages").alias("messages"), sf.max("ends").alias("until")
    )
    kept = told.withColumn("messages", sf.lit(0).cast("long"))
    return (
        counted.unionByName(kept.select(*counted.columns))
        .groupBy(*KEY)
        .agg(
            *[sf.max(name).alias(name) for name in HOP],
            sf.sum("messages").alias("messages"),
            sf.max("until").alias("until"),
        )
        .select(*[sf.col(field.name) for field in TOLD])
    )


def _with_until(lost_runs: DataFrame, told: DataFrame, told_through: datetime) -> DataFrame:
    """Adds ``ends``, and ``until``: runs of this key that ended by then are told."""
    until = told.select(
        *[sf.col(name).alias(f"told_{name}") for name in KEY], sf.col("until").alias("key_until")
    )
    same = [sf.col(name).eqNullSafe(sf.col(f"told_{name}")) for name in KEY]
    ends = sf.coalesce("ended_at", "started_at", sf.lit(NEVER))
    return (
        lost_runs.withColumn("certainty", _certainty_of_incident())
        .join(until, same, how="left")
        .withColumn("ends", ends)
        .withColumn("until", sf.greatest("key_until", sf.lit(told_through)))
        .drop("key_until", *[f"told_{name}" for name in KEY])
    )


def _certainty_of_incident() -> Column:
    all_exact = sf.min(sf.col("certainty") == "exact").over(Window.partitionBy(*SESSION))
    return sf.when(all_exact, "exact").otherwise("inferred")


def _with_fresh(runs: DataFrame, closing: Closing) -> DataFrame:
    """Adds ``fresh``: closed, untold, and of an incident that is closed too, or has been going on for long."""
    incident = Window.partitionBy(*SESSION)
    closed = sf.col("ends") <= sf.lit(closing.horizon)
    untold = closed & (sf.col("ends") > sf.col("until"))
    begun = sf.min(sf.when(untold, _begins())).over(incident)
    long_ago = closing.horizon - timedelta(seconds=closing.longest)
    whole = sf.max("ends").over(incident) <= sf.lit(closing.horizon)
    return runs.withColumn("fresh", untold & (whole | (begun <= sf.lit(long_ago))))


def _begins() -> Column:
    return sf.least(sf.coalesce("started_at", "ends"), sf.col("ends"))
