"""What receivers are not owed of lanes that they left and came back to: what was sent in between.

Where messages come after such a pause, their receiver itself tells which numbers it was not owed. So only numbers before its first and behind its last
one are told of here, as far as readings of what was sent tell. Not known to be owed are those sent between the last reading before a subscription came
back and the first one behind that; and what had not come yet when the receiver left: it throws away itself what it has not read of a topic that it
unsubscribes from.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from hopwatch_judge.expected.subscriptions import Change, changes_of_returner
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.optional import exceeds, highest, later_by, reaches
from hopwatch_judge.progress import Course
from hopwatch_judge.ranges import Range, merged
from hopwatch_judge.steps import LaneOfReceiver, Owed
from hopwatch_judge.thresholds import CAUGHT_UP_WITHIN, CLOCKS_TOLD_WITHIN


@dataclass(frozen=True, slots=True)
class Pauses:
    """Of one lane: when subscriptions came back, and numbers that were not owed (``skipped``) or may not have been (``unsure``)."""

    back_at: Sequence[float] = ()
    skipped: Sequence[Range] = ()
    unsure: Sequence[Range] = ()


NO_PAUSES = Pauses()


class _Pause(NamedTuple):
    """When no subscription covered a lane, though one did before, from ``since`` on, and after."""

    since: float
    left_at: float
    back_at: float


class _Counts(NamedTuple):
    """How many messages of the lane were sent by then. ``began``: when the lane was covered before; ``soon``: when the subscription that came back
    had come to the sender.
    """

    began: int
    when_left: int
    when_back: int
    soon: int


def pauses(known: Known, owed: Mapping[LaneOfReceiver, Owed]) -> dict[LaneOfReceiver, Pauses]:
    """Return the pauses of lanes whose receivers came back to what they had left."""
    found: dict[LaneOfReceiver, Pauses] = {}
    for receiver, lanes in by_key(owed.values(), lambda each: each.receiver).items():
        changes = by_key(changes_of_returner(known.subscribed_by.get(receiver, ())), lambda each: each.topic)
        sizes = {len(topic) for topic in changes}
        for each in lanes:
            topic = known.lane[each.stream, each.lane].topic
            beginnings = {topic[:size] for size in sizes if size <= len(topic)}
            covering = sorted(change for beginning in beginnings for change in changes.get(beginning, ()))
            paused = [] if each.by_count else list(_paused(each, covering))
            if paused:
                found[each.key] = _pauses(each, paused, known.course(each.stream, each.lane))
    return found


def since_the_first(
    owed: Mapping[LaneOfReceiver, Owed], pauses: Mapping[LaneOfReceiver, Pauses]
) -> dict[LaneOfReceiver, Owed]:
    """Return what is owed, with lanes whose beginning is missing ``subscribed_at`` when they were covered at last before their first message came."""
    back_at = {key: _back_before_the_first(owed[key], each) for key, each in pauses.items()}
    later = {key: replace(owed[key], subscribed_at=at) for key, at in back_at.items() if at is not None}
    return {**owed, **later}


def _back_before_the_first(owed: Owed, pauses: Pauses) -> float | None:
    if owed.first == 0:
        return None
    return highest(at for at in pauses.back_at if reaches(owed.got_first_at, at))


def _paused(owed: Owed, changes: Sequence[Change]) -> Iterator[_Pause]:
    """Yield the pauses between changes of topics that the lane's topic begins with."""
    cover, began, left = 0, 0.0, None
    for change in changes:
        cover += change.step
        if cover == 0:
            left = change.at
        elif change.step > 0 and cover == 1:
            if left is not None:
                yield _Pause(max(began, owed.subscribed_at or began), left, back_at=change.at)
            began = change.at


def _pauses(owed: Owed, paused: Sequence[_Pause], course: Course) -> Pauses:
    back_at = [pause.back_at for pause in paused]
    if not course.readings:
        return Pauses(back_at)
    counts = _counted(owed, paused, course)
    skipped: list[Range] = []
    unsure: list[Range] = []
    for pause, sent in zip(paused, counts, strict=True):
        if not exceeds(later_by(owed.newest_sent_at, pause.left_at), CAUGHT_UP_WITHIN):
            left_from = owed.next if _had_caught_up(owed, pause) else sent.when_left
            unsure += _behind(owed.next, (sent.began, left_from - 1), (sent.when_back, sent.soon - 1))
            skipped += _behind(owed.next, (left_from, sent.when_back - 1))
        if _before_the_first(owed, pause, sent):
            unsure += _before(owed.first, (sent.began, sent.when_left - 1))
            skipped += _before(owed.first, (sent.when_left, sent.soon - 1))
    return Pauses(back_at, merged(skipped), merged(unsure))


def _counted(owed: Owed, paused: Sequence[_Pause], course: Course) -> list[_Counts]:
    behind = [course.behind(pause.back_at + CLOCKS_TOLD_WITHIN) for pause in paused]
    soon = [owed.sent if count is None else count for count in behind]
    when_left = [course.by(pause.left_at) or 0 for pause in paused]
    began = [course.by(paused[0].since) or 0, *soon]
    until = [min(*ends) for ends in zip(soon, [*when_left[1:], soon[-1]], strict=True)]
    when_back = [course.by(pause.back_at) or 0 for pause in paused]
    return [_Counts(*each) for each in zip(began, when_left, when_back, until, strict=False)]


def _behind(number: int, *ranges: Range) -> list[Range]:
    return [(max(first, number), last) for first, last in ranges]


def _before(number: int, *ranges: Range) -> list[Range]:
    return [(first, min(last, number - 1)) for first, last in ranges]


def _had_caught_up(owed: Owed, pause: _Pause) -> bool:
    """Return whether it had got what was sent just before it left."""
    lag = later_by(pause.left_at, owed.newest_sent_at)
    return lag is not None and abs(lag) <= CAUGHT_UP_WITHIN


def _before_the_first(owed: Owed, pause: _Pause, sent: _Counts) -> bool:
    """Return whether the first message that came was sent after the pause."""
    return sent.when_back <= owed.first and reaches(owed.got_first_at, pause.back_at)
