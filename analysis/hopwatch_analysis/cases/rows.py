"""The records of cases as rows: case, kind, row (the fields of a record of hopwatch_judge.case, as JSON). Times are seconds since 1970.

A record's fields are a row's columns, by the same names: what is not known is left out.
"""

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.cases import of_lanes, of_sockets
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.unknown_downs import unknown_downs
from hopwatch_analysis.seen import hang_ups
from hopwatch_analysis.seen.seen import Seen
from hopwatch_analysis.seen.swallowed import swallowed_ranges
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.topology import Scope, Topology


@dataclass(frozen=True)
class Asked:
    """What is to be judged: ``streams`` (stream, case, lacks: it may lack something), ``parties`` (socket, case: who is on their ways), and
    ``beside`` (socket, case: those, and all who are linked to them).
    """

    streams: DataFrame
    parties: DataFrame
    beside: DataFrame


def asked(streams: DataFrame, topology: Topology) -> Asked:
    """``streams``: stream, case, lacks."""
    on_ways = topology.edges.select(
        "stream", sf.explode(sf.array("from_socket", "to_socket")).alias("socket")
    )
    own = streams.select(sf.col("stream").alias("socket"), "case")
    parties = settle(
        on_ways.join(streams, on="stream", how="inner").select("socket", "case").unionByName(own).distinct()
    )
    both = topology.links.select(sf.col("from_socket").alias("socket"), sf.col("to_socket").alias("peer"))
    ends = both.unionByName(both.select(sf.col("peer").alias("socket"), sf.col("socket").alias("peer")))
    linked = ends.join(parties, on="socket", how="inner").select(sf.col("peer").alias("socket"), "case")
    return Asked(streams, parties, settle(parties.unionByName(linked).distinct()))


def rows(tables: Tables, topology: Topology, seen: Seen, scope: Scope, asked: Asked) -> DataFrame:
    """All rows of all cases: case, kind, row."""
    lacking = asked.streams.where("lacks").select("stream", "case")
    streams = asked.streams.select("stream", "case")
    by_stream = {
        "ways": of_lanes.ways(topology),
        "lanes": of_lanes.lanes(topology),
        "receipts": of_lanes.receipts(topology),
    }
    of_lacking = {
        "gaps": of_lanes.gaps(topology),
        "onsets": of_lanes.onsets(tables, topology),
        "progress": of_lanes.progress(tables),
        "reads": of_lanes.reads(tables),
        "swallowed": of_lanes.swallowed(swallowed_ranges(tables["unroutable"], tables["counters"])),
        "not_checked": of_lanes.not_checked(topology),
    }
    by_socket = {
        "counted": of_sockets.counted(tables),
        "subscribed": of_sockets.subscribed(tables),
        "accepted": of_sockets.accepted(tables, topology),
        "unknown_downs": of_sockets.unknown_downs(
            unknown_downs(tables["connection"], topology.mirrored, topology.edges)
        ),
    }
    beside = {
        "sockets": of_sockets.sockets(tables, topology, seen, scope),
        "totals": of_sockets.totals(topology),
    }
    by_edge = {
        "links": of_sockets.links(tables, topology, hang_ups.by_edge(seen.hang_ups)),
        "readings": of_sockets.readings(seen),
    }
    parts = [
        _case(topology, scope, asked),
        *(_as_rows(frame, kind, streams, "stream") for kind, frame in by_stream.items()),
        *(_as_rows(frame, kind, lacking, "stream") for kind, frame in of_lacking.items()),
        *(_as_rows(frame, kind, asked.parties, "socket") for kind, frame in by_socket.items()),
        *(_as_rows(frame, kind, asked.beside, "socket") for kind, frame in beside.items()),
        *(_as_rows(frame, kind, asked.parties, "socket") for kind, frame in by_edge.items()),
    ]
    return reduce(DataFrame.unionByName, parts)


def _case(topology: Topology, scope: Scope, asked: Asked) -> DataFrame:
    """The case's own row: when it ends, and which of its streams are told of."""
    told_of = topology.in_window(asked.streams).groupBy("case").agg(sf.collect_list("stream").alias("window"))
    return (
        asked.streams.select("case")
        .distinct()
        .join(told_of, on="case", how="left")
        .select(
            "case",
            sf.lit("case").alias("kind"),
            sf.to_json(
                sf.struct(
                    sf.lit(scope.ends_at.timestamp()).alias("ends_at"),
                    sf.lit(scope.guard).cast("double").alias("guard"),
                    sf.coalesce("window", sf.array().cast("array<string>")).alias("window"),
                    sf.lit(bool(scope.unreadable_hosts)).alias("unreadable"),
                )
            ).alias("row"),
        )
    )


def _as_rows(frame: DataFrame, kind: str, cases: DataFrame, key: str) -> DataFrame:
    """The frame's rows in each case that its key is of; ``socket`` is no field of most records."""
    record = [name for name in frame.columns if name != "socket" or kind in ("counted", "totals")]
    packed = frame.select(key, sf.to_json(sf.struct(*record)).alias("row"))
    return packed.join(sf.broadcast(cases), on=key, how="inner").select(
        "case", sf.lit(kind).alias("kind"), "row"
    )
