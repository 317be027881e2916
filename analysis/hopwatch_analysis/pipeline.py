"""The algorithm: events → sockets, connections, lanes → cases → what the judge says of each → ledger, hops, incidents."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.cases.judged import Judged, judged
from hopwatch_analysis.doubts import completeness, unreadable
from hopwatch_analysis.files.contradictions import BEYOND_SENT
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.incidents import incidents, ledger, risks
from hopwatch_analysis.incidents.edge_figures import edge_figures
from hopwatch_analysis.incidents.meanwhile import meanwhile
from hopwatch_analysis.incidents.timeline import timeline
from hopwatch_analysis.incidents.unknown_peers import unknown_peers
from hopwatch_analysis.lanes import unchecked
from hopwatch_analysis.lanes.subscriptions import subscriptions
from hopwatch_analysis.lanes.unknown_senders import unknown_senders
from hopwatch_analysis.links.strangers import streams_shared_with
from hopwatch_analysis.links.unknown_ways import unknown_ways
from hopwatch_analysis.seen import hang_ups, kernel, swallowed, unreceived
from hopwatch_analysis.seen.seen import Seen, seen
from hopwatch_analysis.spark.estimates import expect_no_fewer
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms import accounts as acc
from hopwatch_analysis.topology import Scope, Topology, topology_of


@dataclass(frozen=True)
class Found:
    """What the steps hand on: who sends what to whom, what is seen beside the lanes, and what the judge says."""

    tables: Tables
    topology: Topology
    seen: Seen
    judged: Judged
    scope: Scope


def find_losses(tables: Tables, scope: Scope, progress: Callable[[str], None]) -> dict[str, DataFrame]:
    """Result tables by name: hops, ledger, losses, incidents, lost_runs, meanwhile, findings, unchecked, agreed, shared_with_strangers, faults,
    contradictions, hosts_behind, lost_events, timeline.
    """
    progress("who is connected to whom")
    topology = topology_of(tables, scope)
    expect_no_fewer(topology.edges)
    beside = seen(tables, topology)
    progress("what each receiver did not get, on which hop, and why")
    told = judged(tables, topology, beside, scope)
    found = Found(tables, topology.of_window(), beside, told, scope)
    progress("the ledger")
    books = _books(found)
    checks = _checks(found)
    return {
        **books,
        **_incidents(found),
        **checks,
        "findings": settle(_findings(found, books["ledger"], checks["unchecked"], scope.ends_at)),
        "shared_with_strangers": settle(
            streams_shared_with(beside.strangers, found.topology.edges, topology.sockets)
        ),
        "faults": completeness.faults(tables["fault"]),
        "contradictions": _contradictions(told.beyond_sent),
        "hosts_behind": completeness.hosts_behind(topology.sockets, scope.ends_at),
        "lost_events": completeness.lost_events(tables["process"], tables["fault"]),
    }


def _books(found: Found) -> dict[str, DataFrame]:
    """The ledger, its sums by hop, and how they grew."""
    topology, told = found.topology, found.judged
    rows = settle(ledger.ledger(told.accounts, told.delivered, topology.sockets))
    hops = settle(ledger.hops(told.passed, topology.edges, topology.sockets))
    lost_on_hops = acc.by_hop(told.accounts)
    over_time = timeline(
        hops,
        lost_on_hops,
        topology.edges,
        facts=topology.facts,
        samples=found.tables["counters"],
        sockets=topology.sockets,
        buckets=found.scope.buckets,
    )
    return {"hops": hops, "ledger": rows, "losses": lost_on_hops, "timeline": settle(over_time)}


def _incidents(found: Found) -> dict[str, DataFrame]:
    topology = found.topology
    figures = edge_figures(topology, found.judged.pressure)
    for beside in (kernel.figures(found.seen.kernel), hang_ups.figures(found.seen.hang_ups)):
        figures = figures.join(beside, on=["from_socket", "to_socket"], how="left")
    peers = swallowed.peers(found.tables["unroutable"])
    lost_runs = incidents.lost_runs(found.judged.accounts, figures, topology.sockets, peers)
    happened = settle(meanwhile(topology.edges, topology.facts, found.judged.overloads, topology.sockets))
    return {
        "incidents": settle(incidents.incidents(lost_runs, happened)),
        "lost_runs": lost_runs,
        "meanwhile": happened,
    }


def _findings(found: Found, ledger_rows: DataFrame, not_checked: DataFrame, ends_at: datetime) -> DataFrame:
    tables, topology = found.tables, found.topology
    of_peers = unknown_peers(
        tables,
        topology,
        found.judged.unknown_full,
        found.seen.strangers,
        ledger=ledger_rows,
        not_checked=not_checked,
        ends_at=ends_at,
    )
    told = (
        risks.findings(tables, topology.sockets, topology.links)
        .unionByName(unknown_ways(topology.edges, topology.sockets))
        .unionByName(of_peers)
    )
    if topology.unknown is not None:
        told = told.unionByName(unknown_senders(topology.unknown, topology.sockets))
    return topology.in_window(told, "socket")


def _checks(found: Found) -> dict[str, DataFrame]:
    """What cannot be checked, and what is known otherwise to agree."""
    topology, tables = found.topology, found.tables
    types = topology.sockets.select(sf.col("socket").alias("stream"), "type", "name")
    receivers = topology.sockets.select(
        sf.col("socket").alias("receiver"), sf.col("name").alias("receiver_name")
    )
    rows = unchecked.unchecked(
        topology.unstamped.join(types.drop("name"), on="stream", how="left"),
        unchecked.partial(
            topology.endings,
            topology.lanes,
            topology.receipts,
            topology.sockets,
            subscriptions(tables["subscription"]),
        ),
        topology.in_window(unreceived.published_to_nobody(found.seen.to_nobody)),
        counters=topology.counters,
        got=topology.stamped.join(topology.filtered_otherwise, on=["stream", "receiver"], how="left_anti"),
        swallowed=found.judged.swallowed,
    )
    if topology.surplus is not None:
        rows = rows.unionByName(unchecked.from_unknown(topology.surplus, topology.unstamped))
    told = unreadable.with_reason(rows, topology.sockets, found.scope.unreadable_hosts)
    named = told.join(types.drop("type"), on="stream", how="left").join(receivers, on="receiver", how="left")
    checks = settle(named)
    return {
        "unchecked": checks.where("not agree").drop("agree"),
        "agreed": checks.where("agree").drop("agree"),
    }


def _contradictions(beyond_sent: DataFrame) -> DataFrame:
    """One row, or none: lanes of which a receiver has more than its sender's last word says was sent, or has and lacks more."""
    count = sf.col("came").alias("count")
    example = sf.to_json(sf.struct("stream", "lane", "receiver", "sent_at_last", count, "lacking", "next"))
    return (
        beyond_sent.agg(sf.count("*").alias("rows"), sf.min(example).alias("example"))
        .where("rows > 0")
        .select(sf.lit(BEYOND_SENT).alias("rule"), "rows", "example")
    )
