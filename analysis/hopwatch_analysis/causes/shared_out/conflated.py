"""Streams that are shared out where an end keeps the newest message only: what came no more was thrown away for it."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.sockets.nodes import conflating
from hopwatch_analysis.terms.accounts import UNEXPLAINED
from hopwatch_analysis.terms.keys import EDGE, WAY


def ways_that_conflate(way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """Ways of which either end of the last hop sets ZMQ_CONFLATE: stream, receiver, conflates."""
    ends = sf.explode(sf.array(*EDGE)).alias("socket")
    return (
        way_edges.where("depth = length")
        .select(*WAY, ends)
        .join(conflating(sockets), on="socket", how="left_semi")
        .select(*WAY)
        .distinct()
        .withColumn("conflates", sf.lit(True))
    )


def of_the_only_one(shares: DataFrame) -> DataFrame:
    """``shares`` of streams that conflate and have one receiver, with messages, cause, mark and sure. The last of them may have been lost otherwise."""
    told = {"cause": sf.lit("conflated"), "mark": sf.lit("conflated"), "sure": sf.lit(False)}
    return shares.where("receivers = 1").withColumns({"messages": sf.col("missing"), **told})


def of_several(shares: DataFrame) -> DataFrame:
    """One row a stream that conflates and has several receivers, of which nothing tells whose each message was: stream, messages, cause, mark, at."""
    return (
        shares.where("receivers > 1")
        .select(
            "stream",
            sf.col("missing").alias("messages"),
            sf.lit(UNEXPLAINED).alias("cause"),
            sf.lit("any").alias("mark"),
            sf.col("x_ended_at").alias("at"),
        )
        .distinct()
    )
