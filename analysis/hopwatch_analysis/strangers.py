"""Sockets with a peer that nobody tells of: it is not instrumented, or no agent reads what it writes."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import seconds

PROBES_LAST = 1
"""Seconds: a connection that was over sooner was a probe of the port."""


def with_strangers(
    connections: DataFrame, mirrored: DataFrame, links: DataFrame, endpoints: DataFrame
) -> DataFrame:
    """Sockets (socket) that had more connections at one time of which the other end is not known than they have peers that do not tell of
    all of theirs: those may be at the other end of any of them. Such a peer was wrapped after it had connected (``endpoint``), has another
    monitor, or is known by its stamps alone.
    """
    late = endpoints.where("action = 'endpoint'").select(sf.col("socket").alias("peer")).distinct()
    one_way = links.select(
        sf.col("from_socket").alias("socket"), sf.col("to_socket").alias("peer"), "mirrored"
    )
    other_way = links.select(
        sf.col("to_socket").alias("socket"), sf.col("from_socket").alias("peer"), "mirrored"
    )
    peers = one_way.unionByName(other_way)
    silent = (
        peers.where("not mirrored")
        .unionByName(peers.join(late, on="peer", how="left_semi"), allowMissingColumns=True)
        .groupBy("socket")
        .agg(sf.count_distinct("peer").alias("silent"))
    )
    return (
        _most_at_one_time(connections, mirrored)
        .join(silent, on="socket", how="left")
        .fillna(0, ["silent"])
        .where("most > silent")
        .select("socket")
    )


def _most_at_one_time(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Connections of which the other end is not known: socket, most."""
    ended = connections.where("action = 'disconnected'").select(
        "socket", "connection", sf.col("at").alias("ended_at")
    )
    brief = sf.coalesce(seconds(sf.col("ended_at"), sf.col("at")) < PROBES_LAST, sf.lit(False))
    alone = (
        connections.where("action = 'connected' and local is not null and remote is not null")
        .join(mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti")
        .join(ended, on=["socket", "connection"], how="left")
        .where(~brief)
    )
    began = alone.select("socket", "at", sf.lit(1).alias("change"))
    over = alone.where("ended_at is not null").select(
        "socket", sf.col("ended_at").alias("at"), sf.lit(-1).alias("change")
    )
    so_far = (
        Window.partitionBy("socket")
        .orderBy("at", "change")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        began.unionByName(over)
        .withColumn("up", sf.sum("change").over(so_far))
        .groupBy("socket")
        .agg(sf.max("up").alias("most"))
    )
