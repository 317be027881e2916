"""Small things that several steps do to frames."""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import StructType

from hopwatch_analysis.spark.estimates import without_estimates

ONE = "1"


def together(frame: DataFrame) -> DataFrame:
    """In one partition, where the session makes no more than one: then no step has to move rows between tasks."""
    return frame.coalesce(1) if in_one_partition(frame.sparkSession) else frame


def in_one_partition(spark: SparkSession) -> bool:
    """Whether the session is one for so few rows that each step is one task."""
    return spark.conf.get("spark.sql.shuffle.partitions") == ONE


def empty(spark: SparkSession, schema: StructType) -> DataFrame:
    """No rows, without a Python process: a cluster's workers need not have what this one has."""
    return spark.range(0).select(*[sf.lit(None).cast(each.dataType).alias(each.name) for each in schema])


def settle(frame: DataFrame) -> DataFrame:
    """Compute a frame now, so that the steps built on it neither repeat it nor drag its plan along."""
    return without_estimates(together(frame).localCheckpoint(eager=True))


def best(frame: DataFrame, keys: Sequence[str], order: Sequence[Column]) -> DataFrame:
    """The first row of each key in the given order."""
    ranked = Window.partitionBy(*keys).orderBy(*order)
    return frame.withColumn("rank", sf.row_number().over(ranked)).where("rank = 1").drop("rank")


def only_of(frame: DataFrame, few: DataFrame, key: str) -> DataFrame:
    """The rows whose key is among those of ``few``, which are sent to where the rows are: none of the others is moved."""
    return frame.join(sf.broadcast(few.select(key).distinct()), on=key, how="left_semi")


def prefixed(frame: DataFrame, prefix: str, key: str, key_as: str) -> DataFrame:
    """All columns under ``prefix_``, and the key under a name of its own: ready to be joined by it."""
    renamed = [sf.col(name).alias(f"{prefix}_{name}") for name in frame.columns if name != key]
    return frame.select(sf.col(key).alias(key_as), *renamed)


def seconds(later: Column, earlier: Column) -> Column:
    """Seconds between two times."""
    return (sf.unix_micros(later) - sf.unix_micros(earlier)) / sf.lit(1e6)


def with_number_behind_pauses(
    frame: DataFrame, name: str, keys: Sequence[str], span: tuple[str, str], pause: float
) -> DataFrame:
    """Adds ``name``: of the spans of time of each key, taken in order, one more behind each pause of more than so many seconds."""
    starts, ends = span
    in_order = Window.partitionBy(*keys).orderBy(starts, ends)
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    paused = seconds(sf.col(starts), sf.max(ends).over(before)) > pause
    return (
        frame.withColumn("begins", sf.coalesce(paused, sf.lit(False)).cast("int"))
        .withColumn(name, sf.sum("begins").over(so_far))
        .drop("begins")
    )
