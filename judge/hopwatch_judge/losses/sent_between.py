"""When messages were sent that carry numbers of their own: they have no stamps, and so no send times.

A sender's samples tell no more than between which two of them a number was sent; an onset tells of its own message when that was sent.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from hopwatch_judge.case import Lane
from hopwatch_judge.known import Known
from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import first_of, highest, lowest


def with_times(known: Known, losses: Sequence[Loss]) -> list[Loss]:
    """Gaps and tails of such numbers, sent no earlier than the one before them and no later than the one behind."""
    return [
        _timed(loss, lane, known)
        if (lane := known.lane.get((loss.stream, loss.lane)))
        and lane.carried
        and loss.part in ("inner", "tail")
        else loss
        for loss in losses
    ]


def _timed(loss: Loss, lane: Lane, known: Known) -> Loss:
    course = known.course(loss.stream, loss.lane)
    no_earlier = highest((course.last_without(loss.first - 1), lane.announced_at))
    since = first_of(_met_at(known, loss), no_earlier)
    until = None
    if loss.part == "inner":
        until = highest((lowest((course.first_with(loss.last + 2), loss.seen_at)), since))
    return replace(
        loss,
        before_sent_at=first_of(loss.before_sent_at, since),
        after_sent_at=first_of(loss.after_sent_at, until),
    )


def _met_at(known: Known, loss: Loss) -> float | None:
    if not loss.begins_at_onset:
        return None
    onsets = known.onsets_in.get((loss.stream, loss.lane), ())
    first, behind = (
        bisect(onsets, loss.first, key=lambda each: each.lane_number or 0)
        for bisect in (bisect_left, bisect_right)
    )
    return highest(each.at for each in onsets[first:behind])
