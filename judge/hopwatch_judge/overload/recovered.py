"""Whether a receiver that lost messages had caught up in between, or behind the last of them.

Nobody counts how much of which lane a proxy has read. But a pipe passes messages on in order. A receiver
behind the proxy that gets a message without loss, or as soon as it is sent, shows that the proxy has read
all up to that message.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from hopwatch_judge.case import Link
from hopwatch_judge.events import Gap
from hopwatch_judge.known import Known
from hopwatch_judge.optional import first_of, highest, later_by, reaches
from hopwatch_judge.overload.lost import LostOnEdge, TimedLoss
from hopwatch_judge.overload.reading import Wait
from hopwatch_judge.overload.spans import seconds
from hopwatch_judge.overload.timing import on_one_host
from hopwatch_judge.steps import EdgeOfStream, LaneOfReceiver
from hopwatch_judge.thresholds import FULL_PIPES, MUCH_LESS, READ_AT_ONCE_WITHIN, UNDER_WAY

WayKey = tuple[str, str]
"""Stream and receiver."""


class Fresh(NamedTuple):
    """A message that was read ``lag`` seconds after it had been sent, by one clock."""

    sent_at: float
    read_at: float
    lag: float


class Idle(NamedTuple):
    """By ``at``, a receiver had read all that was sent before ``since``.

    ``rested``: it had nothing to do then. One that is busy with all that it has taken out may also ask in
    vain, for a moment.
    """

    since: float
    at: float
    rested: bool


class Watch(NamedTuple):
    """All that may show when the receiver of an edge had nothing left to read.

    Of ``fresh`` messages, those count that were read ``within`` so many seconds. ``waits`` are in the order
    of their times. The time watched is from the first loss to the last message of the sender.
    """

    link: Link
    fresh: Sequence[Fresh]
    within: float | None
    waits: Sequence[Wait]
    lost_at: float | None
    sent_until: float | None


class GotSince(NamedTuple):
    """The messages that a receiver got of a stream behind the last gap of each lane.

    ``until``: when the newest of them was sent; ``gap_until``: when the one behind the last gap was.
    """

    messages: int
    until: float | None
    gap_until: float | None


def ways_over(known: Known, edges: Iterable[EdgeOfStream]) -> dict[EdgeOfStream, list[WayKey]]:
    """Return the ways that lead over each edge: their receivers are at its end, or behind it."""
    found: dict[EdgeOfStream, list[WayKey]] = {edge: [] for edge in edges}
    for way in known.case.ways:
        for edge in {(way.stream, *hop.edge) for hop in way.hops} & found.keys():
            found[edge].append((way.stream, way.receiver))
    return found


def fresh_samples(known: Known, ways: Collection[WayKey]) -> dict[WayKey, list[Fresh]]:
    """Return the messages that receivers' own samples show to have been read at once."""
    found: dict[WayKey, list[Fresh]] = {}
    for read in known.case.reads:
        way = (read.stream, read.receiver)
        lag = abs(seconds(read.newest_sent_at, read.at))
        if way in ways and lag <= READ_AT_ONCE_WITHIN and on_one_host(known, *way):
            found.setdefault(way, []).append(Fresh(read.newest_sent_at, read.at, lag))
    return found


def read_behind(losses: Iterable[TimedLoss]) -> Iterator[Fresh]:
    """Yield the messages behind losses that begin at an onset, where they were read at once."""
    for loss, time in losses:
        sent_at, read_at, lag = loss.after_sent_at, loss.seen_at, time.seen_late
        if sent_at is None or read_at is None or lag is None:
            continue
        if loss.begins_at_onset and lag <= READ_AT_ONCE_WITHIN:
            yield Fresh(sent_at, read_at, lag)


def sooner_than_full(known: Known, from_socket: str, fastest: float | None) -> float | None:
    """Return in how many seconds nobody reads a full pipe: it holds half of its sender's mark at least."""
    sndhwm = known.socket(from_socket).sndhwm
    return MUCH_LESS * sndhwm / 2 / fastest if fastest and sndhwm is not None else None


def idle_moments(watch: Watch) -> Iterator[Idle]:
    """Yield when a receiver had nothing left to read. Behind a cut nothing shows it: a cut empties pipes."""
    lost_at, sent_until = watch.lost_at, watch.sent_until
    if lost_at is None or sent_until is None:
        return
    for idle in chain(_soon_read(watch), _waited(watch.waits, lost_at, sent_until)):
        if idle.since > lost_at and idle.at <= sent_until and not _is_behind_a_cut(watch.link, idle):
            yield idle


def _soon_read(watch: Watch) -> Iterator[Idle]:
    for each in watch.fresh:
        if reaches(watch.within, each.lag):
            yield Idle(each.sent_at, each.read_at, rested=True)


def _waited(waits: Sequence[Wait], lost_at: float, sent_until: float) -> Iterator[Idle]:
    for at in range(bisect_right(waits, lost_at, key=lambda wait: wait.since), len(waits)):
        if waits[at].at > sent_until:
            return
        yield Idle(*waits[at])


def _is_behind_a_cut(link: Link, idle: Idle) -> bool:
    return any(
        idle.at >= down.start and (down.end is None or idle.since - down.end <= UNDER_WAY)
        for down in link.downs
    )


def got_since_gaps(
    known: Known, ways: Iterable[WayKey], gaps: Mapping[LaneOfReceiver, Sequence[Gap]]
) -> dict[WayKey, GotSince]:
    """Return how much receivers got behind their last gaps; ``gaps`` are narrowed to what is missing."""
    found = ((way, _got_since(known, way, gaps)) for way in ways)
    return {way: got for way, got in found if got}


def _got_since(known: Known, way: WayKey, gaps: Mapping[LaneOfReceiver, Sequence[Gap]]) -> GotSince | None:
    messages: list[int] = []
    until: list[float | None] = []
    gap_until: list[float | None] = []
    for receipt in known.receipts_of.get(way, ()):
        rows = [gap for gap in gaps.get((*way, receipt.lane), ()) if gap.action == "gap"]
        received = highest(gap.received for gap in rows)
        if received is not None:
            messages.append(receipt.count - received)
            until.append(first_of(receipt.newest_sent_at, receipt.moved_at))
            gap_until.append(highest(first_of(gap.after_sent_at, gap.at) for gap in rows))
    return GotSince(sum(messages), highest(until), highest(gap_until)) if messages else None


def went_on(known: Known, edge: EdgeOfStream, lost: LostOnEdge, readers: Iterable[GotSince]) -> bool:
    """Say whether more came in a row behind the last loss than both ends' marks let wait.

    It has to have come for as long as losses had lasted. Of the readers that noticed the last loss, the one
    that got most counts.
    """
    noticed = [each for each in readers if reaches(each.gap_until, lost.over_at)]
    _, from_socket, to_socket = edge
    sndhwm, rcvhwm = known.socket(from_socket).sndhwm, known.socket(to_socket).rcvhwm
    if lost.to_the_end or not noticed or not sndhwm or not rcvhwm:
        return False
    got = max(noticed, key=lambda each: each.messages)
    lasted = reaches(later_by(got.until, lost.over_at), lost.spanned)
    return lasted and got.messages >= FULL_PIPES * (sndhwm + rcvhwm)
