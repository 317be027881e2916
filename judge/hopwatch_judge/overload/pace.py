"""How fast a sender sent what passed between its losses."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hopwatch_judge.known import by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import later_by, lowest


class Pace(NamedTuple):
    """Seconds a message; None where nothing shows it.

    ``of_stream``: of all that passed between the losses of the lane. ``beside``: of the lane alone, just
    before the range or just behind it, whichever is less.
    """

    of_stream: float | None = None
    beside: float | None = None


class _Passed(NamedTuple):
    """Messages between two losses of a lane: ``steps`` of the stream, and ``own`` of the lane."""

    took: float
    steps: int
    own: int

    @property
    def each(self) -> float | None:
        return self.took / self.own if self.own > 0 else None


def paces(losses: Sequence[Loss]) -> list[Pace]:
    """Return the pace at which each loss's sender sent, by the place of the loss."""
    found = [Pace()] * len(losses)
    lanes = by_key(range(len(losses)), lambda at: (*losses[at].edge_of_stream, losses[at].lane))
    for places in lanes.values():
        places.sort(key=lambda at: (losses[at].first, losses[at].last))
        for at, pace in zip(places, _of_lane([losses[at] for at in places]), strict=True):
            found[at] = pace
    return found


def _of_lane(losses: Sequence[Loss]) -> Iterator[Pace]:
    before = [None, *map(_passed, losses, losses[1:])]
    behind = [*before[1:], None]
    steps = sum(each.steps for each in before if each)
    of_stream = sum(each.took for each in before if each) / steps if steps else None
    for one, other in zip(before, behind, strict=True):
        yield Pace(of_stream, lowest((one and one.each, other and other.each)))


def _passed(loss: Loss, following: Loss) -> _Passed | None:
    took = later_by(following.before_sent_at, loss.after_sent_at)
    if took is None or took < 0 or following.before is None or loss.after is None:
        return None
    steps = following.before - loss.after
    return _Passed(took, steps, following.first - loss.last - 2) if steps > 0 else None
