"""Whether a receiver whose pipe was full is too slow, or only met bursts longer than its pipe."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from hopwatch_judge.events import Gap
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import exceeds, first_of, highest, later_by, reaches
from hopwatch_judge.overload.lost import LostOnEdge, together
from hopwatch_judge.overload.reading import Rate, Wait, rates_of, samples_of, waits_of
from hopwatch_judge.overload.recovered import (
    Watch,
    WayKey,
    fresh_samples,
    got_since_gaps,
    idle_moments,
    read_behind,
    sooner_than_full,
    ways_over,
    went_on,
)
from hopwatch_judge.overload.sending import (
    Sending,
    Sent,
    Shares,
    asked_all_along,
    asked_bytes,
    asked_rate,
    sending,
    sent_of,
    shares_of,
)
from hopwatch_judge.overload.stretches import (
    Spell,
    long_stretches,
    overload,
    spells,
    stretches,
    without_bursts,
)
from hopwatch_judge.overload.timing import Timed, timed
from hopwatch_judge.steps import EdgeOfStream, LaneOfReceiver, Overload, Owed, Pressure
from hopwatch_judge.thresholds import BURSTS_AT_MOST, IN_REACH, LONGEST_BURST

Gaps = Mapping[LaneOfReceiver, Sequence[Gap]]
"""Rows of gaps, with those of sparse stamps narrowed to what is missing."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The pressure of each edge of a stream that lost something, and the overloads of receivers.

    ``times`` and ``stretch_of`` say of each loss, by its place, when it happened and in which stretch of
    its receiver, where that is known.
    """

    edges: Mapping[EdgeOfStream, Pressure]
    overloads: Sequence[Overload]
    stretch_of: Sequence[int | None]
    times: Sequence[Timed]


class _Traffic(NamedTuple):
    """How streams were sent, and how receivers that lost something were seen to read."""

    shares: Shares
    sent: Mapping[str, Sent]
    sendings: Mapping[str, Sending]
    rates: Mapping[str, Sequence[Rate]]
    waits: Mapping[str, Sequence[Wait]]


def pressure(
    known: Known, losses: Sequence[Loss], owed: Mapping[LaneOfReceiver, Owed], gaps: Gaps
) -> Measured:
    """Measure the edges on which something was lost."""
    times = timed(known, losses)
    stretch_of = stretches(losses, times)
    by_edge = by_key(zip(losses, times, strict=True), lambda each: each[0].edge_of_stream)
    lost = {edge: together(theirs) for edge, theirs in by_edge.items()}
    traffic = _traffic(known, lost, owed)
    rates = _rates(known, lost, traffic)
    ways = ways_over(known, lost)
    watches = _watches(known, lost, ways, rates, traffic)
    got = got_since_gaps(known, set(chain.from_iterable(ways.values())), gaps)
    edges = {}
    for edge, each in lost.items():
        readers = [got[way] for way in ways[edge] if way in got]
        caught_up = any(True for _ in idle_moments(watches[edge]))
        edges[edge] = _judged(rates[edge], each, caught_up, went_on(known, edge, each, readers))
    overloads = _overloads(spells(losses, times, stretch_of), watches, traffic)
    return Measured(edges, list(overloads), stretch_of, times)


def _traffic(
    known: Known, lost: Mapping[EdgeOfStream, LostOnEdge], owed: Mapping[LaneOfReceiver, Owed]
) -> _Traffic:
    receivers = {to_socket for _, _, to_socket in lost}
    shares = shares_of(known, owed, receivers)
    streams = {stream for stream, _, _ in lost}.union(*shares.values())
    samples = samples_of(known, receivers | streams)
    sent = sent_of(known, streams, samples)
    return _Traffic(
        shares,
        sent,
        sendings={stream: sending(each) for stream, each in sent.items()},
        rates=rates_of(known, receivers, samples),
        waits={receiver: waits_of(samples.get(receiver, ())) for receiver in receivers},
    )


def _rates(
    known: Known, lost: Mapping[EdgeOfStream, LostOnEdge], traffic: _Traffic
) -> dict[EdgeOfStream, Pressure]:
    receivers = {
        to_socket: Pressure(
            asked_rate=asked_all_along(shares, traffic.sent, traffic.sendings),
            asked_bytes=asked_bytes(known, shares),
            capacity=highest(rate.rate for rate in traffic.rates[to_socket]),
        )
        for to_socket, shares in traffic.shares.items()
    }
    return {edge: _of_stream(receivers[edge[2]], traffic.sendings.get(edge[0])) for edge in lost}


def _of_stream(receiver: Pressure, sent: Sending | None) -> Pressure:
    if sent is None:
        return receiver
    return replace(receiver, began_at=sent.began_at, last_sent_at=sent.last_sent_at, mean_rate=sent.rate)


def _watches(
    known: Known,
    lost: Mapping[EdgeOfStream, LostOnEdge],
    ways: Mapping[EdgeOfStream, Sequence[WayKey]],
    rates: Mapping[EdgeOfStream, Pressure],
    traffic: _Traffic,
) -> dict[EdgeOfStream, Watch]:
    fresh = fresh_samples(known, set(chain.from_iterable(ways.values())))
    watches = {}
    for edge, each in lost.items():
        _, from_socket, to_socket = edge
        read = chain(read_behind(each.losses), *(fresh.get(way, ()) for way in ways[edge]))
        fastest = first_of(rates[edge].capacity, rates[edge].mean_rate)
        watches[edge] = Watch(
            link=known.link((from_socket, to_socket)),
            fresh=list(read),
            within=sooner_than_full(known, from_socket, fastest),
            waits=traffic.waits[to_socket],
            lost_at=each.first_at,
            sent_until=rates[edge].last_sent_at,
        )
    return watches


def _judged(rates: Pressure, lost: LostOnEdge, caught_up: bool, went_on: bool) -> Pressure:
    """Say whether the receiver met bursts: its losses take less than half of the time, and it got over them.

    How fast it read at most proves nothing: one that takes a batch at once may be busy with it for long.
    """
    active = later_by(rates.last_sent_at, rates.began_at)
    loss_share = _share(lost.spanned, active)
    asked = first_of(rates.asked_rate, rates.mean_rate)
    in_reach = rates.capacity is None or asked is None or rates.capacity >= asked * IN_REACH
    got_over = went_on or (caught_up and in_reach)
    mostly = reaches(_share(lost.proven, active), BURSTS_AT_MOST) and exceeds(lost.proven, LONGEST_BURST)
    return replace(
        rates,
        in_bursts=exceeds(BURSTS_AT_MOST, loss_share) and got_over,
        most_of_the_time=mostly and not caught_up,
        loss_share=loss_share,
        went_on=went_on,
    )


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _overloads(
    lost: Iterable[Spell], watches: Mapping[EdgeOfStream, Watch], traffic: _Traffic
) -> Iterator[Overload]:
    by_receiver = by_key(watches, lambda edge: edge[2])
    for to_socket, theirs in sorted(by_key(lost, lambda each: each.loss.to_socket).items()):
        asked = (
            (each, asked_rate(traffic.shares[to_socket], traffic.sent, each.since, each.until))
            for each in long_stretches(theirs)
        )
        found = [
            too_much
            for each, rate in asked
            if (too_much := overload(to_socket, each, rate, traffic.rates[to_socket]))
        ]
        if found:
            idle = _idle(watches[edge] for edge in by_receiver[to_socket])
            yield from without_bursts(found, theirs, idle)


def _idle(watches: Iterable[Watch]) -> dict[float, bool]:
    """Return the moments at which a receiver had nothing left to read, and whether it had rested."""
    moments: dict[float, bool] = {}
    for idle in chain.from_iterable(map(idle_moments, watches)):
        moments[idle.at] = moments.get(idle.at, False) or idle.rested
    return moments
