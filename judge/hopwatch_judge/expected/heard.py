"""What was sent since a receiver's host told of anything: its silence proves nothing."""

from collections.abc import Mapping
from dataclasses import replace

from hopwatch_judge.known import Known
from hopwatch_judge.optional import exceeds
from hopwatch_judge.ranges import Range
from hopwatch_judge.steps import LaneOfReceiver, Owed


def not_heard_of(known: Known, owed: Mapping[LaneOfReceiver, Owed]) -> dict[LaneOfReceiver, Range]:
    """Return the numbers that may have been sent since then."""
    found = {key: _not_heard_of(known, each) for key, each in owed.items()}
    return {key: each for key, each in found.items() if each is not None}


def as_heard(
    known: Known, owed: Mapping[LaneOfReceiver, Owed], unheard: Mapping[LaneOfReceiver, Range]
) -> dict[LaneOfReceiver, Owed]:
    """Return what is owed, up to those numbers."""
    return {key: _as_heard(known, each, unheard.get(key)) for key, each in owed.items()}


def _not_heard_of(known: Known, owed: Owed) -> Range | None:
    heard_until = known.socket(owed.receiver).heard_until
    if not exceeds(known.lane[owed.stream, owed.lane].moved_at, heard_until):
        return None
    first = max(owed.next, known.course(owed.stream, owed.lane).by(heard_until) or 0)
    return (first, owed.end - 1) if first < owed.end else None


def _as_heard(known: Known, owed: Owed, unheard: Range | None) -> Owed:
    heard_until = known.socket(owed.receiver).heard_until
    bound = owed.end if unheard is None else unheard[0]
    return replace(
        owed, end=min(owed.end, bound), sure_end=min(owed.sure_end, bound), heard_until=heard_until
    )
