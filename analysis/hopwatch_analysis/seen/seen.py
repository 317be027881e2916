"""All that is seen beside the lanes."""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.local_strangers import bound_within_a_process, with_local_strangers
from hopwatch_analysis.links.strangers import with_strangers, with_unknown_ways, wrapped_late
from hopwatch_analysis.seen import hang_ups, kernel, unreceived
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.topology import Topology


@dataclass(frozen=True)
class Seen:
    """``kernel``: its readings of connections; ``hang_ups``: downs in which a receiver hung up; ``to_nobody``: what was sent with no receiver
    there; ``strangers``: sockets with a peer that nobody tells of (socket), and those of which it is not known (``counted`` false).
    """

    kernel: DataFrame
    hang_ups: DataFrame
    to_nobody: DataFrame
    strangers: DataFrame


def seen(tables: Tables, topology: Topology) -> Seen:
    """Gather it."""
    to_nobody = unreceived.unreceived(
        tables,
        topology.streams,
        topology.edges,
        sockets=topology.sockets,
        lanes=topology.lanes,
        unwatched=topology.unwatched,
    )
    return Seen(
        kernel=settle(kernel.readings(tables, topology.mirrored)),
        hang_ups=settle(hang_ups.hang_ups(tables, topology)),
        to_nobody=settle(to_nobody),
        strangers=settle(_strangers(tables, topology)),
    )


def _strangers(tables: Tables, topology: Topology) -> DataFrame:
    connections, endpoints = tables["connection"], tables["endpoint"]
    links = with_unknown_ways(topology.links, topology.known_by_stamps)
    over_tcp = with_strangers(connections, topology.mirrored, links, wrapped_late(endpoints)).select("socket")
    found = over_tcp.unionByName(with_local_strangers(connections, links, endpoints, topology.sockets))
    uncounted = bound_within_a_process(endpoints)
    return found.withColumn("counted", sf.lit(True)).unionByName(
        uncounted.withColumn("counted", sf.lit(False))
    )
