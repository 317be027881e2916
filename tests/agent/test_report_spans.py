"""Times at which an analysis tells of losses: whether one of them meets another."""

from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_agent.report.spans import Spans

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)


def at(second: float) -> datetime:
    return NOON + timedelta(seconds=second)


SPANS = Spans([(at(50), at(60)), (at(0), at(10)), (at(8), at(20)), (at(2), at(4)), (at(60), at(61))])


@pytest.mark.parametrize(
    ("began", "ended", "meet"),
    [
        (-5, -1, False),
        (-5, 0, True),
        (5, 6, True),
        (15, 16, True),
        (20, 30, True),
        (21, 49, False),
        (21, 50, True),
        (-5, 90, True),
        (61, 70, True),
        (62, 70, False),
    ],
)
def test_spans_meet_what_has_a_moment_in_common_with_them(began: float, ended: float, meet: bool) -> None:
    assert SPANS.meet(at(began), at(ended)) is meet


def test_no_span_meets_nothing() -> None:
    assert not Spans([]).meet(at(0), at(1))
