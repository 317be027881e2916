"""What each receiver was owed, and what of it did not come."""

from dataclasses import dataclass

from pyspark.sql import DataFrame

from hopwatch_analysis import by_count, nodes, owed, replaced, unroutable
from hopwatch_analysis.frames import settle
from hopwatch_analysis.frontends import counted_all
from hopwatch_analysis.lanes import send_samples, sent_by
from hopwatch_analysis.missing import missing, owed_ranges, unlocated
from hopwatch_analysis.onsets import onsets
from hopwatch_analysis.place import Evidence
from hopwatch_analysis.ranges import without
from hopwatch_analysis.reading import Tables
from hopwatch_analysis.topology import Scope, Topology


@dataclass(frozen=True)
class Missing:
    """Ranges of numbers that receivers lack; ``unlocated``: those of which only a count is known.

    ``swallowed`` is what ROUTERs swallowed, and ``of_swallowed`` the ranges that are missing because of it; they are not among ``ranges``.
    """

    evidence: Evidence
    ranges: DataFrame
    unlocated: DataFrame
    swallowed: DataFrame
    of_swallowed: DataFrame


def missing_messages(tables: Tables, topology: Topology, scope: Scope) -> Missing:
    """What is missing of all that was owed, and the evidence that tells where it went."""
    due = _owed(tables, topology)
    samples = send_samples(tables["lane"])
    not_owed = unroutable.taken_over(due, topology.sockets).unionByName(
        by_count.before_joining(due, samples, topology.edges, topology.facts)
    )
    gaps = topology.gaps.unionByName(not_owed, allowMissingColumns=True)
    due_ranges = settle(owed_ranges(due, gaps))
    gone = settle(missing(due, gaps))
    unlocated_numbers = by_count.with_cause(
        unlocated(due, gone, due_ranges), topology.edges, topology.sockets, scope.ends_at, scope.guard
    )
    swallowed = settle(_swallowed(tables, topology))
    of_swallowed = settle(unroutable.missing_because_swallowed(gone, swallowed))
    if not of_swallowed.isEmpty():
        gone = settle(without(gone, of_swallowed, ("stream", "receiver", "lane")))
    swallowed = settle(swallowed.unionByName(_untold(tables, topology, swallowed, (gone, unlocated_numbers))))
    evidence = _evidence(tables, topology, scope, due, due_ranges)
    return Missing(evidence, gone, unlocated_numbers, swallowed, of_swallowed)


def _swallowed(tables: Tables, topology: Topology) -> DataFrame:
    """What ROUTERs told of, but those that ended before the window."""
    told = unroutable.swallowed_ranges(tables["unroutable"])
    return told.join(topology.left_out, on="stream", how="left_anti")


def _untold(
    tables: Tables, topology: Topology, swallowed: DataFrame, elsewhere: tuple[DataFrame, DataFrame]
) -> DataFrame:
    rest = unroutable.untold(
        swallowed,
        topology.counters,
        topology.sockets,
        elsewhere=elsewhere,
        mandatory=nodes.with_option_set(tables, "router_mandatory"),
    )
    return rest.join(topology.left_out, on="stream", how="left_anti")


def _owed(tables: Tables, topology: Topology) -> DataFrame:
    return settle(
        owed.owed(
            topology.endings,
            topology.lanes,
            topology.receipts,
            subscriptions=owed.subscriptions(tables["subscription"]),
            sockets=topology.sockets,
            samples=sent_by(tables["lane"]),
            unchecked=topology.unchecked,
        )
    )


def _evidence(
    tables: Tables, topology: Topology, scope: Scope, due: DataFrame, due_ranges: DataFrame
) -> Evidence:
    handovers = replaced.handovers(
        topology.replaced, tables["connection"], topology.mirrored, send_samples(tables["lane"])
    )
    return Evidence(
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
        counted_all=counted_all(
            topology.edges, topology.lanes, topology.sockets, topology.counters, scope.ends_at
        ),
        replaced=topology.replaced,
        handovers=settle(handovers),
    )
