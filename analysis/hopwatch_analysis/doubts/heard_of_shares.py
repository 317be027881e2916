"""Streams that are shared out: what was sent since one of their open receivers' hosts told of anything may have come there."""

from hopwatch_judge.socket_types import BALANCED_TYPES
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.heard import heard_of
from hopwatch_analysis.spark.frames import only_of
from hopwatch_analysis.terms.accounts import COLUMNS, IN_FLIGHT
from hopwatch_analysis.terms.keys import LANE


def shared_out_untold(
    endings: DataFrame, lanes: DataFrame, receipts: DataFrame, *, samples: DataFrame, sockets: DataFrame
) -> DataFrame:
    """How many messages of each such stream no receiver had, and may have been sent since: stream, lane, untold, and receiver, the only one
    (null: there are several).
    """
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    went_on = lanes.select(*LANE, "sent", "unused", sf.col("moved_at").alias("sent_at"))
    several = sf.count_distinct("receiver") > 1
    behind = (
        endings.select("stream", "receiver")
        .join(shared_out, on="stream", how="left_semi")
        .join(heard_of(sockets), on="receiver", how="left")
        .groupBy("stream")
        .agg(
            sf.min("heard_until").alias("heard_until"),
            sf.when(~several, sf.max("receiver")).alias("receiver"),
        )
        .join(went_on, on="stream", how="inner")
        .where("sent_at > heard_until")
    )
    by_then = (
        behind.select(*LANE, "heard_until")
        .join(only_of(samples, behind, "stream").select(*LANE, "at", "count"), on=list(LANE), how="inner")
        .where("at <= heard_until")
        .groupBy(*LANE)
        .agg(sf.max("count").alias("sent_by_then"))
    )
    came = receipts.groupBy(*LANE).agg(sf.sum(sf.col("count") + sf.col("since")).alias("came"))
    known = sf.greatest("sent_by_then", sf.coalesce("came", sf.lit(0)) + sf.col("unused"))
    return (
        behind.join(by_then, on=list(LANE), how="left")
        .join(came, on=list(LANE), how="left")
        .select(*LANE, "receiver", (sf.col("sent") - known).alias("untold"))
        .where("untold > 0")
    )


def lanes_without(lanes: DataFrame, untold: DataFrame) -> DataFrame:
    """Lanes, of what was sent before."""
    return (
        lanes.join(untold.select(*LANE, "untold"), on=list(LANE), how="left")
        .withColumn("sent", sf.col("sent") - sf.coalesce("untold", sf.lit(0)))
        .drop("untold")
    )


def untold_accounts(untold: DataFrame, way_edges: DataFrame) -> DataFrame:
    """In flight, for all that is known: on the last hop to the only receiver, or on none where there are several."""
    last_edges = way_edges.where("depth = length").select(
        "stream", "receiver", "depth", "from_socket", "to_socket"
    )
    no_time = sf.lit(None).cast("timestamp")
    return (
        untold.join(last_edges, on=["stream", "receiver"], how="left")
        .withColumns(
            {
                "messages": sf.col("untold"),
                "mark": sf.lit("untold"),
                "cause": sf.lit(IN_FLIGHT),
                "certainty": sf.lit("inferred"),
                "started_at": no_time,
                "ended_at": no_time,
                "at_onset": sf.lit(False),
            }
        )
        .select(*COLUMNS)
    )
