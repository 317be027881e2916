"""Who sends what to whom: sockets, links, lanes and the ways of each stream, from the tables."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.heard import with_heard_until
from hopwatch_analysis.doubts.watched import unwatched_links, unwatched_sockets
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.lanes import unchecked
from hopwatch_analysis.lanes.carried import assigned, reach
from hopwatch_analysis.lanes.counts_by_topic import Counted, counted
from hopwatch_analysis.lanes.lanes import lanes, receipts
from hopwatch_analysis.lanes.own_counts import with_own_counts
from hopwatch_analysis.lanes.subscriptions import subscriptions
from hopwatch_analysis.lanes.told_by_gaps import with_gaps
from hopwatch_analysis.lanes.unknown_senders import unknown_receipts
from hopwatch_analysis.links.alive import with_alive_at
from hopwatch_analysis.links.clocks import clock_of
from hopwatch_analysis.links.cuts import with_cuts
from hopwatch_analysis.links.endings import endings as endings_of
from hopwatch_analysis.links.link_facts import link_facts
from hopwatch_analysis.links.links import links, matched_connections
from hopwatch_analysis.links.replaced import replaced
from hopwatch_analysis.links.ways import way_edges, ways
from hopwatch_analysis.sockets import nodes
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.buckets import Buckets, buckets_of


@dataclass(frozen=True)
class Scope:
    """What is looked at: ``ends_at`` is the newest moment known; a lane that moved within ``guard`` seconds of it is not closed.
    ``begins_at`` is where the timeline begins (none: it has no extent). ``compared`` are hosts whose clocks connections compare, by the
    name of one of them. Of ``unreadable_hosts`` a file could not be read. ``heard_until``: the newest time that each host told of.
    """

    ends_at: datetime
    guard: float
    since: datetime | None = None
    begins_at: datetime | None = None
    compared: Mapping[str, str] = field(default_factory=dict)
    unreadable_hosts: Collection[str] = ()
    heard_until: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def buckets(self) -> Buckets:
        """The window cut for the timeline."""
        return buckets_of(self.begins_at or self.since or self.ends_at, self.ends_at)


@dataclass(frozen=True)
class Topology:
    """Who sends what to whom, and along which hops. ``left_out``: streams that ended before the window (stream; none: there is no such
    window). Those of them that went into a proxy are among the others until it is known what became of all that the proxy counted, see
    ``of_window``. ``unknown``: what receivers got of senders that nobody tells of, which is in none of the
    others (see ``unknown_receipts``; none: nothing). ``unwatched``: sockets of which not all that became of their connections is told (socket), and ``unwatched_links`` of which it is not.
    """

    sockets: DataFrame
    streams: DataFrame
    receipts: DataFrame
    lanes: DataFrame
    links: DataFrame
    counters: DataFrame
    unstamped: DataFrame
    edges: DataFrame
    facts: DataFrame
    endings: DataFrame
    longest_way: int
    gaps: DataFrame
    mirrored: DataFrame
    unchecked: DataFrame | None
    filtered_otherwise: DataFrame
    replaced: DataFrame
    surplus: DataFrame | None
    left_out: DataFrame | None
    unknown: DataFrame | None
    unwatched: DataFrame
    unwatched_links: DataFrame

    def of_window(self) -> "Topology":
        """What is told of: without the streams that are left out. What receivers got of those stays among what they got."""
        return replace(
            self,
            streams=self.in_window(self.streams),
            lanes=self.in_window(self.lanes),
            edges=self.in_window(self.edges),
            endings=self.in_window(self.endings),
            unstamped=self.in_window(self.unstamped),
        )

    @property
    def stamped(self) -> DataFrame:
        """How many messages with stamps came to whom: stream, receiver, count."""
        known = self.receipts.select("stream", "receiver", "count")
        return known if self.unknown is None else known.unionByName(self.unknown.select(*known.columns))

    @property
    def known_by_stamps(self) -> DataFrame:
        """Who is known to get whose messages: from_socket, to_socket."""
        known = self.edges.select("from_socket", "to_socket")
        if self.unknown is None:
            return known
        theirs = self.unknown.select("stream", "receiver").distinct().toDF(*known.columns)
        return known.unionByName(theirs)

    def in_window(self, rows: DataFrame, stream: str = "stream") -> DataFrame:
        """The rows whose ``stream`` is not left out, or null."""
        if self.left_out is None:
            return rows
        return rows.join(
            sf.broadcast(self.left_out.withColumnRenamed("stream", stream)), on=stream, how="left_anti"
        )


def topology_of(tables: Tables, scope: Scope) -> Topology:
    """The sockets, streams and lanes that the tables tell of, and the ways of each stream."""
    sockets = settle(nodes.sockets(tables))
    mirrored = settle(matched_connections(tables, sockets))
    linked = settle(links(tables, sockets, mirrored))
    read = assigned(tables["lane"], tables["gap"], sockets, linked)
    sockets = settle(with_heard_until(read.sockets, scope.heard_until, scope.ends_at))
    unknown = unknown_receipts(read.lanes, read.gaps, sockets)
    of_unknown = unknown and unknown.select("stream", sf.col("receiver").alias("socket"))
    by_count = _counted(tables, _without(read.lanes, of_unknown), sockets, linked, of_unknown)
    gone = _gone_before(sockets, scope)
    lane_rows = _without(by_count.lanes, gone and _into_no_proxy(gone, linked, sockets))
    got = settle(with_gaps(receipts(lane_rows), read.gaps))
    counters = settle(nodes.latest_counters(tables))
    numbered = settle(with_own_counts(lanes(lane_rows, got), counters))
    streams = settle(numbered.select("stream").distinct())
    unnumbered = unchecked.unstamped_senders(counters, sockets, streams)
    senders = streams.unionByName(_without(unnumbered, gone))
    all_ways = settle(ways(settle(senders), linked, sockets, got))
    found = all_ways.join(streams, on="stream", how="left_semi")
    edges = settle(way_edges(found))
    otherwise = settle(_filtered_otherwise(edges, nodes.filtering_otherwise(tables)))
    facing = unchecked.facing(
        all_ways, sockets, tables["connection"], mirrored, subscriptions(tables["subscription"])
    )
    unstamped = _unstamped(senders.join(streams, on="stream", how="left_anti"), all_ways, by_count)
    untold = numbered.select("stream", "lane").join(otherwise, on="stream", how="inner")
    once = edges.select("from_socket", "to_socket", "transport", "mirrored").distinct()
    unwatched = settle(unwatched_sockets(tables, sockets))
    by_clock = sockets.withColumn("clock", clock_of(sf.col("host"), scope.compared)).transform(
        lambda frame: with_alive_at(frame, tables["connection"], numbered, got)
    )
    facts = settle(
        link_facts(tables, once, mirrored, unwatched).transform(lambda frame: with_cuts(frame, by_clock))
    )
    endings = settle(endings_of(edges, by_clock, facts))
    longest = found.agg(sf.max("length")).first()
    return Topology(
        sockets=sockets,
        streams=streams,
        receipts=got,
        lanes=numbered,
        links=linked,
        counters=counters,
        unstamped=settle(
            _with_reason(unstamped, otherwise).join(facing, on=["stream", "receiver"], how="left")
        ),
        surplus=by_count.surplus,
        edges=edges,
        facts=facts,
        endings=endings,
        longest_way=(longest and longest[0]) or 0,
        gaps=settle(read.gaps),
        mirrored=mirrored,
        unchecked=_either(
            _either(read.unchecked, by_count.uncounted), settle(untold.select("stream", "lane", "receiver"))
        ),
        filtered_otherwise=otherwise,
        replaced=settle(replaced(edges, linked, sockets)),
        left_out=gone,
        unknown=unknown,
        unwatched=unwatched,
        unwatched_links=settle(unwatched_links(once, facts, unwatched)),
    )


def _counted(
    tables: Tables, lane_rows: DataFrame, sockets: DataFrame, linked: DataFrame, of_unknown: DataFrame | None
) -> Counted:
    """Of receivers of unknown senders, sparse stamps may have taken what they counted."""
    leaving_out = nodes.leaving_out(tables, sockets)
    return counted(
        lane_rows,
        sockets,
        settle(reach(linked, sockets)),
        subscriptions=subscriptions(tables["subscription"]),
        leaving_out=leaving_out
        if of_unknown is None
        else leaving_out.unionByName(of_unknown.select("socket")),
    )


def _filtered_otherwise(edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """Ways on which subscriptions do not say what is sent: stream, receiver."""
    ends = [
        edges.select("stream", "receiver", sf.col(end).alias("socket"))
        for end in ("from_socket", "to_socket")
    ]
    return ends[0].unionByName(ends[1]).join(sockets, on="socket", how="left_semi").drop("socket").distinct()


def _with_reason(unstamped: DataFrame, filtered_otherwise: DataFrame) -> DataFrame:
    """Adds ``reason``: "unstamped", or "filtered" where that is why nothing can be checked."""
    others = unstamped.join(filtered_otherwise, on=["stream", "receiver"], how="left_anti")
    return others.withColumn("reason", sf.lit("unstamped")).unionByName(
        filtered_otherwise.withColumn("reason", sf.lit("filtered"))
    )


def _unstamped(senders: DataFrame, all_ways: DataFrame, by_count: Counted) -> DataFrame:
    """Ways along which nothing can be checked (receiver null: none known): stream, receiver."""
    found = senders.join(all_ways.select("stream", "receiver"), on="stream", how="left")
    if by_count.uncounted is None:
        return found
    return found.unionByName(by_count.uncounted.select("stream", "receiver").distinct())


def _either(one: DataFrame | None, other: DataFrame | None) -> DataFrame | None:
    if one is None or other is None:
        return other if one is None else one
    return one.unionByName(other)


def _gone_before(sockets: DataFrame, scope: Scope) -> DataFrame | None:
    if scope.since is None:
        return None
    ended = sockets.where(sf.col("ended_at") < sf.lit(scope.since))
    return settle(ended.select(sf.col("socket").alias("stream")))


def _into_no_proxy(streams: DataFrame, linked: DataFrame, sockets: DataFrame) -> DataFrame:
    """Those of the streams that no proxy has counted anything of: stream."""
    sides = sockets.where("proxy is not null").select(sf.col("socket").alias("to_socket"))
    into = linked.join(sf.broadcast(sides), on="to_socket", how="left_semi")
    return streams.join(into.select(sf.col("from_socket").alias("stream")), on="stream", how="left_anti")


def _without(rows: DataFrame, streams: DataFrame | None) -> DataFrame:
    return rows if streams is None else rows.join(streams, on="stream", how="left_anti")
