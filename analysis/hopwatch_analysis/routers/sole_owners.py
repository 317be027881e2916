"""Whose a ROUTER's lane is that nobody got anything of: that of the only peer that has not got what was its own."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.terms.keys import LANE
from hopwatch_analysis.terms.ranges import length, without
from hopwatch_analysis.topology import Topology


def sole_owners(tables: Tables, topology: Topology, numbered: DataFrame, swallowed: DataFrame) -> DataFrame:
    """Lanes whose peer is known because all others have what was theirs: stream, lane, receiver.

    A ROUTER that swallows what it has no peer for, and only accepts connections, has no more lanes with anything else than
    connections. ``numbered`` are the numbers of its lanes as ranges.
    """
    accepted = without(numbered, swallowed.where("lane is not null"), LANE)
    nobodys = accepted.select(*LANE).distinct().join(topology.receipts, on=list(LANE), how="left_anti")
    return (
        nobodys.withColumn("lanes", sf.count("*").over(Window.partitionBy("stream")))
        .join(_alone_with_connections_to_spare(tables, topology), on="stream", how="inner")
        .where("lanes <= to_spare")
        .join(_may_have_others(tables, topology, swallowed), on="stream", how="left_anti")
        .select(*LANE, "receiver")
    )


def _alone_with_connections_to_spare(tables: Tables, topology: Topology) -> DataFrame:
    """The only peer with more connections than it has lanes: stream, receiver, to_spare."""
    lanes = (
        topology.receipts.select("receiver", *LANE)
        .distinct()
        .groupBy("stream", "receiver")
        .agg(sf.count("*").alias("lanes_got"))
    )
    to_spare = sf.col("connections") - sf.coalesce("lanes_got", sf.lit(0))
    return (
        _connections(tables, topology)
        .where("peer is not null")
        .groupBy("stream", sf.col("peer").alias("receiver"))
        .agg(sf.count("*").alias("connections"))
        .join(lanes, on=["stream", "receiver"], how="left")
        .select("stream", "receiver", to_spare.alias("to_spare"))
        .where("to_spare > 0")
        .withColumn("candidates", sf.count("*").over(Window.partitionBy("stream")))
        .where("candidates = 1")
    )


def _connections(tables: Tables, topology: Topology) -> DataFrame:
    """stream, connection, accepted, peer (null: not known)."""
    mirrored = topology.mirrored.select("socket", "connection", "peer").distinct()
    return (
        tables["connection"]
        .where("action = 'connected'")
        .select("socket", "connection", "accepted")
        .join(mirrored, on=["socket", "connection"], how="left")
        .withColumnRenamed("socket", "stream")
    )


def _may_have_others(tables: Tables, topology: Topology, swallowed: DataFrame) -> DataFrame:
    """Sockets that may have had a peer that is not known, or have swallowed what no event tells of: stream."""
    named = sf.col("socket").alias("stream")
    unknown = _connections(tables, topology).where("peer is null or not coalesce(accepted, false)")
    ways = tables["endpoint"].where("action in ('connect', 'endpoint') or endpoint not like 'tcp:%'")
    unprobed = topology.sockets.where("not probed or proxy is not null")
    beyond = topology.edges.where("length > 1")
    told = swallowed.groupBy("stream").agg(sf.sum(length()).alias("told"))
    silent = (
        topology.counters.select(named, "unroutable")
        .join(told, on="stream", how="left")
        .where(sf.col("unroutable") > sf.coalesce("told", sf.lit(0)))
    )
    return (
        unknown.select("stream")
        .unionByName(ways.select(named))
        .unionByName(topology.unwatched.select(named))
        .unionByName(unprobed.select(named))
        .unionByName(beyond.select("stream"))
        .unionByName(silent.select("stream"))
        .distinct()
    )
