"""What each receiver was owed, and what of it did not come."""

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.heard import not_heard_of, with_untold, without_untold
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.lanes import missing_by_count
from hopwatch_analysis.lanes.lanes import send_samples, sent_by
from hopwatch_analysis.lanes.sparse_stamps import tails_at_onsets
from hopwatch_analysis.lanes.subscriptions import subscriptions
from hopwatch_analysis.losses import owed, takeovers
from hopwatch_analysis.losses.evidence import Evidence
from hopwatch_analysis.losses.handed_on import without_handed_on
from hopwatch_analysis.losses.joining import asked_when_connected
from hopwatch_analysis.losses.missing import missing, owed_ranges, unlocated
from hopwatch_analysis.losses.onsets import onsets
from hopwatch_analysis.losses.pauses import Pauses, pauses_of
from hopwatch_analysis.proxies import replaced
from hopwatch_analysis.proxies.frontends import counted_all, last_sends
from hopwatch_analysis.routers import unroutable
from hopwatch_analysis.routers.sole_owners import sole_owners
from hopwatch_analysis.routers.unreached import nobodys, numbered_by_routers, unreached_accounts
from hopwatch_analysis.sockets import nodes
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.ranges import coverage, without
from hopwatch_analysis.topology import Scope, Topology


@dataclass(frozen=True)
class Missing:
    """Ranges of numbers that receivers lack; ``unlocated``: those of which only a count is known.

    ``swallowed`` is what ROUTERs swallowed, and ``of_swallowed`` the ranges that are missing because of it; they are not among ``ranges``.
    ``unheard``: ranges that were sent since their receivers' hosts told of anything, which are among the unlocated, and not owed yet.
    ``unreached``: accounts of what ROUTERs sent to peers of which nothing tells (none: there was no such ROUTER).
    """

    evidence: Evidence
    ranges: DataFrame
    unlocated: DataFrame
    swallowed: DataFrame
    of_swallowed: DataFrame
    unheard: DataFrame
    unreached: DataFrame | None

    @property
    def sent_ranges(self) -> DataFrame:
        """What was sent for each receiver: stream, receiver, lane, first, last."""
        return _with_unheard(self.evidence.owed_ranges, self.unheard)


@dataclass(frozen=True)
class Routed:
    """The numbers that ROUTERs gave, and the lanes that nobody got anything of whose peer is known all the same."""

    numbered: DataFrame
    located: DataFrame


@dataclass(frozen=True)
class Due:
    """What is owed; numbers that are not, as gaps that were skipped; ranges that may have been sent since receivers' hosts told of anything;
    and pauses of subscriptions (none: there were none).
    """

    owed: DataFrame
    not_owed: DataFrame
    unheard: DataFrame
    pauses: Pauses | None


def missing_messages(tables: Tables, topology: Topology, scope: Scope) -> Missing:
    """What is missing of all that was owed, and the evidence that tells where it went."""
    told = settle(unroutable.swallowed_ranges(tables["unroutable"], tables["counters"]))
    routed = _routed(tables, topology, told)
    whole = _due(tables, topology, routed)
    not_owed, unheard = whole.not_owed, whole.unheard
    met = settle(onsets(tables["onset"], tables["lane"], topology.counters))
    tails = tails_at_onsets(whole.owed, met)
    due = settle(tails.owed)
    gaps = topology.gaps.unionByName(not_owed, allowMissingColumns=True).unionByName(
        tails.came_behind, allowMissingColumns=True
    )
    due_ranges = settle(owed_ranges(due, gaps))
    gone = missing(due, gaps)
    gone = settle(whole.pauses.told_apart(gone) if whole.pauses is not None else gone)
    unlocated_numbers = missing_by_count.with_cause(
        unlocated(due, gone, due_ranges), topology.edges, topology.sockets, scope.ends_at, scope.guard
    ).transform(lambda numbers: with_untold(numbers, unheard))
    of_swallowed = settle(unroutable.missing_because_swallowed(gone, told))
    if not of_swallowed.isEmpty():
        gone = settle(without(gone, of_swallowed, ("stream", "receiver", "lane")))
    untold = settle(_untold(tables, topology, told, (gone, unlocated_numbers)))
    unreached = None
    if routed is not None:
        left = nobodys(routed.numbered, _with_unheard(due_ranges, unheard), told)
        mandatory = nodes.with_option_set(tables, "router_mandatory")
        unreached = settle(unreached_accounts(left, told, untold, topology, mandatory=mandatory))
    evidence = _evidence(tables, topology, scope, due, due_ranges, met)
    swallowed = settle(told.unionByName(untold))
    return Missing(evidence, gone, unlocated_numbers, swallowed, of_swallowed, unheard, unreached)


def _with_unheard(owed_ranges: DataFrame, unheard: DataFrame) -> DataFrame:
    return owed_ranges.unionByName(unheard.select(*owed_ranges.columns))


def _routed(tables: Tables, topology: Topology, told: DataFrame) -> Routed | None:
    """None: no ROUTER stamped anything."""
    numbered = settle(numbered_by_routers(topology))
    if numbered.isEmpty():
        return None
    return Routed(numbered, settle(sole_owners(tables, topology, numbered, told)))


def _due(tables: Tables, topology: Topology, routed: Routed | None) -> Due:
    whole = _owed(tables, topology, routed)
    samples = send_samples(tables["lane"])
    pauses = pauses_of(tables["subscription"], whole, topology.lanes, sent_by(tables["lane"]))
    if pauses is not None:
        whole = settle(pauses.since_the_first(whole))
    unheard = settle(not_heard_of(whole, sent_by(tables["lane"]), topology.sockets, topology.lanes))
    due = settle(without_untold(whole, unheard, topology.sockets))
    not_owed = missing_by_count.before_joining(due, samples, topology.edges, topology.facts)
    if pauses is not None:
        not_owed = not_owed.unionByName(pauses.not_owed(topology.gaps))
    if routed is None:
        due = due.withColumn("contested", sf.lit(False))
        taken_over = unroutable.taken_over(due, topology.sockets)
        return Due(due, not_owed.unionByName(taken_over), unheard, pauses)
    due, in_turns_of_others = _in_turns(due, tables, topology, routed)
    others = in_turns_of_others.unionByName(unroutable.taken_over(due, topology.sockets))
    lane_of_socket = ("socket", "stream", "lane")
    once = coverage({"times": others}, lane_of_socket).select(
        *lane_of_socket, sf.lit("skipped").alias("action"), "first", "last"
    )
    return Due(due, not_owed.unionByName(once), unheard, pauses)


def _untold(
    tables: Tables, topology: Topology, swallowed: DataFrame, elsewhere: tuple[DataFrame, DataFrame]
) -> DataFrame:
    return unroutable.untold(
        swallowed,
        topology.counters,
        topology.sockets,
        elsewhere=elsewhere,
        mandatory=nodes.with_option_set(tables, "router_mandatory"),
    )


def _owed(tables: Tables, topology: Topology, routed: Routed | None) -> DataFrame:
    return settle(
        owed.owed(
            topology.endings,
            topology.lanes,
            topology.receipts,
            subscriptions=asked_when_connected(subscriptions(tables["subscription"]), tables["connection"]),
            sockets=topology.sockets,
            samples=sent_by(tables["lane"]),
            located=routed.located if routed is not None else None,
            unchecked=topology.unchecked,
        ).transform(lambda frame: without_handed_on(frame, topology.facts))
    )


def _in_turns(
    due: DataFrame, tables: Tables, topology: Topology, routed: Routed
) -> tuple[DataFrame, DataFrame]:
    """What is owed to those who had one routing id after each other, and the numbers that were not for them."""
    turns = settle(takeovers.turns(due, topology.gaps, topology.sockets))
    silent = takeovers.silent_successors(
        topology.endings,
        topology.receipts,
        topology.facts,
        nodes.with_option_set(tables, "router_handover"),
    )
    return (
        settle(takeovers.with_ends_of_turns(due, turns, silent, routed.located)),
        settle(takeovers.of_others(due, turns, topology.gaps, topology.sockets)),
    )


def _evidence(
    tables: Tables, topology: Topology, scope: Scope, due: DataFrame, due_ranges: DataFrame, met: DataFrame
) -> Evidence:
    handovers = replaced.handovers(
        topology.replaced, tables["connection"], topology.mirrored, send_samples(tables["lane"])
    )
    return Evidence(
        owed=due,
        owed_ranges=due_ranges,
        way_edges=topology.edges,
        lanes=topology.lanes,
        onsets=met,
        link_facts=topology.facts,
        links=topology.links,
        counters=topology.counters,
        streams=topology.streams,
        sockets=topology.sockets,
        counted_all=counted_all(
            topology.edges,
            last_sends(topology.lanes, topology.receipts),
            topology.sockets,
            topology.counters,
            compared=scope.compared,
            window_end=scope.ends_at,
        ),
        replaced=topology.replaced,
        handovers=settle(handovers),
        unwatched=topology.unwatched,
    )
