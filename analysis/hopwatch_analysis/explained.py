"""Why each missing message was lost: accounts of every receiver's losses, by hop and cause."""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis import accounts as acc
from hopwatch_analysis import (
    balanced,
    causes,
    facts,
    hangups,
    limits,
    losses,
    rates,
    shares,
    unreadable,
    unreceived,
    unroutable,
)
from hopwatch_analysis.due import Missing
from hopwatch_analysis.frames import settle
from hopwatch_analysis.frontends import arrivals
from hopwatch_analysis.onsets import onsets_of_edges, with_onset_between
from hopwatch_analysis.place import Evidence
from hopwatch_analysis.reading import Tables
from hopwatch_analysis.strangers import with_strangers
from hopwatch_analysis.topology import Scope, Topology


@dataclass(frozen=True)
class Explained:
    """Accounts of all that did not come, and what their causes were told by.

    ``pressure``: rates of the edges that something was lost on; ``kernel``: its readings of their connections; ``to_nobody``: what
    was sent with no receiver there.
    """

    accounts: DataFrame
    pressure: DataFrame
    kernel: DataFrame
    hung_up: DataFrame
    to_nobody: DataFrame


def explained(
    tables: Tables, topology: Topology, missing: Missing, pieces: DataFrame, scope: Scope
) -> Explained:
    """Accounts of ``pieces`` (missing ranges with their hops), and of all that is missing otherwise."""
    kernel = settle(limits.readings(tables, topology.mirrored))
    hung_up = settle(
        hangups.hang_ups(tables, topology.facts, topology.sockets, topology.mirrored, topology.links)
    )
    with_causes, pressure = _with_causes(tables, topology, pieces, missing.evidence, (kernel, hung_up), scope)
    to_nobody = settle(
        unreceived.unreceived(
            tables, topology.streams, topology.edges, sockets=topology.sockets, lanes=topology.lanes
        )
    )
    accounts = (
        acc.range_accounts(pieces, with_causes)
        .unionByName(acc.unlocated_accounts(missing.unlocated, topology.edges))
        .unionByName(_shared_out(tables, topology, missing.evidence, hung_up, scope))
        .unionByName(unreceived.unreceived_accounts(to_nobody))
        .unionByName(unroutable.swallowed_accounts(missing.of_swallowed, missing.swallowed, topology.edges))
    )
    doubted = unreadable.without_causes(accounts, topology.sockets, topology.edges, scope.unreadable_hosts)
    return Explained(settle(doubted), pressure, kernel, hung_up, to_nobody)


def _with_causes(
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
    pressure = settle(rates.pressure(tables, by_hop, topology.streams, topology.sockets, topology.lanes))
    with_causes = (
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
    with_causes = settle(with_causes)
    sent_on = causes.sent_on(with_causes)
    return with_causes, pressure.join(sent_on, on=["stream", "from_socket", "to_socket"], how="left")


def _shared_out(
    tables: Tables, topology: Topology, evidence: Evidence, hung_up: DataFrame, scope: Scope
) -> DataFrame:
    frames_in = arrivals(evidence.counters, topology.links, topology.streams, evidence.counted_all)
    shared = shares.shares(
        topology.endings,
        topology.edges,
        lanes=topology.lanes,
        receipts=topology.receipts,
        sockets=topology.sockets,
        link_facts=topology.facts,
        hang_ups=hung_up,
        strangers=_strangers(tables, topology),
    )
    return balanced.balanced_accounts(shared, frames_in, topology.edges, scope.ends_at, scope.guard)


def _strangers(tables: Tables, topology: Topology) -> DataFrame:
    by_stamps = topology.edges.select("from_socket", "to_socket", sf.lit(False).alias("mirrored")).join(
        topology.links, on=["from_socket", "to_socket"], how="left_anti"
    )
    links = topology.links.select("from_socket", "to_socket", "mirrored").unionByName(by_stamps.distinct())
    return with_strangers(tables["connection"], topology.mirrored, links, tables["endpoint"])
