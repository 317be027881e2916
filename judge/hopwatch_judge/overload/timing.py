"""When the messages of a loss were sent, and for how long their pipe was full: at most, and proven.

They were sent between the message before them and the one behind. That one may come long after: a sender
with nothing to say sends nothing, and such a time does not show that its receiver is too slow.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import later_by, reaches
from hopwatch_judge.overload.pace import Pace, paces
from hopwatch_judge.overload.spans import seconds
from hopwatch_judge.overload.unbroken import unbroken
from hopwatch_judge.progress import NO_COURSE, Course
from hopwatch_judge.thresholds import AS_EVEN, READ_AT_ONCE_WITHIN


class Timed(NamedTuple):
    """When the messages of a loss were sent: from ``lost_since`` to ``lost_until``; None: not known.

    The pipe is proven to have been full from ``lost_since`` to ``proven_until``. ``seen_late``: seconds from
    the send of the message behind them to its receipt, on one host. ``unbroken``: none of them found room.
    """

    lost_since: float | None = None
    lost_until: float | None = None
    proven_until: float | None = None
    seen_late: float | None = None
    unbroken: bool = False


class _Counted(NamedTuple):
    """When samples of the sender had counted the first of a range, all of it, and not yet its last."""

    first_at: float | None = None
    all_at: float | None = None
    not_all_at: float | None = None


def timed(known: Known, losses: Sequence[Loss]) -> list[Timed]:
    """Return when each loss happened, by its place."""
    courses = _courses(known, {(loss.stream, loss.lane) for loss in losses})
    whole = unbroken(known, losses)
    return [
        _timed(known, loss, courses, pace, is_unbroken)
        for loss, pace, is_unbroken in zip(losses, paces(losses), whole, strict=True)
    ]


def _courses(known: Known, lanes: set[tuple[str, int]]) -> dict[tuple[str, int], Course]:
    """Return what senders themselves counted of their lanes."""
    samples = (
        each
        for each in known.case.progress
        if each.messages and each.kind != "got" and (each.stream, each.lane) in lanes
    )
    return {
        lane: Course(readings)
        for lane, readings in by_key(samples, lambda each: (each.stream, each.lane)).items()
    }


def _timed(
    known: Known, loss: Loss, courses: Mapping[tuple[str, int], Course], pace: Pace, is_unbroken: bool
) -> Timed:
    since, until, late = loss.before_sent_at, _sent_until(known, loss), _seen_late(known, loss)
    if since is None or until is None:
        return Timed(seen_late=late, unbroken=is_unbroken)
    until = max(since, until)
    counted = _counted(loss, courses.get((loss.stream, loss.lane), NO_COURSE))
    proven = min(until, _proven_until(loss, since, pace, counted)) if is_unbroken else since
    if reaches(READ_AT_ONCE_WITHIN, late):
        until = _before_the_pause(loss, since, until, pace, counted)
    return Timed(since, until, proven, late, is_unbroken)


def _sent_until(known: Known, loss: Loss) -> float | None:
    """Return when the message behind a gap was sent, or the lane's last one where the range is its end."""
    if loss.part == "inner":
        return loss.after_sent_at
    lane = known.lane.get((loss.stream, loss.lane))
    return lane.moved_at if lane and loss.part == "tail" and loss.last + 1 >= lane.sent else None


def _seen_late(known: Known, loss: Loss) -> float | None:
    if loss.part != "inner" or loss.after is None or loss.seen_at is None or loss.after_sent_at is None:
        return None
    if not on_one_host(known, loss.stream, loss.seen_by):
        return None
    return abs(seconds(loss.after_sent_at, loss.seen_at))


def on_one_host(known: Known, one: str | None, other: str | None) -> bool:
    """Say whether two sockets are known to be on one host, and so have one clock."""
    host = known.socket(one).host
    return host is not None and host == known.socket(other).host


def _counted(loss: Loss, course: Course) -> _Counted:
    """Look a range up in its sender's samples. Numbers of sparse stamps stand for others."""
    if loss.sparse:
        return _Counted()
    return _Counted(
        course.first_with(loss.first + 1), course.first_with(loss.last + 1), course.last_without(loss.last)
    )


def _before_the_pause(loss: Loss, since: float, until: float, pace: Pace, counted: _Counted) -> float:
    """Return when a range had been sent, if the message behind it met an empty pipe."""
    at_pace = None
    if pace.of_stream is not None and loss.after is not None and loss.before is not None:
        at_pace = since + pace.of_stream * (loss.after - loss.before)
    ends = (until, counted.all_at, at_pace)
    return max(since, min(end for end in ends if end is not None))


def _proven_until(loss: Loss, since: float, pace: Pace, counted: _Counted) -> float:
    """Return until when an unbroken range shows a full pipe, by its sender's samples or by its even pace."""
    by_samples = since + max(0.0, later_by(counted.not_all_at, counted.first_at) or 0.0)
    if pace.beside is None:
        return by_samples
    took = pace.beside * (loss.last - loss.first + 2)
    is_even = reaches(later_by(loss.after_sent_at, loss.before_sent_at), AS_EVEN * took)
    return max(by_samples, since + took) if is_even else by_samples
