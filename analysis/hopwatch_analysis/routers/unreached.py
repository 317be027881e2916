"""What a stamping ROUTER had a peer for that never got it, and of which no receiver tells.

Each number of its lanes is owed to somebody, was swallowed, or is among these: so what its books say adds up to what it sent.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import WHOLE_STREAM_LANE
from hopwatch_analysis.terms.accounts import COLUMNS, IN_FLIGHT, UNEXPLAINED
from hopwatch_analysis.terms.keys import LANE
from hopwatch_analysis.terms.ranges import coverage, length, without
from hopwatch_analysis.topology import Topology


def numbered_by_routers(topology: Topology) -> DataFrame:
    """The numbers that stamping ROUTERs gave, but of what their further peers share, and of what is not checked: stream, lane, first, last."""
    routers = topology.sockets.where("type = 'ROUTER' and stamped").select(sf.col("socket").alias("stream"))
    numbered = (
        topology.lanes.where((sf.col("lane") != WHOLE_STREAM_LANE) & (sf.col("sent") > 0))
        .join(routers, on="stream", how="left_semi")
        .select(*LANE, sf.lit(0).cast("long").alias("first"), (sf.col("sent") - 1).alias("last"))
    )
    if topology.unchecked is None:
        return numbered
    return numbered.join(topology.unchecked, on=list(LANE), how="left_anti")


def nobodys(numbered: DataFrame, owed_ranges: DataFrame, swallowed: DataFrame) -> DataFrame:
    """Those that are owed to nobody, and were not swallowed: stream, lane, first, last."""
    ranges = (*LANE, "first", "last")
    others = owed_ranges.select(*ranges).unionByName(swallowed.where("lane is not null").select(*ranges))
    return without(numbered, coverage({"taken": others}, LANE).select(*ranges), LANE)


def unreached_accounts(
    nobodys: DataFrame, told: DataFrame, untold: DataFrame, topology: Topology, *, mandatory: DataFrame
) -> DataFrame:
    """Their accounts: with a connected receiver that has not got what was its own, they are on their way while both are there.

    ``told`` is what was swallowed, as events tell, and ``untold`` what more was counted at the end: the latter has accounts, and is
    among these as far as it had lanes. What a ROUTER that is there has counted, and not told of yet, is in flight. ``mandatory``:
    sockets that count what was refused, and not taken.
    """
    is_open = sf.col("end") == "open"
    on_its_way = is_open & sf.coalesce("waits", sf.lit(False))
    rest = sf.greatest(sf.lit(0), sf.col("messages") - sf.col("swallowed"))
    parts = sf.array(
        sf.struct(
            sf.when(on_its_way, IN_FLIGHT).otherwise(UNEXPLAINED).alias("cause"), rest.alias("messages")
        ),
        sf.struct(
            sf.lit(IN_FLIGHT).alias("cause"),
            sf.when(is_open, sf.least("messages", "swallowed")).otherwise(0).cast("long").alias("messages"),
        ),
    )
    nobody, no_time = sf.lit(None).cast("string"), sf.lit(None).cast("timestamp")
    return (
        nobodys.groupBy("stream")
        .agg(sf.sum(length()).alias("messages"))
        .join(_swallowed_in_lanes(told, untold, topology, mandatory), on="stream", how="left")
        .fillna(0, subset=["swallowed"])
        .join(topology.sockets.select(sf.col("socket").alias("stream"), "end"), on="stream", how="inner")
        .join(_waiting(topology), on="stream", how="left")
        .select("stream", sf.explode(parts).alias("part"))
        .select("stream", "part.*")
        .where("messages > 0")
        .withColumns(
            {
                "receiver": nobody,
                "lane": sf.lit(0).cast("long"),
                "mark": sf.lit("unreached"),
                "depth": sf.lit(1),
                "from_socket": sf.col("stream"),
                "to_socket": nobody,
                "certainty": sf.lit("inferred"),
                "started_at": no_time,
                "ended_at": no_time,
                "at_onset": sf.lit(False),
            }
        )
        .select(*COLUMNS)
    )


def _swallowed_in_lanes(
    told: DataFrame, untold: DataFrame, topology: Topology, mandatory: DataFrame
) -> DataFrame:
    """What a ROUTER swallowed without an event, but for what was in none of its lanes: stream, swallowed."""
    in_no_lane = sf.when(sf.col("lane").isNull(), length()).otherwise(0)
    known = told.groupBy("stream").agg(
        sf.sum(length()).alias("told"), sf.sum(in_no_lane).alias("told_in_no_lane")
    )
    at_the_end = untold.groupBy("stream").agg(sf.sum(length()).alias("untold"))
    in_lanes = topology.lanes.groupBy("stream").agg(sf.sum("sent").alias("in_lanes"))
    ends = topology.sockets.select(sf.col("socket").alias("stream"), "end")
    not_told = sf.when(sf.col("end") == "open", sf.col("unroutable") - sf.col("told")).otherwise(
        sf.col("untold")
    )
    in_no_lane_either = sf.col("sent") - sf.col("in_lanes") - sf.col("told_in_no_lane")
    return (
        topology.counters.join(mandatory, on="socket", how="left_anti")
        .select(sf.col("socket").alias("stream"), "sent", "unroutable")
        .join(ends, on="stream", how="inner")
        .join(in_lanes, on="stream", how="inner")
        .join(known, on="stream", how="left")
        .join(at_the_end, on="stream", how="left")
        .fillna(0, subset=["told", "told_in_no_lane", "untold"])
        .select("stream", (_at_least_0(not_told) - _at_least_0(in_no_lane_either)).alias("swallowed"))
        .where("swallowed > 0")
    )


def _waiting(topology: Topology) -> DataFrame:
    """ROUTERs with a receiver that is there, and got nothing of the stream, or came back: stream, waits."""
    open_ones = topology.sockets.where("end = 'open'").select(sf.col("socket").alias("receiver"))
    facts = topology.facts.select(
        sf.col("from_socket").alias("stream"),
        sf.col("to_socket").alias("receiver"),
        "is_down",
        (sf.size("downs") > 0).alias("came_back"),
    )
    got = topology.receipts.select("stream", "receiver", sf.lit(True).alias("got")).distinct()
    no = sf.lit(False)
    waits = ~sf.coalesce("is_down", no) & (~sf.coalesce("got", no) | sf.coalesce("came_back", no))
    return (
        topology.endings.select("stream", "receiver")
        .join(open_ones, on="receiver", how="left_semi")
        .join(facts, on=["stream", "receiver"], how="left")
        .join(got, on=["stream", "receiver"], how="left")
        .groupBy("stream")
        .agg(sf.max(waits).alias("waits"))
    )


def _at_least_0(column: Column) -> Column:
    return sf.greatest(sf.lit(0), sf.coalesce(column, sf.lit(0)))
