"""On which hop each missing range was lost.

A range missing at some receivers behind a proxy, but not at all, was lost behind it. One missing at all of
them may have been lost before: the sender's onsets, the proxy's own counts and the connections tell, hop by
hop from the sender outward. Where nothing does, the hop stays unknown.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from hopwatch_judge.known import Known
from hopwatch_judge.placing.handed_over import counted_all_since, cut_at_handover, handovers
from hopwatch_judge.placing.missed_together import cut_by_reach, shared_segments
from hopwatch_judge.placing.open_piece import Messages, OpenPiece
from hopwatch_judge.placing.own_pipe import past_the_pipe, placed_by_onsets
from hopwatch_judge.placing.proxy_counts import Lacking, Proof, arrivals, expected_frames, proofs
from hopwatch_judge.placing.same_messages import Seen, left_with_some, seen_at
from hopwatch_judge.steps import Expected, Missing, Piece

NO_PROOF = Proof()


def placed(known: Known, expected: Expected) -> list[Piece]:
    """Return the missing ranges, cut where needed, with the hop that lost each.

    Where that is not known, it is the first hop that may have.
    """
    pieces: list[OpenPiece] = []
    behind_proxies = []
    for each in expected.missing:
        way = known.way[each.stream, each.receiver]
        if way.length == 1:
            pieces.append(OpenPiece(each, way, depth=1, placed=1))
        else:
            behind_proxies.append(each)
    return [_with_hop(each) for each in (*pieces, *_placed_behind_proxies(known, expected, behind_proxies))]


def _with_hop(piece: OpenPiece) -> Piece:
    from_socket, to_socket = piece.edge(piece.depth)
    took_over = piece.depth > 1 and piece.way.hops[piece.depth - 2].former is not None
    hop_known = piece.placed is not None
    return Piece(piece.missing, piece.way.length, piece.depth, hop_known, from_socket, to_socket, took_over)


def _placed_behind_proxies(
    known: Known, expected: Expected, missing: Sequence[Missing]
) -> Sequence[OpenPiece]:
    if not missing:
        return ()
    sent, arrived, handed_at = expected_frames(known, expected), arrivals(known), handovers(known)
    shared = shared_segments(known, expected, missing)
    pieces = list(cut_by_reach(known, missing, shared))
    pieces = placed_by_onsets(known, pieces, shared)
    pieces = past_the_pipe(known, pieces, sent, arrived)
    pieces = list(cut_at_handover(pieces, handed_at))
    since_handover = counted_all_since(known, pieces, handed_at, arrived)
    left = left_with_some(known, expected)
    for depth in range(1, max(piece.way.length for piece in pieces)):
        seen = seen_at(known, pieces, left, depth)
        told = proofs(known, _lacking(pieces, seen, depth), depth, sent, arrived)
        verdicts = {each: _verdict(each, seen[each], told, since_handover) for each in seen}
        pieces = _decided(pieces, verdicts, depth)
    return pieces


def _lacking(pieces: Iterable[OpenPiece], seen: Mapping[Messages, Seen], depth: int) -> Iterable[Lacking]:
    for piece in pieces:
        is_open = piece.is_open_at(depth)
        yield Lacking(piece, is_open, is_open and seen[piece.messages(depth)].in_a_cut)


class _Verdict(NamedTuple):
    """Of messages that were open before a proxy: that hop lost them, or they arrived; else nothing shows it.

    ``left``: all who lack them left, which is why, unless other losses of the stream are open there as well.
    """

    here: bool
    arrived: bool
    left: bool


def _verdict(
    messages: Messages, seen: Seen, told: Mapping[str, Proof], since_handover: Collection[str]
) -> _Verdict:
    _, proxy = messages[2]
    proof = told.get(proxy, NO_PROOF)
    return _Verdict(
        here=seen.alone and (proof.none_arrived or (seen.in_a_cut and proof.cut_fits)),
        arrived=(seen.alone and proof.all_arrived) or (seen.handed and proxy in since_handover),
        left=seen.ends_by_leaving,
    )


def _decided(
    pieces: Sequence[OpenPiece], verdicts: Mapping[Messages, _Verdict], depth: int
) -> list[OpenPiece]:
    """Return the pieces, the open ones of this depth placed, moved on, or left open.

    The same messages are decided alike for all who are behind the hop: else one loss would be on two hops.
    """
    gaps_open = _gaps_open(pieces, verdicts, depth)
    found = []
    for piece in pieces:
        if not piece.is_open_at(depth):
            found.append(piece)
            continue
        stream, _, (_, proxy), _, _ = messages = piece.messages(depth)
        verdict = verdicts[messages]
        # gaps that may be of this hop say that ends may be of it as well
        by_leaving = verdict.left and not verdict.here and (stream, proxy) not in gaps_open
        if verdict.arrived or by_leaving:
            is_last = piece.way.length == depth + 1
            found.append(piece._replace(depth=depth + 1, placed=depth + 1 if is_last else None))
        else:
            found.append(piece._replace(placed=depth) if verdict.here else piece)
    return found


def _gaps_open(
    pieces: Iterable[OpenPiece], verdicts: Mapping[Messages, _Verdict], depth: int
) -> set[tuple[str, str]]:
    """Return the streams and proxies with gaps of which it is not known whether the hop there lost them."""
    return {
        (piece.missing.stream, piece.edge(depth)[1])
        for piece in pieces
        if piece.is_open_at(depth) and piece.missing.part == "inner"
        if not verdicts[piece.messages(depth)].here and not verdicts[piece.messages(depth)].arrived
    }
