"""The window is cut into few buckets of a width that people count in."""

from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_analysis.terms.buckets import DAY, HOUR, MINUTE, MOST_BUCKETS, buckets_of

NOON = datetime(2026, 5, 4, 12, 0, 0, 400_000, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("took", "width"),
    [
        (timedelta(0), 1),
        (timedelta(seconds=59), 1),
        (timedelta(seconds=60), 2),
        (timedelta(minutes=4), 5),
        (timedelta(hours=1), 2 * MINUTE),
        (timedelta(days=1), 30 * MINUTE),
        (timedelta(days=3), 2 * HOUR),
        (timedelta(days=59), DAY),
        (timedelta(days=4000), 68 * DAY),
    ],
)
def test_both_moments_are_in_it_and_it_is_no_longer_than_need_be(took: timedelta, width: int) -> None:
    found = buckets_of(NOON, NOON + took)
    assert found.seconds == width
    assert 1 <= found.count <= MOST_BUCKETS
    assert found.begins_at <= NOON < found.start_of(1)
    assert found.start_of(found.count - 1) <= NOON + took < found.ends_at


def test_buckets_begin_when_a_clock_shows_a_whole_number_of_them() -> None:
    found = buckets_of(NOON + timedelta(minutes=3), NOON + timedelta(hours=1))
    assert found.begins_at == datetime(2026, 5, 4, 12, 3, tzinfo=timezone.utc)
    assert found.seconds == MINUTE


def test_an_end_before_the_beginning_makes_one_bucket() -> None:
    assert buckets_of(NOON, NOON - timedelta(hours=1)).count == 1
