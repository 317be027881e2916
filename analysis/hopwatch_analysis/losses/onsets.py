"""Onsets: at which message a sender's pipe was full, and whose pipe that was."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.keys import EDGE_OF_STREAM
from hopwatch_analysis.terms.ranges import holding


def onsets(rows: DataFrame, lane_rows: DataFrame, counters: DataFrame) -> DataFrame:
    """One row an onset: stream, number, lane, lane_number, at.

    Where messages carry numbers of their own the onset has the stream's number alone. If all messages of the stream, by its ``counters``, are
    in one lane whose numbers follow each other, that is the lane's number too, counted from its first.
    """
    told = rows.select(sf.col("socket").alias("stream"), "number", "lane", "lane_number", "at").distinct()
    numbered = sf.col("first") + sf.col("number")
    return told.join(_only_lanes(lane_rows, counters), on="stream", how="left").select(
        "stream",
        "number",
        sf.coalesce("lane", "only_lane").alias("lane"),
        sf.coalesce("lane_number", sf.when(sf.col("lane").isNull(), numbered)).alias("lane_number"),
        "at",
    )


def _only_lanes(lane_rows: DataFrame, counters: DataFrame) -> DataFrame:
    """Streams of one lane, in which as many messages were sent as there are numbers: stream, only_lane, first."""
    sent = lane_rows.where("role = 'send' and count > 0")
    return (
        sent.groupBy("stream")
        .agg(
            sf.min("lane").alias("only_lane"),
            sf.max("lane").alias("other"),
            sf.min("first").alias("first"),
            sf.max("next").alias("next"),
            sf.max("count").alias("count"),
        )
        .where("only_lane = other and next - first = count")
        .join(counters.select(sf.col("socket").alias("stream"), "sent"), on="stream", how="inner")
        .where("count = sent")
        .select("stream", "only_lane", "first")
    )


def onsets_of_edges(onsets: DataFrame, lost: DataFrame, ranges: DataFrame) -> DataFrame:
    """The onsets whose own message an edge out of the sender lost, of those between the messages around ``ranges`` that do not
    begin at one themselves: stream, from_socket, to_socket, number.
    """
    sought = (
        ranges.where("from_socket = stream and not begins_at_onset and after - before > 1")
        .select(*EDGE_OF_STREAM, (sf.col("before") + 1).alias("first"), (sf.col("after") - 1).alias("last"))
        .distinct()
    )
    marks = (
        holding(sought, onsets, ["stream"], "number")
        .select(
            *EDGE_OF_STREAM,
            "lane",
            sf.col("lane_number").alias("position"),
            "number",
            sf.lit(None).cast("long").alias("last"),
        )
        .distinct()
    )
    starts = lost.where("from_socket = stream").select(
        *EDGE_OF_STREAM,
        "lane",
        sf.col("first").alias("position"),
        sf.lit(None).cast("long").alias("number"),
        "last",
    )
    in_order = (
        Window.partitionBy(*EDGE_OF_STREAM, "lane")
        .orderBy("position", sf.col("last").isNull())
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        starts.unionByName(marks)
        .withColumn("covered_to", sf.last("last", ignorenulls=True).over(in_order))
        .where("number is not null and covered_to >= position")
        .select(*EDGE_OF_STREAM, "number")
    )


def in_sparse_gaps(onsets: DataFrame, lost: DataFrame) -> DataFrame:
    """The onsets whose own message an edge may have lost in a gap of sparse stamps, of which it is not known which ones are missing: stream, from_socket,
    to_socket, number.
    """
    gaps = lost.where("from_socket = stream and sparse and part = 'inner' and after - before > 1").select(
        *EDGE_OF_STREAM, "lane", (sf.col("before") + 1).alias("first"), (sf.col("after") - 1).alias("last")
    )
    return holding(gaps, onsets, ["stream", "lane"], "number").select(*EDGE_OF_STREAM, "number").distinct()


def with_onset_between(ranges: DataFrame, edge_onsets: DataFrame) -> DataFrame:
    """Adds ``onset_between``: the edge's latest onset between the messages around the range, or null."""
    in_order = (
        Window.partitionBy(*EDGE_OF_STREAM)
        .orderBy("position", sf.col("mark").isNotNull())
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    marks = edge_onsets.select(
        *EDGE_OF_STREAM, sf.col("number").alias("position"), sf.col("number").alias("mark")
    )
    placed = ranges.withColumn("position", sf.col("after")).withColumn("mark", sf.lit(None).cast("long"))
    latest = sf.last("mark", ignorenulls=True).over(in_order)
    return (
        placed.unionByName(marks, allowMissingColumns=True)
        .withColumn("latest", latest)
        .where("mark is null")
        .withColumn("onset_between", sf.when(sf.col("latest") > sf.col("before"), sf.col("latest")))
        .drop("position", "mark", "latest")
    )


def with_beginning_at_onset(ranges: DataFrame, onsets: DataFrame, first: str) -> DataFrame:
    """Adds ``begins_at_onset``: the range leaves the sender's own socket, and begins at an onset exactly."""
    marks = onsets.select(
        "stream", "lane", sf.col("lane_number").alias(first), sf.lit(True).alias("is_onset")
    )
    known = ranges.join(marks.distinct(), on=["stream", "lane", first], how="left")
    own = sf.col("from_socket") == sf.col("stream")
    return known.withColumn("begins_at_onset", own & sf.coalesce("is_onset", sf.lit(False))).drop("is_onset")
