"""Arithmetic on ranges of numbers ``[first, last]``, both inclusive, without ever listing the numbers."""

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf


def length() -> Column:
    """How many numbers a row's range holds."""
    return sf.col("last") - sf.col("first") + 1


def without(ranges: DataFrame, holes: DataFrame, keys: Sequence[str]) -> DataFrame:
    """What is left of each range when the holes of the same keys are taken out (rows of ``ranges``, split)."""
    cuts = holes.select(*keys, sf.struct(sf.col("first"), sf.col("last")).alias("hole"))
    overlapping = cuts.alias("cuts")
    condition = [sf.col(f"ranges.{key}").eqNullSafe(sf.col(f"cuts.{key}")) for key in keys]
    condition += [
        sf.col("cuts.hole.first") <= sf.col("ranges.last"),
        sf.col("cuts.hole.last") >= sf.col("ranges.first"),
    ]
    columns = ranges.columns
    return (
        ranges.alias("ranges")
        .join(overlapping, reduce(Column.__and__, condition), how="left")
        .groupBy(*[sf.col(f"ranges.{name}").alias(name) for name in columns])
        .agg(sf.array_sort(sf.collect_list("cuts.hole")).alias("holes"))
        .withColumn("rest", sf.explode(_between_holes()))
        .select(*[sf.col(f"rest.{name}" if name in ("first", "last") else name) for name in columns])
    )


def holding(ranges: DataFrame, points: DataFrame, keys: Sequence[str], position: str) -> DataFrame:
    """Each point with each range of the same keys that holds its ``position``: the columns of both.

    Compared is only what is near: numbers are cut into stretches longer than the range, of which it touches one or two. So
    a key that has most of all points and ranges takes no more work than many keys with as many.
    """
    placed = ranges.withColumn("level", sf.length(sf.bin(length()))).withColumn(
        "stretch", sf.explode(sf.expr("sequence(shiftright(first, level), shiftright(last, level))"))
    )
    levels = placed.select(*keys, "level").distinct()
    return (
        points.join(sf.broadcast(levels), on=list(keys), how="inner")
        .withColumn("stretch", sf.expr(f"shiftright({position}, level)"))
        .join(placed, on=[*keys, "level", "stretch"], how="inner")
        .where(sf.col(position).between(sf.col("first"), sf.col("last")))
        .drop("level", "stretch")
    )


def coverage(layers: Mapping[str, DataFrame], keys: Sequence[str]) -> DataFrame:
    """Segments of each key's numbers with, per layer, how many of its ranges cover the whole segment.

    Columns: the keys, ``first``, ``last``, and one count a layer. Stretches that nothing covers are left out.
    """
    steps = reduce(
        DataFrame.unionByName, [_steps(frame, name, layers, keys) for name, frame in layers.items()]
    )
    totals = [sf.sum(name).alias(name) for name in layers]
    ordered = Window.partitionBy(*keys).orderBy("position")
    so_far = ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    covered = reduce(Column.__or__, [sf.col(name) > 0 for name in layers])
    return (
        steps.groupBy(*keys, "position")
        .agg(*totals)
        .select(
            *keys,
            sf.col("position").alias("first"),
            (sf.lead("position").over(ordered) - 1).alias("last"),
            *[sf.sum(name).over(so_far).alias(name) for name in layers],
        )
        .where(covered & sf.col("last").isNotNull())
    )


def _between_holes() -> Column:
    starts = sf.concat(sf.array("first"), sf.transform("holes", lambda hole: hole["last"] + 1))
    ends = sf.concat(sf.transform("holes", lambda hole: hole["first"] - 1), sf.array("last"))
    pairs = sf.zip_with(starts, ends, lambda start, end: sf.struct(start.alias("first"), end.alias("last")))
    return sf.filter(pairs, lambda pair: pair["first"] <= pair["last"])


def _steps(frame: DataFrame, layer: str, layers: Mapping[str, DataFrame], keys: Sequence[str]) -> DataFrame:
    """Where a layer's coverage rises by one (at each first) and falls by one (behind each last)."""
    ends = sf.explode(
        sf.array(
            sf.struct(sf.col("first").alias("position"), sf.lit(1).alias("step")),
            sf.struct((sf.col("last") + 1).alias("position"), sf.lit(-1).alias("step")),
        )
    ).alias("end")
    counts = [(sf.col("end.step") if name == layer else sf.lit(0)).alias(name) for name in layers]
    return frame.select(*keys, ends).select(*keys, sf.col("end.position").alias("position"), *counts)
