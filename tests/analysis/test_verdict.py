"""The verdict's words for what was found: one and many, little and much, certain and inferred."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.verdict import verdict
from hopwatch_judge import Incident

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)
ONE = Incident(
    sender="src",
    receiver="disp",
    sender_type="PUB",
    receiver_type="SUB",
    sender_end="open",
    receiver_end="died",
    cause="receiver_died",
    exact=True,
    started_at=NOON,
    ended_at=NOON + timedelta(seconds=3),
    lost=1,
    runs=1,
    longest=1,
    onsets=0,
    streams=("a1",),
    stream_labels=("src",),
)


def told(incident: Incident) -> str:
    """The verdict as one line of single-spaced words."""
    return " ".join(verdict(Analysis(NOON, NOON, (), (), (incident,), ())).split())


def test_one_message_is_spoken_of_as_one() -> None:
    text = told(ONE)
    assert "src → disp: 1 message lost" in text
    assert "1 message of src did not pass src → disp, in one run" in text
    assert "disp ended before it had read it." in text
    assert "killed or crashed before it had read it" in text


def test_two_messages_are_spoken_of_as_two() -> None:
    text = told(replace(ONE, lost=2, longest=2))
    assert "src → disp: 2 messages lost" in text
    assert "2 messages of src did not pass src → disp, in one run" in text
    assert "killed or crashed before it had read them" in text


@pytest.mark.parametrize(
    "cause",
    [
        "slow_joiner",
        "reconnect",
        "closed",
        "sender_died",
        "receiver_died",
        "conflated",
        "oversize",
    ],
)
def test_no_cause_speaks_of_one_message_as_of_several(cause: str) -> None:
    text = told(replace(ONE, cause=cause, downs=1, onsets=1, receiver_left_first=True))
    seen = text.partition(" Change: ")[0]
    assert not {"they", "them", "these"} & set(seen.replace(".", "").split())


@pytest.mark.parametrize(("exact", "word"), [(True, "exact"), (False, "inferred")])
def test_certainty_is_always_said(exact: bool, word: str) -> None:
    assert f"Why: receiver_died ({word}): " in told(replace(ONE, exact=exact))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "When: 2026-05-04 12:00:00 to 12:00:03 UTC"),
        (0.4, "When: 2026-05-04 12:00:00 UTC"),
        (86400, "When: 2026-05-04 12:00:00 to 2026-05-05 12:00:00 UTC"),
        (None, "When: not known"),
    ],
)
def test_the_verdict_says_when(seconds: float | None, words: str) -> None:
    ended_at = None if seconds is None else NOON + timedelta(seconds=seconds)
    assert words in told(replace(ONE, ended_at=ended_at))


@pytest.mark.parametrize(("share", "words"), [(0.002, "less than 1 %"), (0.25, "25 %")])
def test_a_small_share_of_the_time_is_no_zero(share: float, words: str) -> None:
    incident = replace(ONE, cause="hwm_too_low", mean_rate=100.0, capacity=200.0, loss_share=share)
    assert f"the losses span {words} of the time" in told(incident)


def test_a_sender_that_closes_without_linger_is_told_of_linger_first() -> None:
    closed = replace(ONE, cause="closed", sender="src", sender_end="closed", receiver_end="closed", lost=397,
                     transport="tcp", linger=0, left_unread=False, receiver_left_first=False, sndhwm=1000, rcvhwm=10)  # fmt: skip
    text = told(closed)
    assert "Why: closed (exact): src was closed with LINGER 0, which throws away what is still queued" in text
    assert "src was closed first, and its LINGER was 0; disp was closed later, with nothing unread" in text
    assert "Change: - Set LINGER of src to the milliseconds" in text
    assert "RCVHWM of disp (10) should be" not in text


@pytest.mark.parametrize(
    "otherwise",
    [
        {"linger": -1},
        {"linger": None},
        {"receiver_left_first": True},
        {"transport": "inproc"},
        {"left_unread": True},
    ],
)
def test_linger_is_not_blamed_where_it_threw_nothing_away(otherwise: dict[str, Any]) -> None:
    facts = {"linger": 0, "transport": "tcp", "receiver_left_first": False, "rcvhwm": 10} | otherwise
    assert "LINGER" not in told(replace(ONE, cause="closed", sender_end="closed", **facts))


def test_of_very_many_incidents_the_first_are_told_and_how_many_there_are() -> None:
    many = tuple(replace(ONE, sender=f"src-{number}") for number in range(130))
    lines = verdict(Analysis(NOON, NOON, (), (), many, (), more_incidents=1000)).splitlines()
    assert sum("1 message lost" in line for line in lines) == 100
    assert "And 1030 more incidents: see the report." in lines
