"""What each receiver was owed of each lane, which numbers of it are missing, and how many more."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hopwatch_judge.events import Gap
from hopwatch_judge.expected.by_count import before_joining, unlocated
from hopwatch_judge.expected.handed_on import without_handed_on
from hopwatch_judge.expected.heard import as_heard, not_heard_of
from hopwatch_judge.expected.missing import missing, told_apart
from hopwatch_judge.expected.owed import owed
from hopwatch_judge.expected.pauses import NO_PAUSES, Pauses, pauses, since_the_first
from hopwatch_judge.expected.sparse import narrowed, tails_at_onsets
from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Range, Ranges, length, merged, rest_of, without
from hopwatch_judge.routers.located import sole_owners
from hopwatch_judge.routers.routed import untold, without_swallowed
from hopwatch_judge.routers.turns import in_turns
from hopwatch_judge.routers.unreached import unreached
from hopwatch_judge.steps import Expected, LaneOfReceiver, Missing, Owed


@dataclass(frozen=True)
class Due:
    """What is owed, and per lane of receiver: its rows, pauses of its subscription, numbers that were not owed for other reasons, those that came last
    of all, and those that may have been sent since its host told of anything.
    """

    owed: Mapping[LaneOfReceiver, Owed]
    gaps: Mapping[LaneOfReceiver, Sequence[Gap]]
    pauses: Mapping[LaneOfReceiver, Pauses]
    not_owed: Mapping[LaneOfReceiver, Sequence[Range]]
    came_behind: Mapping[LaneOfReceiver, Range]
    unheard: Mapping[LaneOfReceiver, Range]


def expected(known: Known) -> Expected:
    """Return what each receiver of a stream that is not load-balanced was owed, and what of it did not come."""
    due = _due(known)
    ranges: dict[LaneOfReceiver, Ranges] = {}
    found: list[Missing] = []
    short: dict[LaneOfReceiver, int] = {}
    for key, each in due.owed.items():
        ranges[key], of_lane = _of_lane(due, each)
        found += of_lane
        lacks = length(ranges[key]) - each.count - sum(one.last - one.first + 1 for one in of_lane)
        if lacks > 0:
            short[key] = lacks
    unheard = {key: [each] for key, each in due.unheard.items()}
    of_counts = list(unlocated(known, due.owed, short, {key: length(each) for key, each in unheard.items()}))
    counts: Counter[str] = Counter()
    for account in of_counts:
        counts[account.stream] += account.messages
    left, swallowed = without_swallowed(known, found, counts)
    return Expected(
        owed=due.owed,
        ranges=ranges,
        missing=left,
        unlocated=of_counts,
        unheard=unheard,
        routed=[*swallowed, *unreached(known, ranges, unheard, untold(known, left, counts))],
    )


def _due(known: Known) -> Due:
    gaps = narrowed(known)
    located = sole_owners(known)
    whole = without_handed_on(known, owed(known, located))
    paused = pauses(known, whole)
    whole = since_the_first(whole, paused)
    unheard = not_heard_of(known, whole)
    heard = as_heard(known, whole, unheard)
    joined = before_joining(known, heard)
    in_turn, of_others = in_turns(known, heard, located, gaps)
    tailed, came_behind = tails_at_onsets(known, in_turn)
    not_owed = {key: [*of_others.get(key, ()), *_one(joined.get(key))] for key in tailed}
    return Due(tailed, gaps, paused, not_owed, came_behind, unheard)


def _of_lane(due: Due, lane: Owed) -> tuple[list[Range], list[Missing]]:
    """Return the numbers owed of one lane, and those of them that are missing."""
    gaps = due.gaps.get(lane.key, ())
    paused = due.pauses.get(lane.key, NO_PAUSES)
    late = _numbers(gaps, "late")
    in_pauses = without(paused.skipped, merged(late))
    skipped = merged([*due.not_owed[lane.key], *_numbers(gaps, "skipped"), *in_pauses])
    holes = merged([*skipped, *late, *_one(due.came_behind.get(lane.key))])
    found = told_apart(missing(lane, gaps, holes), paused.unsure)
    return list(rest_of(0, lane.end - 1, skipped)), list(found)


def _numbers(gaps: Iterable[Gap], action: str) -> list[Range]:
    return [(gap.first, gap.last) for gap in gaps if gap.action == action]


def _one(each: Range | None) -> tuple[Range, ...]:
    return () if each is None else (each,)
