"""Findings about peers of whom nobody tells: what they lack, or have, is in no book."""

from datetime import datetime, timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.incidents.died_on_the_way import died_on_the_way
from hopwatch_analysis.incidents.full_for_somebody_unknown import full_for_somebody_unknown
from hopwatch_analysis.incidents.reader_not_watched import readers_not_watched
from hopwatch_analysis.links.local_strangers import with_local_strangers
from hopwatch_analysis.links.strangers import (
    PROBES_LAST,
    first_strangers,
    with_brief_strangers,
    with_strangers,
    with_unknown_ways,
    wrapped_late,
)
from hopwatch_analysis.links.unwrapped import unwrapped_receivers
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.topology import Topology

MICROSECONDS = 1_000_000
GIVEN_UP = timedelta(hours=1)
"""A host that has been silent for longer is not waited for: one that was lost for good would keep all these findings from everybody."""


def unknown_peers(
    tables: Tables,
    topology: Topology,
    of_nobody: DataFrame,
    strangers: DataFrame,
    *,
    ledger: DataFrame,
    not_checked: DataFrame,
    ends_at: datetime,
) -> DataFrame:
    """Findings (socket, rule, text, advice). ``of_nobody``: see ``full_for_somebody_unknown``; ``strangers``: sockets with a peer that nobody tells of (socket, counted); ``ledger`` and
    ``not_checked``: rows of the report.
    """
    sockets, endpoints, mirrored = topology.sockets, tables["endpoint"], topology.mirrored
    connections = settle(told_by_both_ends(tables["connection"], sockets, ends_at))
    silent_ones = settle(wrapped_late(endpoints).unionByName(topology.unwatched).distinct())
    links = settle(with_unknown_ways(topology.links, topology.known_by_stamps))
    over_tcp = with_strangers(connections, mirrored, links, silent_ones).select("socket")
    for_sure = over_tcp.unionByName(with_local_strangers(connections, links, endpoints, sockets))
    remotes = first_strangers(connections, mirrored)
    unwrapped = settle(
        unwrapped_receivers(
            connections, mirrored, sockets, links=links, silent_ones=silent_ones, way_edges=topology.edges
        )
    )
    somebody = settle(
        strangers.select("socket")
        .unionByName(with_brief_strangers(tables["connection"], mirrored))
        .unionByName(not_checked.where("stream is not null").select(sf.col("stream").alias("socket")))
        .distinct()
    )
    return (
        unwrapped.unionByName(readers_not_watched(for_sure, unwrapped, topology, remotes))
        .unionByName(died_on_the_way(ledger, topology.edges, sockets, strangers.where("counted")))
        .unionByName(full_for_somebody_unknown(of_nobody, somebody, sockets))
    )


def told_by_both_ends(connections: DataFrame, sockets: DataFrame, ends_at: datetime) -> DataFrame:
    """Without those that came up so late that the other end's word may not have landed, or as the socket ended; nor those to a host that is not waited for."""
    ends = sf.unix_micros(sf.lit(ends_at))
    waited_for = sf.col("heard_until") >= sf.lit(ends_at - GIVEN_UP)
    (heard_until,) = sockets.where(waited_for).agg(sf.min(sf.unix_micros("heard_until"))).collect()[0]
    told_until = sf.least(sf.lit(heard_until), ends, sf.unix_micros("ended_at"))
    in_time = sf.unix_micros("at") < told_until - PROBES_LAST * MICROSECONDS
    given_up = connections.join(sockets.where(~waited_for).select("socket"), on="socket", how="left_semi")
    theirs = given_up.select(_address("local").alias("to_given_up")).where("to_given_up is not null")
    return (
        connections.join(sockets.select("socket", "ended_at"), on="socket", how="inner")
        .withColumn("to_given_up", _address("remote"))
        .join(sf.broadcast(theirs.distinct()), on="to_given_up", how="left_anti")
        .where((sf.col("action") != "connected") | in_time)
        .drop("ended_at", "to_given_up")
    )


def _address(end: str) -> Column:
    """Without the port; null of one that each host has."""
    address = sf.regexp_replace(end, ":[0-9]+$", "")
    return sf.when(~address.rlike("^(127\\.|\\[?::1)"), address)
