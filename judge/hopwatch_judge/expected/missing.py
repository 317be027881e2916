"""What a receiver did not get of what it was owed, as ranges: before its first number, between, and behind its last."""

from collections.abc import Iterable, Iterator

from hopwatch_judge.events import Gap
from hopwatch_judge.ranges import Ranges, common, rest_of
from hopwatch_judge.steps import Missing, Owed


def missing(owed: Owed, gaps: Iterable[Gap], holes: Ranges) -> Iterator[Missing]:
    """Yield the numbers owed and not received. ``gaps``: of any action; ``holes``: numbers that came late, or were not owed."""
    if owed.by_count:
        return
    for each in (*_ends(owed), *_inner(gaps)):
        for first, last in rest_of(each.first, each.last, holes):
            yield _part(each, first, last)


def told_apart(ranges: Iterable[Missing], unsure: Ranges) -> Iterator[Missing]:
    """Yield the ranges, cut: as "unsure" where they may not have been owed."""
    for each in ranges:
        for first, last in rest_of(each.first, each.last, unsure):
            yield _part(each, first, last)
        for first, last in common(each.first, each.last, unsure):
            yield each._replace(first=first, last=last, part="unsure")


def _ends(owed: Owed) -> Iterator[Missing]:
    """Yield what is missing before the first number and behind the last, each with ``first`` > ``last`` if nothing is."""
    if owed.count == 0:  # what was sent before the connection came up is told apart, where that is known
        cut = min(owed.joined_at_number or 0, owed.sure_end)
        yield Missing(*owed.key, 0, cut - 1, "all")
        yield Missing(*owed.key, cut, owed.sure_end - 1, "all")
    else:
        newest, sparse = owed.newest_sent_at, owed.came > 0
        yield Missing(*owed.key, 0, owed.first - 1, "head")
        yield Missing(*owed.key, owed.next, owed.sure_end - 1, "tail", before_sent_at=newest, sparse=sparse)
    yield Missing(*owed.key, owed.sure_end, owed.end - 1, "unsure", before_sent_at=owed.newest_sent_at)


def _inner(gaps: Iterable[Gap]) -> Iterator[Missing]:
    for gap in gaps:
        if gap.action == "gap":
            yield Missing(
                gap.stream,
                gap.receiver,
                gap.lane,
                gap.first,
                gap.last,
                "inner",
                gap.before,
                gap.after,
                gap.before_sent_at,
                gap.after_sent_at,
                seen_at=gap.at,
                sparse=gap.sparse,
            )


def _part(each: Missing, first: int, last: int) -> Missing:
    whole = (first, last) == (each.first, each.last)
    return each if whole else each._replace(first=first, last=last)
