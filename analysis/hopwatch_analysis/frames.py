"""Small things that several steps do to frames."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf


def settle(frame: DataFrame) -> DataFrame:
    """Compute a frame now, so that the steps built on it neither repeat it nor drag its plan along."""
    return frame.localCheckpoint(eager=True)


def best(frame: DataFrame, keys: Sequence[str], order: Sequence[Column]) -> DataFrame:
    """The first row of each key in the given order."""
    ranked = Window.partitionBy(*keys).orderBy(*order)
    return frame.withColumn("rank", sf.row_number().over(ranked)).where("rank = 1").drop("rank")


def prefixed(frame: DataFrame, prefix: str, key: str, key_as: str) -> DataFrame:
    """All columns under ``prefix_``, and the key under a name of its own: ready to be joined by it."""
    renamed = [sf.col(name).alias(f"{prefix}_{name}") for name in frame.columns if name != key]
    return frame.select(sf.col(key).alias(key_as), *renamed)


def seconds(later: Column, earlier: Column) -> Column:
    """Seconds between two times."""
    return (sf.unix_micros(later) - sf.unix_micros(earlier)) / sf.lit(1e6)
