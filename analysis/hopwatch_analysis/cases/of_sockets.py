"""Records of sockets and the links between them: each frame has the ``socket`` that it goes by, and the columns that its record has as fields."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.faulty import faulty_sockets
from hopwatch_analysis.doubts.lost_events import losing_processes, their_sockets
from hopwatch_analysis.doubts.read_past_us import sockets_read_past_us
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.alive import with_alive_at
from hopwatch_analysis.links.clocks import clock_of
from hopwatch_analysis.seen.seen import Seen
from hopwatch_analysis.sockets.nodes import with_option_set
from hopwatch_analysis.terms.keys import EDGE
from hopwatch_analysis.topology import Scope, Topology

TIMES = (
    "opened_at",
    "ended_at",
    "alive_at",
    "heard_until",
    "first_up_at",
    "took_last_at",
    "asked_until",
    "probing_stopped_at",
)
SAME = (
    "type",
    "host",
    "clock",
    "process",
    "node",
    "node_type",
    "passes_to",
    "end",
    "unread",
    "sequence",
    "probed",
    "never_drops",
    "sndhwm",
    "rcvhwm",
    "linger",
    "conflate",
    "immediate",
    "req_relaxed",
)


def sockets(tables: Tables, topology: Topology, seen: Seen, scope: Scope) -> DataFrame:
    """Socket."""
    by_clock = topology.sockets.withColumn("clock", clock_of(sf.col("host"), scope.compared))
    known = with_alive_at(by_clock, tables["connection"], topology.lanes, topology.receipts)
    came = tables["connection"].where("action = 'connected'").groupBy("socket")
    losing = their_sockets(losing_processes(tables["process"]), topology.sockets, tables["lane"])
    alone = seen.to_nobody.where("alone").select(sf.col("stream").alias("socket"))
    flags = {
        "mandatory": with_option_set(tables, "router_mandatory"),
        "hands_over": with_option_set(tables, "router_handover"),
        "unwatched": topology.unwatched,
        "has_strangers": seen.strangers.where("counted").select("socket"),
        "may_have_strangers": seen.strangers.where("not counted").select("socket"),
        "loses_events": losing,
        "faulty": faulty_sockets(tables["fault"]),
        "read_past": sockets_read_past_us(tables["finding"]),
        "never_connected": alone,
        "calls_or_is_local": _calling_or_local(tables["endpoint"]),
    }
    known = known.join(came.agg(sf.min("at").alias("first_up_at")), on="socket", how="left")
    for flag, frame in flags.items():
        marked = frame.select("socket").distinct().withColumn(flag, sf.lit(True))
        known = known.join(sf.broadcast(marked), on="socket", how="left")
    return known.select(
        "socket",
        sf.col("socket").alias("id"),
        *SAME,
        *map(_seconds, TIMES),
        sf.col("first_up_at").isNotNull().alias("has_connected"),
        sf.col("host").isin(*sorted(scope.unreadable_hosts)).alias("unreadable"),
        *flags,
    )


def links(tables: Tables, topology: Topology, hang_ups: DataFrame) -> DataFrame:
    """Link, of those that are linked and those that only numbers tell of; once for each of its ends. ``hang_ups``: by edge."""
    linked = topology.links.withColumn("linked", sf.lit(True))
    edges = topology.edges.select(*EDGE).unionByName(topology.facts.select(*EDGE)).distinct()
    unwatched = topology.unwatched_links.select(*EDGE, "unwatched")
    facts = topology.facts.drop("watched", "to_end_downs").withColumn("told", sf.lit(True))
    known = (
        edges.join(linked, on=list(EDGE), how="full")
        .join(facts, on=list(EDGE), how="left")
        .join(unwatched, on=list(EDGE), how="left")
        .join(hang_ups, on=list(EDGE), how="left")
        .join(_last_downs(tables["connection"], topology.mirrored), on=list(EDGE), how="left")
        .withColumn("linked", sf.coalesce("linked", sf.lit(False)))
    )
    downs = {name: _downs(name) for name in ("downs", "former_downs", "hang_ups")}
    told = known.withColumns(downs).select(
        *EDGE,
        "linked",
        "transport",
        "mirrored",
        "masqueraded",
        "mistakable",
        "unwatched",
        "told",
        *downs,
        "hung_up",
        "sender_connects",
        _seconds("connected_at"),
        "sent_when_connected",
        "sent_when_back",
        "received_when_back",
        "to_end_was_cut",
        "is_down",
        _seconds("left_at"),
        "left_n",
        "left_sent",
        _seconds("to_end_down_at"),
        _seconds("quit_at"),
        "last_down_n",
        "from_end_stayed",
        "to_end_stayed",
        "cut_alone",
    )
    return told.withColumn("socket", sf.explode(sf.array(*EDGE)))


def totals(topology: Topology) -> DataFrame:
    """Totals."""
    asked_at = sf.when(sf.col("proxied_at") > 0, sf.floor(sf.col("proxied_at") / 1000) / sf.lit(1e6))
    same = ("sent", "sent_more_frames", "sent_bytes", "received", "onsets", "unroutable", "proxied_in_frames")
    return topology.counters.select("socket", *same, asked_at.alias("proxied_at"))


def counted(tables: Tables) -> DataFrame:
    """Counted."""
    waits = sf.coalesce("waited_receives", sf.lit(0)) + sf.coalesce("eagain_receives", sf.lit(0))
    return (
        tables["counters"]
        .fillna(0, subset=["sent", "received", "waited_receives", "unroutable"])
        .select(
            "socket",
            _seconds("at"),
            "sent",
            "received",
            waits.alias("waits"),
            sf.col("waited_receives").alias("blocked"),
            "unroutable",
        )
    )


def subscribed(tables: Tables) -> DataFrame:
    """Subscribed."""
    return tables["subscription"].select(
        "socket",
        sf.col("socket").alias("receiver"),
        "topic",
        (sf.col("action") == "subscribe").alias("subscribes"),
        _seconds("at"),
        "n",
    )


def readings(seen: Seen) -> DataFrame:
    """Reading, by its sending end."""
    told = seen.kernel.select(*EDGE, _seconds("at"), "limited_by")
    return told.withColumn("socket", sf.col("from_socket"))


def accepted(tables: Tables, topology: Topology) -> DataFrame:
    """Accepted."""
    routers = topology.sockets.where("type = 'ROUTER'").select("socket")
    return (
        tables["connection"]
        .where("action = 'connected'")
        .select("socket", "connection", "accepted")
        .join(sf.broadcast(routers), on="socket", how="left_semi")
        .join(
            topology.mirrored.select("socket", "connection", "peer").distinct(),
            on=["socket", "connection"],
            how="left",
        )
        .select(
            "socket",
            sf.col("socket").alias("router"),
            sf.coalesce("accepted", sf.lit(False)).alias("accepted"),
            "peer",
        )
    )


def unknown_downs(downs: DataFrame) -> DataFrame:
    """By sender: the socket's downs."""
    return downs.select(
        sf.col("from_socket").alias("socket"),
        sf.col("from_socket").alias("sender"),
        _downs("unknown_downs").alias("downs"),
    )


def _calling_or_local(endpoints: DataFrame) -> DataFrame:
    return endpoints.where("action in ('connect', 'endpoint') or endpoint not like 'tcp:%'").select("socket")


def _last_downs(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """The sender's last event that tells of a disconnection from each peer: from_socket, to_socket, last_down_n."""
    return (
        connections.where("action = 'disconnected'")
        .join(mirrored.select("socket", "connection", "peer"), on=["socket", "connection"], how="inner")
        .groupBy(sf.col("socket").alias("from_socket"), sf.col("peer").alias("to_socket"))
        .agg(sf.max("n").alias("last_down_n"))
    )


def _downs(name: str) -> Column:
    def in_seconds(down: Column) -> Column:
        start, end = (sf.unix_micros(down[side]) / sf.lit(1e6) for side in ("start", "end"))
        fields = [start.alias("start"), end.alias("end")]
        return sf.struct(*fields, *([down["peer"].alias("peer")] if name == "former_downs" else []))

    return sf.transform(name, in_seconds)


def _seconds(name: str) -> Column:
    return (sf.unix_micros(name) / sf.lit(1e6)).alias(name)
