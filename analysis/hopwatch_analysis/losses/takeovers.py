"""Lanes of a ROUTER that went to several owners of one routing id: what was sent in one's turn is not owed to the others.

With ZMQ_ROUTER_HANDOVER the former owner stays connected, and may end long after the later one came.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.missing import gap_rows
from hopwatch_analysis.terms.keys import LANE, LANE_OF_RECEIVER
from hopwatch_analysis.terms.ranges import without


def with_ends_of_turns(owed: DataFrame, turns: DataFrame, silent: DataFrame, located: DataFrame) -> DataFrame:
    """``owed`` with ``end`` and ``sure_end`` bounded by the next number that another one got of the lane; adds ``contested``: whether they
    were, or the lane is one of ``located``, which may have been another's.

    ``silent`` (see ``silent_successors``): what was sent since may as well have gone to that one.
    """
    others = turns.select(*LANE, sf.col("receiver").alias("other"), sf.col("first").alias("bound"))
    bounds = (
        owed.select(*LANE_OF_RECEIVER, "next")
        .join(others, on=list(LANE), how="inner")
        .where("other != receiver and bound >= next")
        .groupBy(*LANE_OF_RECEIVER)
        .agg(sf.min("bound").alias("bound"))
    )
    may_be_anothers = sf.coalesce(sf.col("came_at") > sf.col("newest_sent_at"), sf.lit(False))
    bounded = sf.least("sure_end", "bound")
    return (
        owed.join(bounds, on=list(LANE_OF_RECEIVER), how="left")
        .join(sf.broadcast(silent), on="stream", how="left")
        .join(
            sf.broadcast(located.withColumn("located", sf.lit(True))), on=list(LANE_OF_RECEIVER), how="left"
        )
        .withColumn("contested", sf.coalesce("located", sf.col("bound") < sf.col("end"), sf.lit(False)))
        .withColumn("end", sf.least("end", "bound"))
        .withColumn("sure_end", sf.when(may_be_anothers, sf.col("next")).otherwise(bounded))
        .drop("bound", "came_at", "located")
    )


def turns(owed: DataFrame, gaps: DataFrame, sockets: DataFrame) -> DataFrame:
    """Runs of numbers that each of several receivers got of a ROUTER's lane: stream, lane, receiver, first, last."""
    return without(_from_first_to_last(owed, sockets), _own_gaps(gaps), LANE_OF_RECEIVER)


def of_others(owed: DataFrame, turns: DataFrame, gaps: DataFrame, sockets: DataFrame) -> DataFrame:
    """Numbers of a ROUTER's lane that were sent in the turns of others: rows as of gaps that were skipped (socket, stream, lane, action,
    first, last).

    What one lacks within its own turn stays its own loss, unless another one got some of just that.
    """
    got_by_another = (
        _own_gaps(gaps)
        .withColumnsRenamed({"receiver": "other"})
        .join(
            turns.select(*LANE_OF_RECEIVER, sf.struct("first", "last").alias("run")),
            on=list(LANE),
            how="inner",
        )
        .where("receiver != other and run.first <= last and run.last >= first")
        .select(*LANE_OF_RECEIVER, "other", "first", "last")
        .distinct()
    )
    ours = turns.select(*LANE_OF_RECEIVER).distinct()
    theirs = _from_first_to_last(owed, sockets).withColumnsRenamed({"receiver": "other"})
    return (
        ours.join(theirs, on=list(LANE), how="inner")
        .where("receiver != other")
        .select(*LANE_OF_RECEIVER, "other", "first", "last")
        .transform(lambda ranges: without(ranges, got_by_another, (*LANE_OF_RECEIVER, "other")))
        .transform(lambda ranges: without(ranges, turns, LANE_OF_RECEIVER))
        .select(sf.col("receiver").alias("socket"), *LANE, sf.lit("skipped").alias("action"), "first", "last")
        .distinct()
    )


def silent_successors(
    ways: DataFrame, receipts: DataFrame, link_facts: DataFrame, handing_over: DataFrame
) -> DataFrame:
    """When somebody who got nothing of its stream came last to a ROUTER with ZMQ_ROUTER_HANDOVER: stream, came_at."""
    back_at = sf.array_max(sf.transform("downs", lambda down: down["end"]))
    came = link_facts.select(
        sf.col("from_socket").alias("stream"),
        sf.col("to_socket").alias("receiver"),
        sf.greatest("connected_at", back_at).alias("came_at"),
    )
    return (
        ways.select("stream", "receiver")
        .join(handing_over.select(sf.col("socket").alias("stream")), on="stream", how="left_semi")
        .join(receipts, on=["stream", "receiver"], how="left_anti")
        .join(came, on=["stream", "receiver"], how="inner")
        .groupBy("stream")
        .agg(sf.max("came_at").alias("came_at"))
    )


def _from_first_to_last(owed: DataFrame, sockets: DataFrame) -> DataFrame:
    """Where several peers got something of one lane that a ROUTER numbered: stream, lane, receiver, first, last."""
    routers = sockets.where("type = 'ROUTER' and stamped").select(sf.col("socket").alias("stream"))
    owners = sf.count("*").over(Window.partitionBy(*LANE))
    return (
        owed.where("count > 0 and length = 1")
        .join(routers, on="stream", how="left_semi")
        .withColumn("owners", owners)
        .where("owners > 1")
        .select(*LANE_OF_RECEIVER, "first", (sf.col("next") - 1).alias("last"))
    )


def _own_gaps(gaps: DataFrame) -> DataFrame:
    return gap_rows(gaps, "gap").select(*LANE_OF_RECEIVER, "first", "last")
