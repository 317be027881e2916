"""Where stamps are sparse, as many numbers as are missing stand for those that are."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Receipt
from hopwatch_judge.events import Gap, Onset
from hopwatch_judge.expected.owed import owed
from hopwatch_judge.expected.sparse import narrowed, tails_at_onsets
from judged import KEY, RECEIPT, known


def gap(first: int, last: int, lost: int | None = None, action: str = "gap") -> Gap:
    return Gap("x", "y", 0, action, first, last, lost)


def onset(number: int, lane: int = 0) -> Onset:
    return Onset("x", number, lane, number, 50.0)


LATE = gap(15, 15, action="late")


@pytest.mark.parametrize(
    ("gaps", "onsets", "expected"),
    [
        pytest.param([gap(10, 19, 4)], [], [(10, 13)], id="the first ones"),
        pytest.param([gap(10, 19, 4)], [onset(12)], [(12, 15)], id="those from the onset on"),
        pytest.param([gap(10, 19, 4)], [onset(14), onset(12)], [(12, 15)], id="from the first onset on"),
        pytest.param([gap(10, 19, 4)], [onset(16)], [(16, 19)], id="up to the last one"),
        pytest.param([gap(10, 19, 4)], [onset(17)], [(10, 13)], id="an onset too late for so many"),
        pytest.param([gap(10, 19, 4)], [onset(9), onset(12, lane=1)], [(10, 13)], id="an onset elsewhere"),
        pytest.param([gap(10, 19, 4), LATE], [], [(10, 12)], id="without what came late"),
        pytest.param([gap(10, 19, 1), LATE], [], [], id="if all came late, none"),
        pytest.param([gap(10, 19, 4), LATE, gap(15, 16, action="skipped")], [], [(10, 12), (15, 16)], id="beside others"),
        pytest.param([gap(10, 19, 9)], [], [(10, 18)], id="all but one"),
        pytest.param([gap(10, 19, 4), gap(30, 30, action="late")], [], [(10, 13), (30, 30)], id="late elsewhere"),
        pytest.param([gap(10, 19, 4), gap(40, 44)], [], [(10, 13), (40, 44)], id="beside a whole gap"),
        pytest.param([gap(10, 19, 10)], [onset(12)], [(10, 19)], id="all are missing"),
        pytest.param([gap(10, 19), LATE], [], [(10, 19), (15, 15)], id="it is not known how many"),
        pytest.param([gap(10, 19, 4, "skipped")], [], [(10, 19)], id="they were skipped"),
        pytest.param([gap(10, 19, 4), gap(10, 19, 4)], [], [(10, 13)], id="told twice"),
    ],
)  # fmt: skip
def test_a_gap_is_cut_down_to_as_many_as_are_missing(
    gaps: list[Gap], onsets: list[Onset], expected: list[tuple[int, int]]
) -> None:
    cut = narrowed(known(gaps=tuple(gaps), onsets=tuple(onsets)))
    assert [(each.first, each.last) for each in cut[KEY]] == expected


def test_a_gap_that_was_cut_says_so() -> None:
    (cut,), (whole,) = (narrowed(known(gaps=(gap(10, 19, lost),)))[KEY] for lost in (4, 10))
    assert (cut.sparse, cut.lost) == (True, 4)
    assert (whole.sparse, whole.lost) == (False, 10)


TAIL = replace(RECEIPT, count=50, next=50, since=20)
"""Of 50 messages behind the last stamp 20 came."""


@pytest.mark.parametrize(
    ("receipt", "onsets", "tail", "came_behind"),
    [
        pytest.param(TAIL, [], 70, None, id="no onset"),
        pytest.param(TAIL, [onset(60), onset(65)], 60, (90, 99), id="the first among those that came"),
        pytest.param(TAIL, [onset(49), onset(70)], 70, None, id="an onset elsewhere"),
        pytest.param(replace(TAIL, since=50), [onset(60)], 100, None, id="nothing is missing"),
        pytest.param(replace(TAIL, by_count=True), [onset(60)], 70, None, id="known by count"),
    ],
)
def test_a_tail_begins_at_its_onset(
    receipt: Receipt, onsets: list[Onset], tail: int, came_behind: tuple[int, int] | None
) -> None:
    case = known(receipts=(receipt,), onsets=tuple(onsets))
    due, behind = tails_at_onsets(case, owed(case, frozenset()))
    assert (due[KEY].next, behind.get(KEY)) == (tail, came_behind)
