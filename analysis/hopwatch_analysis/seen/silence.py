"""Receivers that had connected, lost the connection, and did not call again, as the tests of what libzmq does show of one that hung up."""

from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.topology import Topology

CALLS_AGAIN_WITHIN = 1.0
"""Seconds in which a receiver that lives has begun to call again: libzmq tells so as soon as it has set its timer."""


def called_again(tables: Tables, topology: Topology) -> DataFrame:
    """Edges whose receiver had connected, and has tried again, or is connected again, as one that hung up does not: from_socket, to_socket,
    called_again. Not where the application told it to connect once more.
    """
    events = tables["connection"].where(
        "action in ('connected', 'disconnected', 'retried') and endpoint is not null"
    )
    last = events.groupBy("socket", "endpoint").agg(
        sf.max_by("action", sf.struct("at", "n")).alias("last_action"),
        sf.max(sf.when(sf.col("action") == "disconnected", sf.col("n"))).alias("down_n"),
    )
    told_to = (
        tables["endpoint"]
        .where("action = 'connect'")
        .groupBy("socket", "endpoint")
        .agg(sf.max("n").alias("told_n"))
    )
    peers = topology.mirrored.select("socket", "connection", "peer")
    return (
        events.where("action = 'connected' and not accepted")
        .join(peers, on=["socket", "connection"], how="inner")
        .select("socket", "endpoint", "peer")
        .distinct()
        .join(last.where("last_action != 'disconnected'"), on=["socket", "endpoint"], how="inner")
        .join(told_to, on=["socket", "endpoint"], how="left")
        .where("told_n is null or told_n < down_n")
        .select(
            sf.col("peer").alias("from_socket"),
            sf.col("socket").alias("to_socket"),
            sf.lit(True).alias("called_again"),
        )
        .distinct()
    )


def never_called_again(tables: Tables, topology: Topology) -> DataFrame:
    """Edges whose receiver had connected, lost the connection, lived on, and neither tried again nor was told to leave, or not to try:
    from_socket, to_socket, never_again.

    Not of one of whose connections not all is told.
    """
    events = tables["connection"].where(
        "action in ('connected', 'disconnected', 'retried') and endpoint is not null"
    )
    calling = events.where("action = 'connected' and not accepted").join(
        topology.mirrored.select("socket", "connection", "peer"), on=["socket", "connection"], how="inner"
    )
    last = events.groupBy("socket", "endpoint").agg(
        sf.max_by(sf.struct("action", "at"), sf.struct("at", "n")).alias("last")
    )
    told_to = tables["endpoint"].where("action = 'disconnect'").select("socket", "endpoint").distinct()
    return (
        calling.select("socket", "endpoint", "peer")
        .distinct()
        .join(last.where("last.action = 'disconnected'"), on=["socket", "endpoint"], how="inner")
        .join(told_to, on=["socket", "endpoint"], how="left_anti")
        .join(_not_trying(tables), on="socket", how="left_anti")
        .join(topology.unwatched, on="socket", how="left_anti")
        .join(_heard_until(tables["counters"], topology.sockets), on="socket", how="inner")
        .where(seconds(sf.col("heard_until"), sf.col("last.at")) >= CALLS_AGAIN_WITHIN)
        .select(
            sf.col("peer").alias("from_socket"),
            sf.col("socket").alias("to_socket"),
            sf.lit(True).alias("never_again"),
        )
        .distinct()
    )


def _not_trying(tables: Tables) -> DataFrame:
    """Sockets with a ZMQ_RECONNECT_IVL of -1, at any time: socket."""
    opened = tables["socket"].where(sf.col("options")["reconnect_ivl"] < 0).select("socket")
    later = (
        tables["option"].where("option = 'reconnect_ivl' and try_cast(value as bigint) < 0").select("socket")
    )
    return opened.unionByName(later).distinct()


def _heard_until(counters: DataFrame, sockets: DataFrame) -> DataFrame:
    """Until when each socket is known to have lived: socket, heard_until. Of one that was killed, it is not known for how long before it was found."""
    sampled = counters.groupBy("socket").agg(sf.max("at").alias("sampled_at"))
    in_order = sf.when(sf.col("end").isin("closed", "exited"), sf.col("ended_at"))
    killed = sf.when(
        sf.col("end") == "died", sf.col("ended_at") - sf.expr(f"interval {FOUND_DEAD_WITHIN} seconds")
    )
    alive = sf.when(sf.col("end") == "open", sf.col("sampled_at"))
    return sockets.join(sampled, on="socket", how="left").select(
        "socket", sf.coalesce(in_order, killed, alive).alias("heard_until")
    )
