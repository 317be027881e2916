"""Tables without the samples from before a moment: of those, what they came to is carried over.

Events (sockets, connections, subscriptions, gaps, onsets, ...) are read from the start: what a proxy counted, for one, is
held against all that was ever lost before it. Samples are the bulk, and an endless stream has no end of them.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.landed import Landed
from hopwatch_analysis.files.places import to_read
from hopwatch_analysis.files.reading import Tables, load
from hopwatch_analysis.files.schemas import schema_of
from hopwatch_analysis.lanes.lanes import latest

SAMPLES = ("lane", "counters", "tcp", "usage", "memory")
CARRIED = ("lane", "counters")
LANE = ("socket", "stream", "lane", "role", "counted_topic")


def tables_from(
    spark: SparkSession, landed: Landed, cut: datetime | None, carried: Mapping[str, Path] | None
) -> tuple[Landed, Tables]:
    """One frame a kind; of samples the rows since ``cut`` and what is carried over. What was landed, with the rows that were left out."""
    if cut is None:
        return load(spark, landed)
    needed = [
        file for file in landed.files if file.kind not in SAMPLES or file.latest is None or file.latest >= cut
    ]
    read, loaded = load(spark, replace(landed, files=tuple(needed)))
    tables = dict(loaded)
    for kind in SAMPLES:
        tables[kind] = tables[kind].where(sf.col("at") >= sf.lit(cut))
    for kind, folder in (carried or {}).items():
        before = spark.read.schema(schema_of(kind)).parquet(to_read(str(folder.resolve())))
        tables[kind] = tables[kind].unionByName(before)
    return replace(landed, set_aside=read.set_aside), tables


def carried_in(folder: Path | None) -> dict[str, Path]:
    """The folder of each kind that is carried over."""
    return {kind: folder / kind for kind in CARRIED} if folder else {}


def carried_over(tables: Tables, cut: datetime) -> dict[str, DataFrame]:
    """The few samples from before ``cut`` that all others from then can be forgotten for, by kind.

    Of a lane the first word, the first and the last with its highest count, the last before that, and one with its topic;
    of a socket's counters the first and the last.
    """
    before = {kind: tables[kind].where(sf.col("at") < sf.lit(cut)) for kind in CARRIED}
    final = sf.col("final").desc_nulls_last()
    lanes = before["lane"].withColumn("counted_topic", sf.when(sf.col("role") == "count", sf.col("topic")))
    return {
        "lane": _chosen(lanes, LANE, _lane_orders()).drop("counted_topic"),
        "counters": _chosen(
            before["counters"], ("socket",), {"first": [sf.col("at")], "last": [final, sf.col("at").desc()]}
        ),
    }


def _lane_orders() -> dict[str, list[Column]]:
    count = sf.col("count")
    came = sf.coalesce(count, sf.lit(0)) + sf.coalesce("since", sf.lit(0))
    highest = sf.max(came).over(Window.partitionBy(*LANE))
    return {
        "first": [sf.col("at")],
        "last": latest(),
        "moved": [(came == highest).desc(), sf.col("at")],
        "before": [(came < highest).desc(), sf.col("at").desc()],
        "topic": [sf.col("topic").isNotNull().desc(), sf.col("at")],
    }


def _chosen(rows: DataFrame, keys: tuple[str, ...], orders: Mapping[str, list[Column]]) -> DataFrame:
    """The rows that come first in any of the orders."""
    ranked = rows.withColumns({f"place_{name}": sf.lit(0) for name in orders})
    for name, order in orders.items():
        place = sf.row_number().over(Window.partitionBy(*keys).orderBy(*order))
        ranked = ranked.withColumn(f"place_{name}", place)
    first = sf.least(*[sf.col(f"place_{name}") for name in orders])
    return ranked.where(first == 1).drop(*[f"place_{name}" for name in orders])
