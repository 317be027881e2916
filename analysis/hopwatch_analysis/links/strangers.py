"""Sockets with a peer that nobody tells of: it is not instrumented, or no agent reads what it writes."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.links.ways import UNKNOWN_TRANSPORT
from hopwatch_analysis.spark.frames import seconds

PROBES_LAST = 1
"""Seconds: a connection that was over sooner was a probe of the port."""


def with_strangers(
    connections: DataFrame, mirrored: DataFrame, links: DataFrame, endpoints: DataFrame
) -> DataFrame:
    """Sockets (socket) that had more TCP connections at one time of which the other end is not known than they have peers that do not tell of
    all of theirs: those may be at the other end of any of them. Such a peer was wrapped after it had connected (``endpoint``), has another
    monitor, or is known by its stamps alone.
    """
    late = endpoints.where("action = 'endpoint'").select(sf.col("socket").alias("peer")).distinct()
    over_tcp = peers(links).where(sf.col("transport").isin("tcp", UNKNOWN_TRANSPORT))
    silent = (
        over_tcp.where("not mirrored")
        .unionByName(over_tcp.join(late, on="peer", how="left_semi"), allowMissingColumns=True)
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


def peers(links: DataFrame) -> DataFrame:
    """Who is linked to whom, once from each end: socket, peer, transport, mirrored."""
    about = ["transport", "mirrored"]
    one_way = links.select(sf.col("from_socket").alias("socket"), sf.col("to_socket").alias("peer"), *about)
    other_way = links.select(sf.col("to_socket").alias("socket"), sf.col("from_socket").alias("peer"), *about)
    return one_way.unionByName(other_way)


def lasting(connections: DataFrame) -> DataFrame:
    """Connections that were no probes, with when they ended (``ended_at``, null: they did not)."""
    ended = connections.where("action = 'disconnected'").select(
        "socket", "connection", sf.col("at").alias("ended_at")
    )
    brief = sf.coalesce(seconds(sf.col("ended_at"), sf.col("at")) < PROBES_LAST, sf.lit(False))
    came = connections.where("action = 'connected'")
    return came.join(ended, on=["socket", "connection"], how="left").where(~brief)


def most_up(changes: DataFrame) -> DataFrame:
    """The highest sum that the changes (socket, at, change) of each socket came to: socket, most."""
    so_far = (
        Window.partitionBy("socket")
        .orderBy("at", "change")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    summed = changes.withColumn("up", sf.sum("change").over(so_far))
    return summed.groupBy("socket").agg(sf.max("up").alias("most"))


def comings_and_goings(spans: DataFrame, each: int = 1) -> DataFrame:
    """Changes by ``each`` where spans (socket, at, ended_at) begin, and back where they end."""
    began = spans.select("socket", "at", sf.lit(each).alias("change"))
    over = spans.where("ended_at is not null")
    return began.unionByName(
        over.select("socket", sf.col("ended_at").alias("at"), sf.lit(-each)).toDF(*began.columns)
    )


def _most_at_one_time(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Connections of which the other end is not known: socket, most."""
    alone = (
        lasting(connections)
        .where("local is not null and remote is not null")
        .join(mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti")
    )
    return most_up(comings_and_goings(alone))
