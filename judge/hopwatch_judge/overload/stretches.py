"""Stretches of time in which a receiver lost messages again and again, and overloads among them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hopwatch_judge.known import by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import highest
from hopwatch_judge.overload.reading import Rate
from hopwatch_judge.overload.spans import seconds
from hopwatch_judge.overload.timing import Timed
from hopwatch_judge.steps import Overload
from hopwatch_judge.thresholds import (
    LONGEST_BURST,
    OVERLOAD_BUSY,
    OVERLOAD_CLEARLY,
    OVERLOAD_RESTS,
    STRETCH_PAUSE,
)


class Spell(NamedTuple):
    """A loss whose time is known, in a stretch of its receiver."""

    loss: Loss
    since: float
    until: float
    proven_until: float
    stretch: int


class Stretch(NamedTuple):
    """A stretch of losses of a receiver.

    ``covered``: seconds of the losses of the lane that lost most; those of slow lanes may span much more.
    ``proven``: seconds in which the pipe that lost most is proven to have been full.
    """

    number: int
    since: float
    until: float
    covered: float
    proven: float


class _Return(NamedTuple):
    """Losses of a stretch began again when the receiver had been idle, and ``rested``: had waited."""

    stretch: int
    rested: bool


def stretches(losses: Sequence[Loss], times: Sequence[Timed]) -> list[int | None]:
    """Return the stretch of each loss, numbered by receiver from 0, or None where its time is not known."""
    found: list[int | None] = [None] * len(losses)
    placed = (
        (time.lost_since, time.lost_until, at)
        for at, time in enumerate(times)
        if time.lost_since is not None and time.lost_until is not None
    )
    for spans in by_key(placed, lambda span: losses[span[2]].to_socket).values():
        in_order = sorted(spans)
        stretch, over_at = 0, in_order[0][1]
        for since, until, at in in_order:
            stretch += seconds(over_at, since) > STRETCH_PAUSE
            over_at = max(over_at, until)
            found[at] = stretch
    return found


def spells(
    losses: Sequence[Loss], times: Sequence[Timed], stretch_of: Sequence[int | None]
) -> Iterator[Spell]:
    """Yield the losses whose time is known."""
    for loss, time, stretch in zip(losses, times, stretch_of, strict=True):
        since, until, proven_until = time.lost_since, time.lost_until, time.proven_until
        if since is not None and until is not None and proven_until is not None and stretch is not None:
            yield Spell(loss, since, until, proven_until, stretch)


def long_stretches(of_receiver: Iterable[Spell]) -> list[Stretch]:
    """Return a receiver's stretches that are too long for a burst."""
    found = (
        _stretch(number, theirs) for number, theirs in by_key(of_receiver, lambda each: each.stretch).items()
    )
    return [each for each in found if seconds(each.since, each.until) > LONGEST_BURST]


def _stretch(number: int, lost: Sequence[Spell]) -> Stretch:
    lanes = by_key(lost, lambda each: (each.loss.stream, each.loss.from_socket, each.loss.lane))
    pipes = by_key(lost, lambda each: (each.loss.stream, each.loss.from_socket))
    _, covered = max(
        (_messages(theirs), sum(each.until - each.since for each in theirs)) for theirs in lanes.values()
    )
    _, proven = max(
        (_messages(theirs), sum(each.proven_until - each.since for each in theirs))
        for theirs in pipes.values()
    )
    return Stretch(
        number, min(each.since for each in lost), max(each.until for each in lost), covered, proven
    )


def _messages(lost: Iterable[Spell]) -> int:
    return sum(each.loss.messages for each in lost)


def overload(to_socket: str, stretch: Stretch, asked: float | None, rates: Sequence[Rate]) -> Overload | None:
    """Return a stretch as an overload, if its receiver was asked to read more than the most it then read.

    Where a receiver is too slow all the time, losses take about as much of the time as of the messages.
    Where they take much less, they came in bursts. The receiver may have been idle between these, and nobody
    saw how fast it can read. An overload is clear if no way to measure makes up for the difference, its
    senders are proven to have been sending, and there always was a message to read.
    """
    within = list(_within(stretch, rates))
    read = highest(rate.rate for rate in within)
    if read is None or asked is None or read >= asked:
        return None
    if_busy = OVERLOAD_BUSY * (stretch.until - stretch.since) * (1 - read / asked)
    if stretch.covered < if_busy:
        return None
    told = [rate.waited for rate in within if rate.waited is not None]
    never_idle = stretch.proven >= if_busy and bool(told) and not any(told)
    clearly = never_idle and read < OVERLOAD_CLEARLY * asked
    return Overload(to_socket, stretch.number, stretch.since, stretch.until, asked, read, clearly)


def _within(stretch: Stretch, rates: Sequence[Rate]) -> Iterator[Rate]:
    for at in range(bisect_left(rates, stretch.since, key=lambda rate: rate.since), len(rates)):
        if rates[at].since > stretch.until:
            return
        if rates[at].at <= stretch.until:
            yield rates[at]


def without_bursts(
    overloads: Iterable[Overload], lost: Iterable[Spell], idle: Mapping[float, bool]
) -> Iterator[Overload]:
    """Yield a receiver's overloads, without those in which it rested between losses again and again.

    Such losses came in bursts. ``idle``: the moments at which it had read all there was, and whether it had
    rested. No overload is clear in which it was idle once.
    """
    returns = by_key(_returns(lost, idle), lambda each: each.stretch)
    for each in overloads:
        theirs = returns.get(each.stretch, [])
        if sum(again.rested for again in theirs) < OVERLOAD_RESTS:
            yield each._replace(clearly=each.clearly and not theirs)


def _returns(lost: Iterable[Spell], idle: Mapping[float, bool]) -> Iterator[_Return]:
    moments: list[tuple[float, int | None, bool]] = [(at, None, rested) for at, rested in idle.items()]
    moments += [(each.since, each.stretch, False) for each in lost]
    had_rested: bool | None = None
    stretch_before: int | None = None
    for _, stretch, rested in sorted(moments, key=lambda each: (each[0], each[1] is not None)):
        if stretch is None:
            had_rested = rested
            continue
        if had_rested is not None and stretch == stretch_before:
            yield _Return(stretch, had_rested)
        had_rested, stretch_before = None, stretch
