"""Why each missing message was lost: accounts of every receiver's losses, by hop and cause."""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.causes import facts, hangups, kernel_limits, rules, unreceived
from hopwatch_analysis.causes.shared_out import balanced, shares
from hopwatch_analysis.doubts import faulty, lost_events, read_past_us, unreadable
from hopwatch_analysis.doubts.heard_of_shares import lanes_without, shared_out_untold, untold_accounts
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.lanes.lanes import sent_by
from hopwatch_analysis.links.local_strangers import bound_within_a_process, with_local_strangers
from hopwatch_analysis.links.strangers import with_strangers, with_unknown_ways, wrapped_late
from hopwatch_analysis.links.unknown_downs import unknown_downs
from hopwatch_analysis.losses.by_hop import by_hop, cut_at_onset
from hopwatch_analysis.losses.due import Missing
from hopwatch_analysis.losses.evidence import Evidence
from hopwatch_analysis.losses.onsets import in_sparse_gaps, onsets_of_edges, with_onset_between
from hopwatch_analysis.losses.times_by_samples import with_times_by_samples
from hopwatch_analysis.overload.pressure import pressure
from hopwatch_analysis.overload.sending_times import with_lost_between
from hopwatch_analysis.overload.stretches import STRETCH, with_stretches
from hopwatch_analysis.overload.unbroken import with_unbroken
from hopwatch_analysis.proxies.frontends import arrivals
from hopwatch_analysis.routers import unroutable
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms import accounts as acc
from hopwatch_analysis.topology import Scope, Topology


@dataclass(frozen=True)
class Explained:
    """Accounts of all that did not come of the streams of the window, and what their causes were told by.

    ``came``: what receivers got all the same, though their lanes do not tell of it (stream, receiver, count; none: nothing).
    ``pressure``: rates of the edges that something was lost on; ``overloads``: when their receivers could not keep up; ``kernel``: its readings of their connections; ``to_nobody``: what
    was sent with no receiver there; ``strangers``: sockets with a peer that nobody tells of (socket, counted).
    """

    accounts: DataFrame
    pressure: DataFrame
    overloads: DataFrame
    kernel: DataFrame
    hung_up: DataFrame
    to_nobody: DataFrame
    strangers: DataFrame
    came: DataFrame | None


def explained(
    tables: Tables, topology: Topology, missing: Missing, pieces: DataFrame, scope: Scope
) -> Explained:
    """Accounts of ``pieces`` (missing ranges with their hops), and of all that is missing otherwise."""
    kernel = settle(kernel_limits.readings(tables, topology.mirrored))
    hung_up = settle(hangups.hang_ups(tables, topology))
    strangers = settle(_strangers(tables, topology))
    seen = (kernel, hung_up, strangers)
    with_causes, of_edges, overloads = _with_causes(tables, topology, pieces, missing.evidence, seen, scope)
    to_nobody = settle(
        unreceived.unreceived(
            tables,
            topology.streams,
            topology.edges,
            sockets=topology.sockets,
            lanes=topology.lanes,
            unwatched=topology.unwatched,
        )
    )
    accounts = (
        acc.range_accounts(pieces, with_causes)
        .unionByName(acc.unlocated_accounts(missing.unlocated, topology.edges))
        .unionByName(_shared_out(tables, topology, missing.evidence, seen, scope))
        .unionByName(unreceived.unreceived_accounts(to_nobody))
        .unionByName(unroutable.swallowed_accounts(missing.of_swallowed, missing.swallowed, topology.edges))
    )
    if missing.unreached is not None:
        accounts = accounts.unionByName(missing.unreached)
    doubted, came = _doubted(tables, topology, topology.in_window(accounts), scope)
    of_nobody = topology.in_window(to_nobody)
    return Explained(settle(doubted), of_edges, overloads, kernel, hung_up, of_nobody, strangers, came)


def _doubted(
    tables: Tables, topology: Topology, accounts: DataFrame, scope: Scope
) -> tuple[DataFrame, DataFrame | None]:
    """The accounts, no surer than what they rest on; and what came all the same, which is not among them."""
    sockets, edges = topology.sockets, topology.edges
    doubted = unreadable.without_causes(accounts, sockets, edges, scope.unreadable_hosts)
    losing = settle(lost_events.losing_processes(tables["process"]))
    if not losing.isEmpty():
        theirs = settle(lost_events.their_sockets(losing, sockets, tables["lane"]))
        doubted = lost_events.with_none_exact(doubted, edges, theirs)
    past_us = settle(read_past_us.sockets_read_past_us(tables["finding"]))
    if not past_us.isEmpty():
        doubted = settle(read_past_us.without_causes(doubted, sockets, edges, past_us))
    with_fault = settle(faulty.faulty_sockets(tables["fault"]))
    if with_fault.isEmpty():
        return doubted, None
    doubted = settle(faulty.without_causes(doubted, sockets, edges, with_fault))
    came = settle(faulty.came_all_the_same(doubted, with_fault, topology.receipts, topology.counters))
    return doubted.join(came, on=["stream", "receiver"], how="left_anti"), came


def _with_causes(
    tables: Tables,
    topology: Topology,
    pieces: DataFrame,
    evidence: Evidence,
    seen: tuple[DataFrame, DataFrame, DataFrame],
    scope: Scope,
) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Losses by hop with their causes, the rates of the edges they were lost on, and overloads of their receivers. ``seen``: the kernel's readings, who hung up, and who has
    strangers for peers.
    """
    kernel, hung_up, strangers = seen
    samples = sent_by(tables["lane"])
    lost = settle(
        by_hop(pieces, evidence.owed)
        .transform(lambda frame: cut_at_onset(frame, evidence.onsets, topology.sockets, strangers))
        .transform(lambda frame: with_times_by_samples(frame, topology.lanes, samples, evidence.onsets))
        .transform(settle)
        .transform(lambda frame: with_unbroken(frame, evidence.onsets, topology.lanes, topology.facts))
        .transform(lambda frame: with_lost_between(frame, topology.lanes, tables["lane"], topology.sockets))
        .transform(with_stretches)
    )
    found = pressure(tables, lost, topology, evidence.owed)
    of_edges = settle(found.edges)
    met = onsets_of_edges(evidence.onsets, lost, lost)
    known = settle(
        with_onset_between(lost, met.unionByName(in_sparse_gaps(evidence.onsets, lost)).distinct())
        .transform(
            lambda frame: facts.with_facts(
                frame,
                topology.sockets,
                topology.links,
                topology.facts,
                lanes=topology.lanes,
                hang_ups=hangups.by_edge(hung_up),
                unwatched_links=topology.unwatched_links,
                unknown_downs=unknown_downs(tables["connection"], topology.mirrored, topology.edges),
            )
        )
        .join(sf.broadcast(of_edges), on=["stream", "from_socket", "to_socket"], how="left")
        .join(sf.broadcast(found.overloads.select(*STRETCH, "clearly")), on=list(STRETCH), how="left")
        .transform(lambda frame: kernel_limits.with_limit(frame, kernel))
    )
    with_causes = settle(rules.with_cause(known, scope.ends_at, scope.guard).transform(rules.with_times))
    sent_on = rules.sent_on(with_causes)
    of_edges = of_edges.join(sent_on, on=["stream", "from_socket", "to_socket"], how="left")
    return with_causes, of_edges, found.overloads


def _shared_out(
    tables: Tables,
    topology: Topology,
    evidence: Evidence,
    seen: tuple[DataFrame, DataFrame, DataFrame],
    scope: Scope,
) -> DataFrame:
    _, hung_up, strangers = seen
    frames_in = arrivals(evidence.counters, topology.links, topology.streams, evidence.counted_all)
    untold = settle(
        shared_out_untold(
            topology.endings,
            topology.lanes,
            topology.receipts,
            samples=sent_by(tables["lane"]),
            sockets=topology.sockets,
        )
    )
    shared = shares.shares(
        topology.endings,
        topology.edges,
        lanes=lanes_without(topology.lanes, untold),
        receipts=topology.receipts,
        gaps=topology.gaps,
        sockets=topology.sockets,
        link_facts=topology.facts,
        connections=tables["connection"],
        hang_ups=hangups.by_edge(hung_up),
        strangers=strangers,
        unwatched_links=topology.unwatched_links,
    )
    untold_of = untold_accounts(untold, topology.edges)
    lacking = settle(shared.where("missing > 0"))
    if lacking.isEmpty():
        return untold_of
    told = balanced.balanced_accounts(
        lacking, frames_in, topology.edges, strangers, window_end=scope.ends_at, guard=scope.guard
    )
    return told.unionByName(untold_of)


def _strangers(tables: Tables, topology: Topology) -> DataFrame:
    """Sockets with a peer that nobody tells of (socket), and those of which it is not known (``counted`` false)."""
    connections, endpoints = tables["connection"], tables["endpoint"]
    links = with_unknown_ways(topology.links, topology.known_by_stamps)
    over_tcp = with_strangers(connections, topology.mirrored, links, wrapped_late(endpoints)).select("socket")
    found = over_tcp.unionByName(with_local_strangers(connections, links, endpoints, topology.sockets))
    uncounted = bound_within_a_process(endpoints)
    return found.withColumn("counted", sf.lit(True)).unionByName(
        uncounted.withColumn("counted", sf.lit(False))
    )
