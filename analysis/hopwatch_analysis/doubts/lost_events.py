"""Processes some of whose events no agent has: an end, a disconnection or a full pipe may be among those."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts import doubts
from hopwatch_analysis.terms.keys import WAY


def losing_processes(rows: DataFrame) -> DataFrame:
    """Those processes: process."""
    return rows.where("events_lost > 0 and process is not null").select("process").distinct()


def their_sockets(processes: DataFrame, sockets: DataFrame, lane_rows: DataFrame) -> DataFrame:
    """Their sockets, also those whose opening is among what was lost: socket."""
    known = sockets.select("socket", "process").unionByName(lane_rows.select("socket", "process"))
    return known.join(sf.broadcast(processes), on="process", how="left_semi").select("socket").distinct()


def with_none_exact(accounts: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """No cause is exact of streams that pass one of these sockets, or share a proxy with such a stream."""
    parties = doubts.parties(way_edges)
    hit = parties.join(sf.broadcast(sockets), on="socket", how="left_semi").select(*WAY)
    streams = doubts.with_ways_beside(hit, parties).select("stream")
    own = sockets.select(sf.col("socket").alias("stream"))
    return doubts.with_none_exact(accounts, streams.unionByName(own))
