"""How far a lane had been numbered at a moment."""

import pytest
from hopwatch_judge.events import Progress
from hopwatch_judge.progress import Course

COURSE = Course(
    [Progress("s", 0, at, "sample", None, numbered) for at, numbered in ((3.0, 30), (1.0, 10), (2.0, 25))]
)


@pytest.mark.parametrize(("moment", "numbered"), [(0.9, None), (1.0, 10), (2.5, 25), (9.0, 30), (None, None)])
def test_by_a_moment_the_most_that_was_told_counts(moment: float | None, numbered: int | None) -> None:
    assert COURSE.by(moment) == numbered


@pytest.mark.parametrize(("moment", "numbered"), [(0.0, 10), (1.0, 25), (2.9, 30), (3.0, None), (None, None)])
def test_behind_a_moment_the_least_that_was_told_counts(moment: float | None, numbered: int | None) -> None:
    assert COURSE.behind(moment) == numbered


def test_a_reading_that_is_behind_others_takes_nothing_back() -> None:
    late = Course([Progress("s", 0, 1.0, "sample", None, 10), Progress("s", 0, 2.0, "got", None, 4)])
    assert late.by(2.0) == 10
    assert late.behind(0.0) == 4


@pytest.mark.parametrize(("numbered", "at"), [(9, None), (10, 1.0), (24, 1.0), (29, 2.0), (99, 3.0)])
def test_a_number_was_not_sent_by_the_last_reading_without_it(numbered: int, at: float | None) -> None:
    assert COURSE.last_without(numbered) == at


@pytest.mark.parametrize(("numbered", "at"), [(1, 1.0), (10, 1.0), (11, 2.0), (30, 3.0), (31, None)])
def test_a_number_was_sent_by_the_first_reading_with_it(numbered: int, at: float | None) -> None:
    assert COURSE.first_with(numbered) == at
