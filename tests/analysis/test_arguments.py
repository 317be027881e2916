"""What arguments of the command line mean."""

import argparse
from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_analysis.arguments import moment


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("90s", timedelta(seconds=90)),
        ("30m", timedelta(minutes=30)),
        ("1.5h", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
    ],
)
def test_how_long_ago_is_a_time(text: str, ago: timedelta) -> None:
    before = datetime.now(timezone.utc)
    told = moment(text)
    assert before - ago <= told <= datetime.now(timezone.utc) - ago


@pytest.mark.parametrize("text", ["2026-05-04T12:30:00", "2026-05-04T12:30:00Z", "2026-05-04T14:30:00+02:00"])
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert moment(text) == datetime(2026, 5, 4, 12, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize("text", ["", "yesterday", "24", "24 h", "-2h", "1e9d", "9999999999d", "٣h"])
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="or as 30m, 24h or 7d ago"):
        moment(text)
