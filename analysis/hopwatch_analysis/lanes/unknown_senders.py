"""Receivers of stamps whose sender nobody tells of.

It may be on a host whose files are not here, or made up by somebody who can connect.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import receipts
from hopwatch_analysis.lanes.told_by_gaps import PAIR, with_gaps
from hopwatch_analysis.spark.frames import settle

RULE = "unknown_sender"
TEXT = (
    "Stamps of an unknown sender came to %s: no file names the socket of stream %s%s. "
    "Numbers that did not come, between the first and the last that did: %d. No ledger has them. "
    "The sender may be on a host whose agent's files are not here: then they were lost, or went to others. "
    "Or somebody who can connect has made the stamps up."
)
ADVICE = (
    "Analyse what the agents of all hosts have landed together. If no sender of yours has this stream, see "
    "who can connect to this socket, and let in only peers that you know."
)


def unknown_receipts(lane_rows: DataFrame, gap_rows: DataFrame, sockets: DataFrame) -> DataFrame | None:
    """What receivers got of streams whose sending socket no row tells of: PAIR, count, missing.

    None: there is no such stream.
    """
    senders = sockets.select(sf.col("socket").alias("stream")).unionByName(
        lane_rows.where("role = 'send'").select("stream")
    )
    received = lane_rows.where("role = 'receive'")
    streams = settle(
        received.select("stream").distinct().join(senders.distinct(), on="stream", how="left_anti")
    )
    if streams.isEmpty():
        return None
    of_unknown = received.join(sf.broadcast(streams), on="stream", how="left_semi")
    got = with_gaps(receipts(of_unknown.withColumn("by_count", sf.lit(False))), gap_rows)
    skipped = (
        gap_rows.where("action = 'skipped' and first > 0")
        .groupBy("stream", "lane", sf.col("socket").alias("receiver"))
        .agg(sf.sum(sf.expr("last - first + 1")).alias("skipped"))
    )
    lacking = sf.col("next") - sf.col("first") - sf.col("count") - sf.coalesce("skipped", sf.lit(0))
    return settle(
        got.join(skipped, on=list(PAIR), how="left").select(
            *PAIR, "count", sf.greatest(sf.lit(0), lacking).alias("missing")
        )
    )


def unknown_senders(unknown: DataFrame, sockets: DataFrame) -> DataFrame:
    """Findings (socket, rule, text, advice), one a receiver. ``unknown``: see ``unknown_receipts``."""
    return (
        unknown.groupBy("receiver")
        .agg(
            sf.min("stream").alias("stream"),
            sf.count_distinct("stream").alias("streams"),
            sf.sum("missing").alias("missing"),
        )
        .join(sockets.select(sf.col("socket").alias("receiver"), "name"), on="receiver", how="inner")
        .select(
            sf.col("receiver").alias("socket"),
            sf.lit(RULE).alias("rule"),
            sf.format_string(TEXT, "name", "stream", _others(), "missing").alias("text"),
            sf.lit(ADVICE).alias("advice"),
        )
    )


def _others() -> Column:
    others = sf.col("streams") - 1
    return (
        sf.when(others == 0, "")
        .when(others == 1, ", nor that of one other")
        .otherwise(sf.format_string(", nor those of %d others", others))
    )
