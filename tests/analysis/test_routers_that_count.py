"""A ROUTER that is probed tells of swallowed messages when it closes; its counter had them earlier."""

import pytest
from landed_folder import LandedFolder, at
from stories import Json

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def swallows_twice(story: LandedFolder) -> None:
    """Its counter has all six at 6 seconds; it tells of the last two at 20.5."""
    story.socket("turnpike", "ROUTER", sequence=None)
    story.unroutable("turnpike", 5, number=3, lane=None, messages=4)
    story.unroutable("turnpike", 20.5, number=7, lane=None, messages=2)
    story.counters("turnpike", 6, sent=50, unroutable=6)
    story.counters("turnpike", 20, sent=50, unroutable=6)
    story.killed("turnpike", 21)


STORIES = (swallows_twice,)


def told_at(seconds: float) -> str:
    """Return a time as a report shows it."""
    return at(seconds).isoformat().replace("+00:00", "Z")


def test_messages_were_swallowed_by_the_time_the_counter_had_them(joint_report: Json) -> None:
    (found,) = (each for each in joint_report["incidents"] if each["hop"].startswith("turnpike →"))
    assert found["cause"] == "unroutable"
    assert (found["lost"], found["started_at"], found["ended_at"]) == (6, told_at(5), told_at(6))
    assert "run" not in found["evidence"][0]["text"]
