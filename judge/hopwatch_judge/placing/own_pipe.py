"""Whether the sender's own pipe lost the messages that all behind the first hop miss.

Where it was full, it did. A sender that is probed sees each full pipe. Where it saw none, it did not.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from hopwatch_judge.case import Edge, Way
from hopwatch_judge.known import Known
from hopwatch_judge.optional import exceeds, later_by
from hopwatch_judge.placing.missed_together import Shared
from hopwatch_judge.placing.onsets import latest_between, met_at, onsets_lost
from hopwatch_judge.placing.open_piece import Messages, OpenPiece
from hopwatch_judge.placing.proxy_counts import Arrivals, Frames, Lacking, proofs
from hopwatch_judge.thresholds import AT_ONCE, SAMPLED_WITHIN

EdgeKey = tuple[str, Edge]
"""A stream on its first hop."""


class _Begun(NamedTuple):
    """An open piece before the first hop.

    ``in_run``: it is in a run of numbers that all behind the hop miss. ``met_at``: when the first message of
    that run met a full pipe.
    """

    piece: OpenPiece
    in_run: bool
    met_at: float | None

    @property
    def edge(self) -> EdgeKey:
        return self.piece.missing.stream, self.piece.edge(1)


def placed_by_onsets(known: Known, pieces: Sequence[OpenPiece], shared: Shared) -> list[OpenPiece]:
    """Return the pieces, those that began when the sender's pipe was full placed on the first hop.

    So are ends of lanes whose last message that arrived was sent shortly before another lane ended so. The
    same messages are placed alike for all who lack them.
    """
    begun = list(_beginnings(known, pieces, shared))
    own = _own_onsets(known, shared)
    ended_at = _lanes_ended_at(begun)
    full = {
        each.piece.messages(1)
        for each in begun
        if _met_a_full_pipe(each, own.get(each.edge, ()), ended_at.get(each.edge))
    }
    return [
        piece._replace(placed=1) if piece.is_open_at(1) and piece.messages(1) in full else piece
        for piece in pieces
    ]


def _beginnings(known: Known, pieces: Iterable[OpenPiece], shared: Shared) -> Iterable[_Begun]:
    runs = {
        (stream, lane, edge, segment.first): segment.run_first
        for (stream, lane, edge, depth), segments in shared.items()
        if depth == 1
        for segment in segments
    }
    for piece in pieces:
        if piece.is_open_at(1):
            stream, lane, edge, first, _ = piece.messages(1)
            run = runs.get((stream, lane, edge, first))
            met = None if run is None else met_at(known.onsets_in.get((stream, lane), ()), run)
            yield _Begun(piece, run is not None, met)


def _own_onsets(known: Known, shared: Shared) -> dict[EdgeKey, list[int]]:
    """Return the stream's numbers, in order, of onsets whose own message all behind the first hop miss."""
    found: defaultdict[EdgeKey, set[int]] = defaultdict(set)
    for (stream, lane, edge, depth), segments in shared.items():
        if depth == 1 and (onsets := known.onsets_in.get((stream, lane))):
            found[stream, edge].update(onsets_lost(onsets, [(each.first, each.last) for each in segments]))
    return {edge: sorted(numbers) for edge, numbers in found.items()}


def _lanes_ended_at(begun: Iterable[_Begun]) -> dict[EdgeKey, float]:
    """Return when the last of a stream's lanes ended at an onset, by first hop."""
    found: dict[EdgeKey, float] = {}
    for each in begun:
        if each.piece.is_end and each.met_at is not None:
            found[each.edge] = max(each.met_at, found.get(each.edge, each.met_at))
    return found


def _met_a_full_pipe(begun: _Begun, own_onsets: Sequence[int], lanes_ended_at: float | None) -> bool:
    missing = begun.piece.missing
    if begun.met_at is not None or latest_between(own_onsets, missing.before, missing.after) is not None:
        return True
    soon = later_by(lanes_ended_at, missing.before_sent_at)
    return begun.piece.is_end and begun.in_run and soon is not None and 0 <= soon <= AT_ONCE


def past_the_pipe(
    known: Known,
    pieces: Sequence[OpenPiece],
    expected: Mapping[tuple[str, int], Frames],
    arrived: Mapping[str, Arrivals],
) -> list[OpenPiece]:
    """Return the pieces, gaps in which the sender met no full pipe moved behind the first hop.

    Its messages were put on their way. If the connection to the proxy stayed up, they came there. This holds
    only where all is known that the sender saw by then, and the proxy's counts do not contradict it.
    """
    ways = _ways_that_show_full_pipes(known, pieces)
    passed = _passed(known, pieces, ways)
    if not passed:
        return list(pieces)

    def moves(piece: OpenPiece) -> bool:
        return piece.is_open_at(1) and _key(piece.way) in ways and piece.messages(1) in passed

    lacking = (Lacking(piece, is_open=piece.is_open_at(1) and not moves(piece)) for piece in pieces)
    told = proofs(known, lacking, 1, expected, arrived)
    refuted = {socket for socket, proof in told.items() if proof.more_is_lacking}
    return [
        piece._replace(depth=2, placed=2 if piece.way.length == 2 else None)
        if moves(piece) and piece.edge(1)[1] not in refuted
        else piece
        for piece in pieces
    ]


def _key(way: Way) -> tuple[str, str]:
    return way.stream, way.receiver


def _passed(known: Known, pieces: Iterable[OpenPiece], ways: Collection[tuple[str, str]]) -> set[Messages]:
    """Return the messages that one of their receivers shows to have passed the sender's pipe."""
    onsets = {
        stream: [onset.number for onset in known.onsets_of.get(stream, ())]
        for stream in {stream for stream, _ in ways}
    }
    return {
        piece.messages(1)
        for piece in pieces
        if piece.is_open_at(1)
        and _key(piece.way) in ways
        and _met_none(known, piece, onsets[piece.way.stream])
    }


def _met_none(known: Known, piece: OpenPiece, onsets: Sequence[int]) -> bool:
    """Return whether the sender met no full pipe between the messages around a gap."""
    missing = piece.missing
    if missing.part != "inner" or missing.before is None or missing.after is None:
        return False
    heard_until = known.socket(missing.stream).heard_until
    # an agent reads one program after the other, so all is known a while later
    all_is_known = heard_until is None or exceeds(
        later_by(heard_until, missing.after_sent_at), SAMPLED_WITHIN
    )
    has_messages = missing.after - missing.before > 1
    return has_messages and all_is_known and latest_between(onsets, missing.before, missing.after) is None


def _ways_that_show_full_pipes(known: Known, pieces: Iterable[OpenPiece]) -> set[tuple[str, str]]:
    """Return the ways, by stream and receiver, of open pieces on which a full pipe of the sender shows."""
    ways = {_key(piece.way): piece.way for piece in pieces if piece.is_open_at(1)}
    senders = {
        stream for stream in {way.stream for way in ways.values()} if _reports_full_pipes(known, stream)
    }
    return {key for key, way in ways.items() if way.stream in senders and _stayed_up(known, way)}


def _reports_full_pipes(known: Known, stream: str) -> bool:
    """Return whether the sender saw each full pipe, and each of those is known."""
    sender = known.socket(stream)
    if not sender.probed or sender.probing_stopped_at is not None or sender.conflate or sender.unwatched:
        return False
    if stream not in known.case.totals:
        return False
    reported = len(known.onsets_of.get(stream, ()))
    # of one that goes on, the count is read a little later than the events
    return reported >= known.totals(stream).onsets or (sender.heard_until is not None and reported > 0)


def _stayed_up(known: Known, way: Way) -> bool:
    """Return whether both ends saw the first hop's connection stay up, with no other proxy beside."""
    link = known.link(way.hops[0].edge)
    stayed_up = link.told and not link.unwatched and not link.downs and not link.to_end_was_cut
    return stayed_up and not way.hops[0].replaced
