"""Publishers that met full pipes where no receiver that is checked lacks a message: somebody else was slow."""

from hopwatch_judge.socket_types import PUBLISHING_TYPES
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

RULE = "full_for_somebody_unknown"
TEXT = "%s met a full pipe %s where no receiver that is checked lacks a message: what others lack of it is not known."
ADVICE = (
    "Wrap all who read from it, and have an agent read their journals. Where its messages have no topic of their own, give wrap() the topic, so "
    "that what a reader of some topics got can be held against what was sent."
)


def full_for_somebody_unknown(of_nobody: DataFrame, somebody: DataFrame, sockets: DataFrame) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender that had ``somebody`` (socket) for a reader who is not known, or not checked.
    ``of_nobody``: how many onsets it met of messages that no receiver lacks, as far as that is known (stream, times).

    Without such a one an onset beside which nothing is missing was of a message that got through after all (instrumentation/FORMAT.md).
    """
    publishers = (
        sockets.where(sf.col("type").isin(*PUBLISHING_TYPES))
        .join(somebody, on="socket", how="left_semi")
        .select(sf.col("socket").alias("stream"), "node_name")
    )
    return of_nobody.join(publishers, on="stream", how="inner").select(
        sf.col("stream").alias("socket"),
        sf.lit(RULE).alias("rule"),
        sf.format_string(TEXT, "node_name", _how_often()).alias("text"),
        sf.lit(ADVICE).alias("advice"),
    )


def _how_often() -> Column:
    return sf.when(sf.col("times") == 1, "once").otherwise(sf.format_string("%d times", "times"))
