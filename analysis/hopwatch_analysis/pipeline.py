"""The algorithm: events → sockets, connections, lanes → hops → ledger → losses → incidents."""

from collections.abc import Callable
from datetime import datetime

from hopwatch_judge.socket_types import BALANCED_TYPES
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.causes import hangups, kernel_limits, unreceived
from hopwatch_analysis.causes.explained import Explained, explained
from hopwatch_analysis.causes.shared_out.shares import streams_shared_with
from hopwatch_analysis.doubts import completeness, unreadable
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.incidents import incidents, ledger, risks
from hopwatch_analysis.incidents.edge_figures import edge_figures
from hopwatch_analysis.incidents.meanwhile import meanwhile
from hopwatch_analysis.incidents.timeline import timeline
from hopwatch_analysis.incidents.unknown_peers import unknown_peers
from hopwatch_analysis.lanes import unchecked
from hopwatch_analysis.lanes.beyond import beyond_sent
from hopwatch_analysis.lanes.unknown_senders import unknown_senders
from hopwatch_analysis.links.unknown_ways import unknown_ways
from hopwatch_analysis.losses.due import Missing, missing_messages
from hopwatch_analysis.losses.place import place
from hopwatch_analysis.routers import unroutable
from hopwatch_analysis.spark.estimates import expect_no_fewer
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms import accounts as acc
from hopwatch_analysis.topology import Scope, Topology, topology_of


def find_losses(tables: Tables, scope: Scope, progress: Callable[[str], None]) -> dict[str, DataFrame]:
    """Result tables by name: hops, ledger, losses, incidents, lost_runs, meanwhile, findings, unchecked, agreed, shared_with_strangers, faults,
    contradictions, hosts_behind, lost_events, timeline.
    """
    progress("who is connected to whom")
    topology = topology_of(tables, scope)
    expect_no_fewer(topology.edges)
    progress("what each receiver was owed, and did not get")
    missing = missing_messages(tables, topology, scope)
    expect_no_fewer(missing.evidence.owed)
    progress("on which hop it was lost")
    pieces = settle(place(missing.ranges, missing.evidence, topology.longest_way))
    progress("why")
    why = explained(tables, topology, missing, pieces, scope)
    topology = topology.of_window()
    progress("the ledger")
    books = _books(tables, topology, missing, why, scope)
    checks = _checks(topology, missing, why, scope)
    return {
        **books,
        **_incidents(tables, topology, why),
        **checks,
        "findings": settle(
            _findings(
                tables,
                topology,
                missing,
                why,
                ledger_rows=books["ledger"],
                not_checked=checks["unchecked"],
                ends_at=scope.ends_at,
            )
        ),
        "shared_with_strangers": settle(streams_shared_with(why.strangers, topology.edges, topology.sockets)),
        "faults": completeness.faults(tables["fault"]),
        "contradictions": beyond_sent(topology.lanes, topology.receipts, missing.ranges),
        "hosts_behind": completeness.hosts_behind(topology.sockets, scope.ends_at),
        "lost_events": completeness.lost_events(tables["process"], tables["fault"]),
    }


def _books(
    tables: Tables, topology: Topology, missing: Missing, why: Explained, scope: Scope
) -> dict[str, DataFrame]:
    """The ledger, its sums by hop, and how they grew."""
    due = missing.evidence
    delivered = _delivered(topology, topology.in_window(due.owed), why.came)
    rows = settle(ledger.ledger(why.accounts, delivered, topology.sockets))
    totals = ledger.edge_totals(rows, why.accounts, missing.sent_ranges, topology.edges)
    hops = settle(ledger.hops(totals, topology.edges, topology.sockets))
    lost_on_hops = acc.by_hop(why.accounts)
    over_time = timeline(
        hops,
        lost_on_hops,
        topology.edges,
        facts=topology.facts,
        samples=tables["counters"],
        sockets=topology.sockets,
        buckets=scope.buckets,
    )
    return {"hops": hops, "ledger": rows, "losses": lost_on_hops, "timeline": settle(over_time)}


def _incidents(tables: Tables, topology: Topology, why: Explained) -> dict[str, DataFrame]:
    figures = edge_figures(topology, why.pressure)
    for seen in (kernel_limits.figures(why.kernel), hangups.figures(why.hung_up)):
        figures = figures.join(seen, on=["from_socket", "to_socket"], how="left")
    lost_runs = incidents.lost_runs(
        why.accounts, figures, topology.sockets, unroutable.peers(tables["unroutable"])
    )
    happened = settle(meanwhile(topology.edges, topology.facts, why.overloads, topology.sockets))
    return {
        "incidents": settle(incidents.incidents(lost_runs, happened)),
        "lost_runs": lost_runs,
        "meanwhile": happened,
    }


def _findings(
    tables: Tables,
    topology: Topology,
    missing: Missing,
    why: Explained,
    *,
    ledger_rows: DataFrame,
    not_checked: DataFrame,
    ends_at: datetime,
) -> DataFrame:
    of_peers = unknown_peers(
        tables, topology, missing, why.strangers, ledger=ledger_rows, not_checked=not_checked, ends_at=ends_at
    )
    found = (
        risks.findings(tables, topology.sockets, topology.links)
        .unionByName(unknown_ways(topology.edges, topology.sockets))
        .unionByName(of_peers)
    )
    if topology.unknown is not None:
        found = found.unionByName(unknown_senders(topology.unknown, topology.sockets))
    return topology.in_window(found, "socket")


def _checks(topology: Topology, missing: Missing, why: Explained, scope: Scope) -> dict[str, DataFrame]:
    """What cannot be checked, and what is known otherwise to agree."""
    types = topology.sockets.select(sf.col("socket").alias("stream"), "type", "name")
    receivers = topology.sockets.select(
        sf.col("socket").alias("receiver"), sf.col("name").alias("receiver_name")
    )
    rows = unchecked.unchecked(
        topology.unstamped.join(types.drop("name"), on="stream", how="left"),
        unchecked.partial(topology.endings, topology.lanes, missing.evidence.owed, topology.sockets),
        unreceived.published_to_nobody(why.to_nobody),
        counters=topology.counters,
        got=topology.stamped.join(topology.filtered_otherwise, on=["stream", "receiver"], how="left_anti"),
        swallowed=missing.swallowed,
    )
    if topology.surplus is not None:
        rows = rows.unionByName(unchecked.from_unknown(topology.surplus, topology.unstamped))
    told = unreadable.with_reason(rows, topology.sockets, scope.unreadable_hosts)
    named = told.join(types.drop("type"), on="stream", how="left").join(receivers, on="receiver", how="left")
    checks = settle(named)
    return {
        "unchecked": checks.where("not agree").drop("agree"),
        "agreed": checks.where("agree").drop("agree"),
    }


def _delivered(topology: Topology, due: DataFrame, came: DataFrame | None) -> DataFrame:
    """Messages that each receiver got of each stream, with those that ``came`` all the same; receivers that were owed none of it are left out."""
    shared_out = topology.sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(
        sf.col("socket").alias("stream")
    )
    got = topology.receipts.select("stream", "receiver", (sf.col("count") + sf.col("since")).alias("count"))
    of_shared_out = topology.endings.select("stream", "receiver").join(
        shared_out, on="stream", how="left_semi"
    )
    counts = due.select("stream", "receiver", "count").unionByName(
        of_shared_out.join(got, on=["stream", "receiver"], how="left")
    )
    return (
        (counts if came is None else counts.unionByName(came))
        .groupBy("stream", "receiver")
        .agg(sf.coalesce(sf.sum("count"), sf.lit(0)).alias("delivered"))
    )
