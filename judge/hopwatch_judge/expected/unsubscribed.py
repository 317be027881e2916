"""How much of a lane a receiver was owed that unsubscribed from it: what was sent until then, as far as readings tell."""

from typing import NamedTuple

from hopwatch_judge.optional import later_by
from hopwatch_judge.progress import Course
from hopwatch_judge.thresholds import CAUGHT_UP_WITHIN


class Ends(NamedTuple):
    """One past the last number that was owed for certain, and past the last that may have been."""

    sure: int
    end: int


def ends_of_unsubscribed(
    expects: int, sent: int, newest_sent_at: float | None, unsubscribed_at: float | None, course: Course
) -> Ends:
    """Return how far the lane was owed to a receiver that ``expects`` this number next.

    One that was reading the newest messages when it unsubscribed was owed no more, and one that never subscribed, as far as is known, neither. Where
    it got what was sent long after, it had subscribed once more than is known, or clocks differ.
    """
    lag = later_by(unsubscribed_at, newest_sent_at)
    if unsubscribed_at is None or (lag is not None and abs(lag) <= CAUGHT_UP_WITHIN):
        return Ends(expects, expects)
    if lag is not None and lag < 0:
        return Ends(expects, max(expects, sent))
    at_least = max(expects, course.by(unsubscribed_at) or 0)
    behind = course.behind(unsubscribed_at)
    at_most = sent if behind is None else min(behind, sent)
    return Ends(at_least, max(at_least, at_most))
