"""Lanes whose stamps are sparse: how many messages are missing is known exactly, and which of them is not.

Numbers stand for them, as many as are missing: those from the sender's first onset on of a gap (else the first ones), and of a lane's tail (else the
last ones). So each sum over ranges is exact, while what rests on the place of a number in its gap is inferred at best.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hopwatch_judge.events import Gap, Onset
from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Range, points_in
from hopwatch_judge.steps import LaneOfReceiver, Owed


def narrowed(known: Known) -> dict[LaneOfReceiver, list[Gap]]:
    """Return rows of all actions by lane of receiver, each once, in the order of their numbers: gaps with more numbers than are missing cut down to as
    many, and what came late of those left out.
    """
    return {
        (stream, receiver, lane): _narrowed(
            list(dict.fromkeys(gaps)), known.onsets_in.get((stream, lane), ())
        )
        for (stream, receiver, lane), gaps in known.gaps_of.items()
    }


def tails_at_onsets(
    known: Known, owed: Mapping[LaneOfReceiver, Owed]
) -> tuple[dict[LaneOfReceiver, Owed], dict[LaneOfReceiver, Range]]:
    """Return what is owed with tails that begin at their onset, and the numbers that came last of all instead.

    Of a tail that an onset is shown to have begun among messages that came without a stamp, those from there on are missing: not those behind as many
    as came, of which some came when the pipe had room again.
    """
    began = {key: _onset_of_tail(known, each) for key, each in owed.items()}
    onsets = {key: onset for key, onset in began.items() if onset is not None}
    moved = {key: replace(owed[key], next=onset) for key, onset in onsets.items()}
    behind = {
        key: (owed[key].sure_end - (owed[key].next - onset), owed[key].sure_end - 1)
        for key, onset in onsets.items()
    }
    return {**owed, **moved}, behind


def _narrowed(gaps: list[Gap], onsets: Sequence[Onset]) -> list[Gap]:
    sparse = [gap for gap in gaps if _is_sparse(gap)]
    if not sparse:
        return gaps
    late = [gap.first for gap in gaps if gap.action == "late"]
    taken_in = {number for gap in sparse for number in points_in(late, gap.first, gap.last)}
    others = (
        gap for gap in gaps if not _is_sparse(gap) and not (gap.action == "late" and gap.first in taken_in)
    )
    return sorted([*others, *_cut(sparse, late, onsets)], key=lambda gap: (gap.first, gap.last))


def _cut(sparse: Sequence[Gap], late: Sequence[int], onsets: Sequence[Onset]) -> Iterator[Gap]:
    for gap in sparse:
        lost = gap.lost or 0
        onset = _first_onset(onsets, gap.first, gap.last - lost + 1)
        first = gap.first if onset is None else onset
        missing = lost - len(points_in(late, gap.first, gap.last))
        if missing > 0:
            yield gap._replace(first=first, last=first + missing - 1, lost=missing, sparse=True)


def _is_sparse(gap: Gap) -> bool:
    return gap.action == "gap" and gap.lost is not None and gap.lost < gap.last - gap.first + 1


def _onset_of_tail(known: Known, owed: Owed) -> int | None:
    if owed.by_count or owed.sure_end <= owed.next:
        return None
    onsets = known.onsets_in.get((owed.stream, owed.lane), ())
    return _first_onset(onsets, owed.next - owed.came, owed.next - 1)


def _first_onset(onsets: Sequence[Onset], first: int, last: int) -> int | None:
    at = bisect_left(onsets, first, key=_lane_number)
    return _lane_number(onsets[at]) if at < len(onsets) and _lane_number(onsets[at]) <= last else None


def _lane_number(onset: Onset) -> int:
    return onset.lane_number or 0
