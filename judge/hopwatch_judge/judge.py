"""A case in, verdicts out: what each receiver did not get, on which hop, and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hopwatch_judge import beside, books, doubts, unreceived
from hopwatch_judge.beside import BeyondSent, UnknownFull
from hopwatch_judge.books import Delivered, Passed
from hopwatch_judge.case import Case
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.gathering import Measure, gather
from hopwatch_judge.deciding import Decision, decided, span
from hopwatch_judge.expected.expected import expected
from hopwatch_judge.expected.sparse import narrowed
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.losses.by_hop import by_hop
from hopwatch_judge.losses.cut_ends import cut_at_onsets
from hopwatch_judge.losses.sent_between import with_times
from hopwatch_judge.losses.standing import standings
from hopwatch_judge.optional import highest, later_by
from hopwatch_judge.overload.pressure import Measured, pressure
from hopwatch_judge.placing.placing import placed
from hopwatch_judge.placing.proxy_counts import arrivals
from hopwatch_judge.shared_out import shared_out
from hopwatch_judge.steps import Account, EdgeOfStream, Overload, Piece, Pressure


@dataclass(frozen=True)
class Verdict:
    """All that is told of a case: accounts of what did not come, the books of receivers and hops, and the rates of hops that lost something."""

    accounts: Sequence[Account]
    delivered: Sequence[Delivered]
    passed: Sequence[Passed]
    pressure: Mapping[EdgeOfStream, Pressure]
    sent_on: Mapping[EdgeOfStream, float]
    """Seconds for which a sender went on behind an onset after which nothing came, where the pipe may have had room again."""
    overloads: Sequence[Overload]
    beyond_sent: Sequence[BeyondSent]
    unknown_full: Sequence[UnknownFull]


def judge(case: Case) -> Verdict:
    """Judge one case."""
    known = Known(case)
    gaps = narrowed(known)
    due = expected(known)
    pieces = placed(known, due)
    losses = with_times(known, cut_at_onsets(known, by_hop(pieces, standings(due.owed))))
    measured = pressure(known, losses, due.owed, gaps)
    clues = gather(known, losses, _measures(losses, measured))
    decisions = [decided(each) for each in clues]
    told = [
        *_of_ranges(pieces, clues, decisions),
        *due.unlocated,
        *due.routed,
        *shared_out.accounts(known, arrivals(known), gaps),
        *unreceived.accounts(known),
    ]
    in_window = [each for each in told if books.is_told_of(known, each.stream)]
    sure = doubts.doubted(known, in_window)
    got = books.delivered(known, due, sure.came)
    return Verdict(
        accounts=sure.accounts,
        delivered=got,
        passed=books.passed(known, due, sure.accounts, got),
        pressure=measured.edges,
        sent_on=_sent_on(clues, decisions),
        overloads=measured.overloads,
        beyond_sent=[
            each for each in beside.beyond_sent(known, due.missing) if books.is_told_of(known, each.stream)
        ],
        unknown_full=list(beside.unknown_full(known, due)),
    )


def _measures(losses: Sequence[Loss], measured: Measured) -> list[Measure]:
    clearly = {(each.to_socket, each.stretch): each.clearly for each in measured.overloads}
    return [
        Measure(
            pressure=measured.edges.get(loss.edge_of_stream, Pressure()),
            lost_until=timing.lost_until,
            overloaded=None if stretch is None else clearly.get((loss.to_socket, stretch)),
        )
        for loss, timing, stretch in zip(losses, measured.times, measured.stretch_of, strict=True)
    ]


def _of_ranges(
    pieces: Iterable[Piece], clues: Sequence[Clues], decisions: Sequence[Decision]
) -> Iterable[Account]:
    """Accounts of the ranges that receivers miss: of each receiver, as of the hop."""
    halves = by_key(
        ((each.loss, decision, span(each)) for each, decision in zip(clues, decisions, strict=True)),
        lambda half: (*half[0].edge_of_stream, half[0].lane, half[0].hop_known, half[0].whole_first),
    )
    for piece in pieces:
        missing = piece.missing
        hop = (missing.stream, piece.from_socket, piece.to_socket)
        whole = (*hop, missing.lane, piece.hop_known, missing.first)
        for loss, decision, (started_at, ended_at) in halves[whole]:
            yield Account(
                stream=missing.stream,
                receiver=missing.receiver,
                lane=missing.lane,
                mark=f"{loss.first}-{loss.last}",
                messages=loss.messages,
                depth=piece.depth,
                from_socket=piece.from_socket,
                to_socket=piece.to_socket,
                cause=decision.cause,
                exact=decision.exact,
                started_at=started_at,
                ended_at=ended_at,
                at_onset=loss.begins_at_onset,
            )


def _sent_on(clues: Sequence[Clues], decisions: Sequence[Decision]) -> dict[EdgeOfStream, float]:
    doubtful = [
        each
        for each, decision in zip(clues, decisions, strict=True)
        if each.loss.begins_at_onset and not decision.exact
    ]
    spans = by_key(doubtful, lambda each: each.loss.edge_of_stream)
    longest = {
        edge: highest(later_by(each.sent_at, each.loss.onset_at) for each in of_edge)
        for edge, of_edge in spans.items()
    }
    return {edge: seconds for edge, seconds in longest.items() if seconds is not None}
