"""How fast receivers were seen to read."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from hopwatch_judge.events import Counted, Gap
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.overload.spans import seconds
from hopwatch_judge.thresholds import FEWEST_MESSAGES, LONGEST_PAUSE_IN_RUN, SHORTEST_INTERVAL, WAITS_SHOW


class Rate(NamedTuple):
    """Messages a second that a socket received in a time.

    ``waited``: it found none meanwhile; None where it is not known ever to do so.
    """

    since: float
    at: float
    rate: float
    waited: bool | None


class Wait(NamedTuple):
    """A time between two samples in which a receive found no message, and ``rested``: waited for one."""

    since: float
    at: float
    rested: bool


def samples_of(known: Known, sockets: Collection[str]) -> dict[str, list[Counted]]:
    """Return the samples of each of the sockets in the order of their times."""
    samples = by_key(
        (each for each in known.case.counted if each.socket in sockets), lambda each: each.socket
    )
    for theirs in samples.values():
        theirs.sort(key=lambda sample: (sample.at, sample.received))
    return samples


def rates_of(
    known: Known, receivers: Collection[str], samples: Mapping[str, list[Counted]]
) -> dict[str, list[Rate]]:
    """Return the rates at which each receiver read, in the order of the times in which they begin."""
    gaps = by_key(
        (gap for gap in known.case.gaps if gap.action == "gap" and gap.receiver in receivers),
        lambda gap: gap.receiver,
    )
    return {
        receiver: sorted(
            (*_between(samples.get(receiver, [])), *_while_backlogged(gaps.get(receiver, []))),
            key=lambda rate: rate.since,
        )
        for receiver in receivers
    }


def _between(samples: list[Counted]) -> Iterator[Rate]:
    times_waited = sum(more.waits > less.waits for less, more in pairwise(samples))
    times_waited += samples[0].waits > 0 if samples else 0
    for less, more in pairwise(samples):
        waited = more.waits > less.waits if times_waited >= WAITS_SHOW else None
        yield from _rates(less.at, more.at, more.received - less.received, waited)


def _while_backlogged(gaps: Iterable[Gap]) -> Iterator[Rate]:
    """Yield the rates from the first to each later gap of a run: the lane's queue was never empty then."""
    for of_lane in by_key(gaps, lambda gap: (gap.stream, gap.lane)).values():
        seen = sorted(
            (gap.at, gap.received) for gap in of_lane if gap.at is not None and gap.received is not None
        )
        if not seen:
            continue
        begun_at, begun_with = seen[0]
        for (earlier, _), (at, received) in pairwise(seen):
            if seconds(earlier, at) > LONGEST_PAUSE_IN_RUN:
                begun_at, begun_with = at, received
            yield from _rates(begun_at, at, received - begun_with, None)


def _rates(since: float, at: float, messages: int, waited: bool | None) -> Iterator[Rate]:
    took = seconds(since, at)
    if took >= SHORTEST_INTERVAL and messages >= FEWEST_MESSAGES:
        yield Rate(since, at, messages / took, waited)


def waits_of(samples: Iterable[Counted]) -> list[Wait]:
    """Return when a socket was seen to wait between its samples, which are in the order of their times."""
    return [
        Wait(less.at, more.at, more.blocked > less.blocked)
        for less, more in pairwise(samples)
        if more.waits > less.waits
    ]
