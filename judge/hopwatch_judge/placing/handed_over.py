"""Proxies that replaced others: messages sent before the change went through the former one.

A sender that connects keeps its queue when the former proxy goes. That queue, and all that it sends later,
goes to the new one. So the sender's numbers at that moment part the messages, if the new proxy counted as many
as were sent since.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from hopwatch_judge.case import Lane, Way
from hopwatch_judge.events import Progress
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.placing.open_piece import OpenPiece
from hopwatch_judge.placing.proxy_counts import HALF_A_FRAME, Arrivals, frames_of
from hopwatch_judge.ranges import Range, length
from hopwatch_judge.steps import LaneOfReceiver
from hopwatch_judge.thresholds import SOON_AFTER


def handovers(known: Known) -> dict[LaneOfReceiver, int]:
    """Return how far each lane was numbered when its sender saw the former proxy go."""
    numbered_events = (each for each in known.case.progress if each.kind == "sample" and each.n is not None)
    samples = by_key(sorted(numbered_events, key=_event), lambda each: each.stream)
    found: dict[LaneOfReceiver, int] = {}
    for way in known.case.ways:
        gone_n = _gone_n(known, way)
        of_stream = samples.get(way.stream, [])
        begin = 0 if gone_n is None else bisect_right(of_stream, gone_n, key=_event)
        if gone_n is None or begin == len(of_stream) or _event(of_stream[begin]) > gone_n + SOON_AFTER:
            continue
        end = bisect_right(of_stream, _event(of_stream[begin]), key=_event)
        found.update({(way.stream, way.receiver, each.lane): each.numbered for each in of_stream[begin:end]})
    return found


def _event(sample: Progress) -> int:
    return sample.n or 0


def _gone_n(known: Known, way: Way) -> int | None:
    """Return the event in which the sender saw the former proxy go."""
    former = way.hops[0].former if way.length > 1 else None
    return None if former is None else known.link((way.stream, former)).last_down_n


def cut_at_handover(
    pieces: Iterable[OpenPiece], handed_at: Mapping[LaneOfReceiver, int]
) -> Iterator[OpenPiece]:
    """Yield the pieces, with those before a new proxy cut where their sender saw the former one go."""
    for piece in pieces:
        cut = handed_at.get(piece.missing.key)
        if cut is None or not piece.is_open_at(1):
            yield piece
        elif piece.missing.first < cut <= piece.missing.last:
            yield piece._replace(missing=piece.missing._replace(last=cut - 1), handed=False)
            yield piece._replace(missing=piece.missing._replace(first=cut), handed=True)
        else:
            yield piece._replace(handed=piece.missing.first >= cut)


def counted_all_since(
    known: Known,
    pieces: Iterable[OpenPiece],
    handed_at: Mapping[LaneOfReceiver, int],
    arrived: Mapping[str, Arrivals],
) -> set[str]:
    """Return the proxy sockets that counted as many frames as were sent since the handover.

    Frames known to be lost before the proxy are left out. Lanes that were not handed over count as a whole.
    """
    cuts: defaultdict[str, dict[tuple[str, int], int]] = defaultdict(dict)
    for (stream, receiver, lane), cut in handed_at.items():
        of_socket = cuts[known.way[stream, receiver].hops[0].to_socket]
        of_socket[stream, lane] = max(cut, of_socket.get((stream, lane), cut))
    if not cuts:
        return set()
    lost = _lost_before(pieces)
    since: defaultdict[str, float] = defaultdict(float)
    for socket, stream in {(hop.to_socket, way.stream) for way in known.case.ways for hop in way.hops[:-1]}:
        for each in known.lanes_of.get(stream, ()) if socket in cuts else ():
            key = (stream, each.lane)
            since[socket] += _frames_since(known, each, cuts[socket].get(key), lost.get((socket, *key), ()))
    return {socket for socket, frames in since.items() if _came(arrived.get(socket), frames)}


def _came(arrivals: Arrivals | None, frames: float) -> bool:
    return arrivals is not None and arrivals.arrived - arrivals.strays + HALF_A_FRAME >= frames


def _frames_since(known: Known, lane: Lane, handed_at: int | None, lost: Iterable[Range]) -> float:
    """Return how many frames of a lane were sent since it was handed over, and came as far as the proxy."""
    gone = 0 if handed_at is None else length(each for each in lost if each[0] >= handed_at)
    return frames_of(known, (lane.stream, lane.lane), lane.sent - (handed_at or 0) - gone)


def _lost_before(pieces: Iterable[OpenPiece]) -> dict[tuple[str, str, int], set[Range]]:
    """Return the ranges lost on first hops, by the proxy socket there, stream and lane."""
    found: defaultdict[tuple[str, str, int], set[Range]] = defaultdict(set)
    for piece in pieces:
        if piece.placed == 1:
            missing, (_, proxy) = piece.missing, piece.edge(1)
            found[proxy, missing.stream, missing.lane].add((missing.first, missing.last))
    return dict(found)
