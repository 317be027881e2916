"""What proxies' own counts prove: whether all that was sent towards a proxy arrived there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

from hopwatch_judge.case import Edge, Socket
from hopwatch_judge.known import Known
from hopwatch_judge.optional import first_of, highest, later_by, lowest, reaches
from hopwatch_judge.placing.open_piece import OpenPiece
from hopwatch_judge.ranges import Range, length, merged
from hopwatch_judge.resting import idle_between
from hopwatch_judge.steps import Expected
from hopwatch_judge.thresholds import CLOCKS_MAY_DIFFER_BY, CLOCKS_TOLD_WITHIN, COUNTED_WITHIN, IDLE_SECONDS

HALF_A_FRAME = 0.5
"""Frames of a message are a mean of its lane, so that sums of them that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Frames that a proxy's socket received, and of those at most ``strays`` from senders without numbers.

    ``is_final``: the counts cannot have been older than the last message sent towards it. ``is_no_newer``:
    nor hold any that its sender had not reported by then, so that equal counts mean the same messages.
    """

    arrived: int
    strays: int = 0
    is_final: bool = False
    is_no_newer: bool = False


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames that senders sent towards a proxy's socket.

    ``at_least``: all that receivers behind it were owed. ``at_most``: all of the lanes that any receiver
    behind it is owed some of.
    """

    at_least: float = 0.0
    at_most: float = 0.0


class Lacking(NamedTuple):
    """A missing piece on its way through a proxy. ``is_open``: the hop before the proxy may have lost it.

    ``in_a_cut``: it was sent when the connection of that hop was down.
    """

    piece: OpenPiece
    is_open: bool
    in_a_cut: bool = False


@dataclass(frozen=True, slots=True)
class Proof:
    """What a proxy's counts prove of the open messages before it, apart from those known to be lost.

    All of them arrived; none did; more is lacking than is open; and no more was sent in cuts than is
    lacking, as far as counts show.
    """

    all_arrived: bool = False
    none_arrived: bool = False
    more_is_lacking: bool = False
    cut_fits: bool = True


def arrivals(known: Known) -> dict[str, Arrivals]:
    """Return what each socket with counters took in as a side of a proxy, by socket."""
    counted = _counted_all(known)
    strays: defaultdict[str, int] = defaultdict(int)
    for link in known.case.links.values():
        if link.linked and link.from_socket not in known.lanes_of:
            totals = known.totals(link.from_socket)
            strays[link.to_socket] += totals.sent + totals.sent_more_frames
    return {
        socket: Arrivals(totals.proxied_in_frames, strays[socket], *counted.get(socket, (False, False)))
        for socket, totals in known.case.totals.items()
    }


def expected_frames(known: Known, expected: Expected) -> dict[tuple[str, int], Frames]:
    """Return the frames sent towards each proxy socket, by that and the depth of the hop into it."""
    wanted: defaultdict[tuple[str, int], dict[tuple[str, int, Edge], list[Range]]] = defaultdict(dict)
    for stream, receiver, lane in expected.owed:
        for depth, hop in enumerate(known.way[stream, receiver].hops[:-1], 1):
            due = wanted[hop.to_socket, depth].setdefault((stream, lane, hop.edge), [])
            due += expected.ranges.get((stream, receiver, lane), ())
    return {
        place: Frames(
            at_least=sum(
                frames_of(known, (stream, lane), length(merged(due)))
                for (stream, lane, _), due in lanes.items()
            ),
            at_most=sum(
                frames_of(known, (stream, lane), known.lane[stream, lane].messages)
                for stream, lane, _ in lanes
                if (stream, lane) in known.lane
            ),
        )
        for place, lanes in wanted.items()
    }


def frames_of(known: Known, lane: tuple[str, int], messages: int) -> float:
    """Return how many frames so many messages of a lane have: nan if not known, so that nothing is proven."""
    each = known.lane[lane].frames_each if lane in known.lane else None
    return nan if messages and each is None else messages * (each or 0.0)


def proofs(
    known: Known,
    lacking: Iterable[Lacking],
    depth: int,
    expected: Mapping[tuple[str, int], Frames],
    arrived: Mapping[str, Arrivals],
) -> dict[str, Proof]:
    """Return what counts prove, by proxy socket at this depth. What several lack counts once."""
    before: defaultdict[str, set[Lost]] = defaultdict(set)
    for piece, is_open, in_a_cut in lacking:
        if depth >= piece.way.length:
            continue
        missing, (_, proxy) = piece.missing, piece.edge(depth)
        of_proxy = before[proxy]
        if is_open or (piece.placed is not None and piece.placed <= depth):
            numbers = (missing.first, missing.last)
            of_proxy.add(Lost(missing.stream, missing.lane, numbers, is_open, is_open and in_a_cut))
    return {
        proxy: _proof(known, lost, expected[proxy, depth], arrived[proxy])
        for proxy, lost in before.items()
        if (proxy, depth) in expected and proxy in arrived
    }


class Lost(NamedTuple):
    """Messages before a proxy that are open there, or known to be lost by then."""

    stream: str
    lane: int
    numbers: Range
    is_open: bool
    in_a_cut: bool


def _proof(known: Known, before: Iterable[Lost], sent: Frames, came: Arrivals) -> Proof:
    open_ = lost = cut = 0.0
    for each in before:
        frames = frames_of(known, (each.stream, each.lane), length((each.numbers,)))
        open_ += frames if each.is_open else 0
        lost += 0 if each.is_open else frames
        cut += frames if each.in_a_cut else 0
    lacking_at_most = sent.at_most - lost - (came.arrived - came.strays)
    lacking_at_least = sent.at_least - lost - came.arrived
    # frames beyond all that can have been sent are of other senders, and may stand in for those lacking
    shows_cuts = came.is_final and lacking_at_most > -HALF_A_FRAME
    return Proof(
        all_arrived=came.is_no_newer and abs(lacking_at_most) < HALF_A_FRAME,
        none_arrived=came.is_final and lacking_at_least > open_ - HALF_A_FRAME,
        more_is_lacking=came.is_final and lacking_at_least > open_ + HALF_A_FRAME,
        cut_fits=not shows_cuts or cut < lacking_at_most + HALF_A_FRAME,
    )


def _counted_all(known: Known) -> dict[str, tuple[bool, bool]]:
    """Return whether counts are final, and no newer than what senders reported, by proxy socket."""
    towards: defaultdict[str, set[str]] = defaultdict(set)
    for way in known.case.ways:
        for hop in way.hops[:-1]:
            towards[hop.to_socket].add(way.stream)
    last_sends = _last_sends(known) if towards else {}
    found = {}
    for proxy, streams in towards.items():
        counted = [_counted_last(known, proxy, stream, last_sends.get(stream)) for stream in streams]
        found[proxy] = (all(final for final, _ in counted), all(no_newer for _, no_newer in counted))
    return found


def _counted_last(known: Known, name: str, stream: str, last_sent_at: float | None) -> tuple[bool, bool]:
    """Return whether the proxy's counts hold the stream's last message, had it arrived, and none beyond.

    Counts are always a little older than the end of the proxy, and older yet where the thread that asks for
    them was stuck. A proxy that had counted nothing more for a while has nothing left to count.
    """
    proxy, sender = known.socket(name), known.socket(stream)
    asked_at = known.totals(name).proxied_at
    asked_until = first_of(proxy.heard_until, known.case.ends_at)  # a row is written on changes alone
    if proxy.ended_at is not None:
        asked_until = lowest((proxy.ended_at, asked_at))
    rested = proxy.ended_at is not None and idle_between(proxy.took_last_at, asked_until)
    apart = _clocks_apart(proxy, sender)
    is_final = reaches(
        later_by(asked_until, last_sent_at), (IDLE_SECONDS if rested else COUNTED_WITHIN) + apart
    )
    was_older = reaches(later_by(last_sent_at, first_of(asked_at, asked_until)), apart)
    return is_final, is_final or sender.ended_at is not None or was_older


def _clocks_apart(one: Socket, other: Socket) -> float:
    """Return by how many seconds the clocks of two hosts may differ."""
    if one.host is not None and one.host == other.host:
        return 0
    return CLOCKS_TOLD_WITHIN if one.clock is not None and one.clock == other.clock else CLOCKS_MAY_DIFFER_BY


def _last_sends(known: Known) -> dict[str, float | None]:
    """Return by when each stream's last message had been sent.

    Samples see it up to a second later. Once a sender has reported its last number, the stamp that came with
    that number tells.
    """
    stamped_at: defaultdict[tuple[str, int], list[float | None]] = defaultdict(list)
    for receipt in known.case.receipts:
        lane = known.lane.get((receipt.stream, receipt.lane))
        if lane is not None and reaches(receipt.next, lane.sent_at_last):
            stamped_at[receipt.stream, receipt.lane].append(receipt.newest_sent_at)
    return {
        stream: highest(lowest((lane.moved_at, highest(stamped_at[stream, lane.lane]))) for lane in lanes)
        for stream, lanes in known.lanes_of.items()
    }
