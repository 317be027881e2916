"""The algorithm: events → sockets, connections, lanes → hops → ledger → losses → incidents."""

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis import accounts as acc
from hopwatch_analysis import (
    balanced,
    by_count,
    causes,
    completeness,
    facts,
    hangups,
    incidents,
    ledger,
    limits,
    losses,
    nodes,
    owed,
    rates,
    replaced,
    risks,
    unchecked,
    unreadable,
    unreceived,
    unroutable,
)
from hopwatch_analysis.frames import settle
from hopwatch_analysis.frontends import arrivals, counted_all
from hopwatch_analysis.lanes import send_samples
from hopwatch_analysis.missing import missing, owed_ranges, unlocated
from hopwatch_analysis.onsets import onsets, onsets_of_edges, with_onset_between
from hopwatch_analysis.place import Evidence, place
from hopwatch_analysis.ranges import without
from hopwatch_analysis.reading import Tables
from hopwatch_analysis.timeline import timeline
from hopwatch_analysis.topology import Scope, Topology, topology_of
from hopwatch_analysis.unwrapped import unwrapped_receivers


def find_losses(tables: Tables, scope: Scope, progress: Callable[[str], None]) -> dict[str, DataFrame]:
    """Result tables by name: hops, ledger, losses, incidents, lost_runs, findings, unchecked, agreed, faults, lost_events,
    timeline.
    """
    progress("who is connected to whom")
    topology = topology_of(tables, scope)
    progress("what each receiver was owed, and did not get")
    evidence, gone, unlocated_numbers = _owed_and_missing(tables, topology, scope)
    progress("on which hop it was lost")
    swallowed = settle(unroutable.swallowed_ranges(tables["unroutable"]))
    found_swallowed = settle(unroutable.missing_because_swallowed(gone, swallowed))
    rest = gone
    if not found_swallowed.isEmpty():
        rest = settle(without(gone, found_swallowed, ("stream", "receiver", "lane")))
    pieces = settle(place(rest, evidence, topology.longest_way))
    progress("why")
    kernel = settle(limits.readings(tables, topology.mirrored))
    hung_up = settle(
        hangups.hang_ups(tables, topology.facts, topology.sockets, topology.mirrored, topology.links)
    )
    explained, pressure = _explained(tables, topology, pieces, evidence, (kernel, hung_up), scope)
    to_nobody = settle(
        unreceived.unreceived(
            tables, topology.streams, topology.edges, sockets=topology.sockets, lanes=topology.lanes
        )
    )
    accounts = settle(
        acc.range_accounts(pieces, explained)
        .unionByName(acc.unlocated_accounts(unlocated_numbers, topology.edges))
        .unionByName(_shared_out(topology, evidence, hung_up, scope))
        .unionByName(unreceived.unreceived_accounts(to_nobody))
        .unionByName(unroutable.swallowed_accounts(found_swallowed, swallowed, topology.edges))
        .transform(
            lambda frame: unreadable.without_causes(
                frame, topology.sockets, topology.edges, scope.unreadable_hosts
            )
        )
    )
    progress("the ledger")
    rows = settle(ledger.ledger(accounts, _delivered(topology, evidence.owed), topology.sockets))
    totals = ledger.edge_totals(rows, accounts, evidence.owed_ranges, topology.edges)
    checks = settle(_unchecked(topology, evidence, to_nobody, swallowed))
    figures = incidents.edge_figures(
        topology.edges,
        topology.sockets,
        topology.facts,
        pressure=pressure,
        endings=topology.endings,
        replaced=topology.replaced,
    )
    for seen in (limits.figures(kernel), hung_up):
        figures = figures.join(seen, on=["from_socket", "to_socket"], how="left")
    hops = settle(ledger.hops(totals, topology.edges, topology.sockets))
    lost_on_hops = acc.by_hop(accounts)
    lost_runs = incidents.lost_runs(
        accounts, figures, topology.sockets, unroutable.peers(tables["unroutable"])
    )
    return {
        "hops": hops,
        "ledger": rows,
        "losses": lost_on_hops,
        "incidents": settle(incidents.incidents(lost_runs)),
        "lost_runs": lost_runs,
        "findings": settle(
            risks.findings(tables, topology.sockets, topology.links).unionByName(
                unwrapped_receivers(
                    tables["connection"],
                    topology.mirrored,
                    topology.sockets,
                    links=topology.links,
                    way_edges=topology.edges,
                )
            )
        ),
        "faults": completeness.faults(tables["fault"]),
        "lost_events": completeness.lost_events(tables["process"], tables["fault"]),
        "unchecked": checks.where("not agree").drop("agree"),
        "agreed": checks.where("agree").drop("agree"),
        "timeline": settle(
            timeline(
                hops,
                lost_on_hops,
                topology.edges,
                facts=topology.facts,
                samples=tables["counters"],
                sockets=topology.sockets,
                buckets=scope.buckets,
            )
        ),
    }


def _owed_and_missing(
    tables: Tables, topology: Topology, scope: Scope
) -> tuple[Evidence, DataFrame, DataFrame]:
    due = settle(
        owed.owed(
            topology.endings,
            topology.lanes,
            topology.receipts,
            subscriptions=owed.subscriptions(tables["subscription"]),
            sockets=topology.sockets,
            samples=send_samples(tables["lane"]),
            unchecked=topology.unchecked,
        )
    )
    not_owed = unroutable.taken_over(due, topology.sockets).unionByName(
        by_count.before_joining(due, send_samples(tables["lane"]), topology.edges, topology.facts)
    )
    gaps = topology.gaps.unionByName(not_owed, allowMissingColumns=True)
    due_ranges = settle(owed_ranges(due, gaps))
    gone = settle(missing(due, gaps))
    evidence = Evidence(
        owed=due,
        owed_ranges=due_ranges,
        way_edges=topology.edges,
        lanes=topology.lanes,
        onsets=settle(onsets(tables["onset"], tables["lane"], topology.counters)),
        link_facts=topology.facts,
        links=topology.links,
        counters=topology.counters,
        streams=topology.streams,
        sockets=topology.sockets,
        counted_all=counted_all(topology.edges, topology.lanes, topology.sockets, scope.ends_at),
        replaced=topology.replaced,
        handovers=settle(
            replaced.handovers(
                topology.replaced, tables["connection"], topology.mirrored, send_samples(tables["lane"])
            )
        ),
    )
    unlocated_numbers = by_count.with_cause(
        unlocated(due, gone, due_ranges), topology.edges, topology.sockets, scope.ends_at, scope.guard
    )
    return evidence, gone, unlocated_numbers


def _explained(
    tables: Tables,
    topology: Topology,
    pieces: DataFrame,
    evidence: Evidence,
    seen: tuple[DataFrame, DataFrame],
    scope: Scope,
) -> tuple[DataFrame, DataFrame]:
    """Losses by hop with their causes, and the rates of the edges they were lost on. ``seen``: the kernel's readings, and who hung up."""
    kernel, hung_up = seen
    by_hop = settle(
        losses.by_hop(pieces, evidence.owed).transform(
            lambda frame: losses.cut_at_onset(frame, evidence.onsets)
        )
    )
    pressure = settle(rates.pressure(tables, by_hop, topology.streams, topology.sockets))
    explained = (
        with_onset_between(by_hop, onsets_of_edges(evidence.onsets, by_hop, by_hop))
        .transform(
            lambda frame: facts.with_facts(
                frame,
                topology.sockets,
                topology.links,
                topology.facts,
                lanes=topology.lanes,
                hang_ups=hung_up,
            )
        )
        .join(sf.broadcast(pressure), on=["stream", "from_socket", "to_socket"], how="left")
        .transform(lambda frame: limits.with_limit(frame, kernel))
        .transform(lambda frame: causes.with_cause(frame, scope.ends_at, scope.guard))
        .transform(causes.with_times)
    )
    explained = settle(explained)
    sent_on = causes.sent_on(explained)
    return explained, pressure.join(sent_on, on=["stream", "from_socket", "to_socket"], how="left")


def _shared_out(topology: Topology, evidence: Evidence, hung_up: DataFrame, scope: Scope) -> DataFrame:
    frames_in = arrivals(evidence.counters, topology.links, topology.streams, evidence.counted_all)
    shares = balanced.shares(
        topology.endings,
        topology.edges,
        lanes=topology.lanes,
        receipts=topology.receipts,
        sockets=topology.sockets,
        link_facts=topology.facts,
        hang_ups=hung_up,
    )
    return balanced.balanced_accounts(shares, frames_in, topology.edges, scope.ends_at, scope.guard)


def _unchecked(
    topology: Topology, evidence: Evidence, to_nobody: DataFrame, swallowed: DataFrame
) -> DataFrame:
    types = topology.sockets.select(sf.col("socket").alias("stream"), "type", "name")
    receivers = topology.sockets.select(
        sf.col("socket").alias("receiver"), sf.col("name").alias("receiver_name")
    )
    rows = unchecked.unchecked(
        topology.unstamped.join(types.drop("name"), on="stream", how="left"),
        unchecked.partial(topology.endings, topology.lanes, evidence.owed, topology.sockets),
        unreceived.published_to_nobody(to_nobody),
        counters=topology.counters,
        got=topology.receipts.join(topology.filtered_otherwise, on=["stream", "receiver"], how="left_anti"),
        swallowed=swallowed,
    )
    if topology.surplus is not None:
        rows = rows.unionByName(unchecked.from_unknown(topology.surplus, topology.unstamped))
    return rows.join(types.drop("type"), on="stream", how="left").join(receivers, on="receiver", how="left")


def _delivered(topology: Topology, due: DataFrame) -> DataFrame:
    """Messages that each receiver got of each stream; receivers that were owed none of it are left out."""
    shared_out = topology.sockets.where(sf.col("type").isin(*nodes.BALANCED_TYPES)).select(
        sf.col("socket").alias("stream")
    )
    got = topology.receipts.select("stream", "receiver", (sf.col("count") + sf.col("since")).alias("count"))
    of_shared_out = topology.endings.select("stream", "receiver").join(
        shared_out, on="stream", how="left_semi"
    )
    balanced_counts = of_shared_out.join(got, on=["stream", "receiver"], how="left")
    return (
        due.select("stream", "receiver", "count")
        .unionByName(balanced_counts)
        .groupBy("stream", "receiver")
        .agg(sf.coalesce(sf.sum("count"), sf.lit(0)).alias("delivered"))
    )
