"""What an edge of a stream lost, taken together."""

from collections.abc import Sequence
from typing import NamedTuple

from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import highest, lowest
from hopwatch_judge.overload.spans import spanned
from hopwatch_judge.overload.timing import Timed

TimedLoss = tuple[Loss, Timed]


class LostOnEdge(NamedTuple):
    """An edge's losses. ``spanned``: for how many seconds its pipe was full at most; ``proven``: at least.

    ``first_at``: when the message before the first loss was sent; ``over_at``: when the one behind the last
    was. ``to_the_end``: nothing came behind some of them.
    """

    losses: Sequence[TimedLoss]
    spanned: float | None
    proven: float | None
    first_at: float | None
    over_at: float | None
    to_the_end: bool


def together(losses: Sequence[TimedLoss]) -> LostOnEdge:
    """Put the losses of one edge of a stream together; those of its lanes that overlap count once."""
    spans = sorted(
        (time.lost_since, time.lost_until, time.proven_until)
        for _, time in losses
        if time.lost_since is not None and time.lost_until is not None and time.proven_until is not None
    )
    return LostOnEdge(
        losses,
        spanned=spanned((since, until) for since, until, _ in spans),
        proven=spanned((since, proven_until) for since, _, proven_until in spans),
        first_at=lowest(loss.before_sent_at for loss, _ in losses if _shows_when(loss)),
        over_at=highest(loss.after_sent_at for loss, _ in losses),
        to_the_end=any(loss.part in ("tail", "all") for loss, _ in losses),
    )


def _shows_when(loss: Loss) -> bool:
    """Say whether a loss began right behind ``before_sent_at``: by samples alone, it may begin later."""
    return loss.begins_at_onset or loss.after is not None or loss.way_newest_sent_at is not None
