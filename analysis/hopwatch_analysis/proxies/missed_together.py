"""What several receivers behind one proxy miss together, and how far back on their ways that reaches."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.keys import LANE_OF_EDGE, LANE_OF_RECEIVER
from hopwatch_analysis.terms.ranges import coverage


def shared_segments(missing: DataFrame, owed_ranges: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Numbers missing at every receiver behind a proxy that was owed them, by the edge into that proxy.

    Columns: stream, lane, from_socket, to_socket, depth, first, last, run_first (where the unbroken run of such
    segments begins).
    """
    inner = way_edges.where("depth < length").select(
        "stream", "receiver", "from_socket", "to_socket", "depth"
    )

    def by_edge(ranges: DataFrame) -> DataFrame:
        return ranges.join(inner, on=["stream", "receiver"], how="inner").select(
            *LANE_OF_EDGE, "first", "last"
        )

    ordered = Window.partitionBy(*LANE_OF_EDGE).orderBy("first")
    adjoins = sf.lag("last").over(ordered) == sf.col("first") - 1
    so_far = ordered.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return (
        coverage({"owing": by_edge(owed_ranges), "without": by_edge(missing)}, LANE_OF_EDGE)
        .where("without > 0 and without = owing")
        .withColumn(
            "run_start", sf.when(sf.coalesce(adjoins, sf.lit(False)), None).otherwise(sf.col("first"))
        )
        .withColumn("run_first", sf.last("run_start", ignorenulls=True).over(so_far))
        .select(*LANE_OF_EDGE, "first", "last", "run_first")
    )


def cut_by_reach(missing: DataFrame, shared: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Missing ranges cut into pieces of one ``depth`` each: the first edge on the receiver's way behind which all miss it.

    Columns: those of ``missing``, and length, depth.
    """
    lengths = way_edges.select("stream", "receiver", "length").distinct()
    inner = way_edges.select("stream", "receiver", "from_socket", "to_socket", "depth")
    with_others = shared.join(inner, on=["stream", "from_socket", "to_socket", "depth"], how="inner")
    layers = {
        "gone": missing.select(*LANE_OF_RECEIVER, "first", "last"),
        "with_all": with_others.select(*LANE_OF_RECEIVER, "first", "last"),
    }
    attributes = [name for name in missing.columns if name not in (*LANE_OF_RECEIVER, "first", "last")]
    origin = missing.select(*LANE_OF_RECEIVER, "first", sf.struct(*attributes).alias("origin"))
    so_far = (
        Window.partitionBy(*LANE_OF_RECEIVER)
        .orderBy("first")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        coverage(layers, LANE_OF_RECEIVER)
        .where("gone > 0")
        .join(origin, on=[*LANE_OF_RECEIVER, "first"], how="left")
        .withColumn("origin", sf.last("origin", ignorenulls=True).over(so_far))
        .join(lengths, on=["stream", "receiver"], how="inner")
        .select(
            *LANE_OF_RECEIVER,
            "first",
            "last",
            "origin.*",
            "length",
            (sf.col("length") - sf.col("with_all")).alias("depth"),
        )
    )
