"""Publishers that met full pipes where no receiver that is checked lacks a message: somebody else was slow."""

from hopwatch_judge.socket_types import PUBLISHING_TYPES
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.due import Missing
from hopwatch_analysis.spark.frames import only_of
from hopwatch_analysis.terms.ranges import holding

RULE = "full_for_somebody_unknown"
TEXT = "%s met a full pipe %s where no receiver that is checked lacks a message: what others lack of it is not known."
ADVICE = (
    "Wrap all who read from it, and have an agent read their journals. Where its messages have no topic of their own, give wrap() the topic, so "
    "that what a reader of some topics got can be held against what was sent."
)


def full_for_somebody_unknown(missing: Missing, somebody: DataFrame, sockets: DataFrame) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender that had ``somebody`` (socket) for a reader who is not known, or not checked.

    Without such a one an onset beside which nothing is missing was of a message that got through after all (instrumentation/FORMAT.md).
    """
    publishers = (
        sockets.where(sf.col("type").isin(*PUBLISHING_TYPES))
        .join(somebody, on="socket", how="left_semi")
        .select(sf.col("socket").alias("stream"), "node_name")
    )
    return (
        _of_nobody_checked(only_of(missing.evidence.onsets, publishers, "stream"), missing)
        .groupBy("stream")
        .agg(sf.count_distinct("number").alias("times"))
        .join(publishers, on="stream", how="inner")
        .select(
            sf.col("stream").alias("socket"),
            sf.lit(RULE).alias("rule"),
            sf.format_string(TEXT, "node_name", _how_often()).alias("text"),
            sf.lit(ADVICE).alias("advice"),
        )
    )


def _sparse(ranges: DataFrame) -> DataFrame:
    """Between which numbers of the stream those lie of which it is not known which ones are missing: stream, lane, first, last."""
    gaps = ranges.where("sparse and after - before > 1")
    return gaps.select(
        "stream", "lane", (sf.col("before") + 1).alias("first"), (sf.col("after") - 1).alias("last")
    ).distinct()


def _how_often() -> Column:
    return sf.when(sf.col("times") == 1, "once").otherwise(sf.format_string("%d times", "times"))


def _of_nobody_checked(onsets: DataFrame, missing: Missing) -> DataFrame:
    """Those of messages that no receiver lacks, as far as that is known: where counts alone tell, any that is missing may be the one."""
    ranges = only_of(missing.ranges, onsets, "stream").select("stream", "lane", "first", "last").distinct()
    lacked = (
        holding(ranges, onsets, ["stream", "lane"], "lane_number")
        .select("stream", "number")
        .unionByName(
            holding(_sparse(missing.ranges), onsets, ["stream", "lane"], "number").select("stream", "number")
        )
    )
    of_any_lane = onsets.where("lane_number is null").join(ranges, on="stream", how="left_semi")
    by_count = missing.unlocated.where("messages > 0").select("stream").distinct()
    return (
        onsets.join(lacked, on=["stream", "number"], how="left_anti")
        .join(of_any_lane.select("stream", "number"), on=["stream", "number"], how="left_anti")
        .join(by_count, on="stream", how="left_anti")
    )
