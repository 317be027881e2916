"""The joint report covers a window: it leaves out streams that ended before it, and events after it."""

import pytest
from joint_docket import SINCE
from landed_folder import START, LandedFolder
from stories import Json, losing_twice, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

LONG_BEFORE = (SINCE - START).total_seconds() - 3600
"""Seconds from the start of the stories."""


def over_before(story: LandedFolder) -> None:
    """A stream that lost ten messages, an hour before the window began."""
    story.socket("bygone", "PUB", opened=LONG_BEFORE, closed=LONG_BEFORE + 50)
    story.socket("antiquary", "SUB", opened=LONG_BEFORE, closed=LONG_BEFORE + 60)
    story.subscribe("antiquary", "", seconds=LONG_BEFORE)
    story.link("bygone", "antiquary", up=LONG_BEFORE + 0.1)
    story.sent("bygone", 100, LONG_BEFORE + 40)
    story.got("antiquary", "bygone", 90, 0, 89, LONG_BEFORE + 45)


def losing_before_and_after_its_end(story: LandedFolder) -> None:
    losing_twice(story, "daybook", "clerk", again=130, ends=150)


STORIES = (over_before, losing_before_and_after_its_end)


def test_a_stream_that_ended_before_the_window_is_left_out(joint_report: Json) -> None:
    assert "bygone" not in {each["name"] for each in joint_report["ledger"]}
    assert not any(each["hop"].startswith("bygone") for each in joint_report["hops"])


def test_a_stream_that_outlasts_the_window_is_reported_up_to_its_end(joint_report: Json) -> None:
    told = row(joint_report, "daybook", "clerk")
    terms = ("sent", "delivered", "lost", "in_flight", "unexplained")
    assert [told[term] for term in terms] == [290, 280, 10, 0, 0]
    assert [each["lost"] for each in joint_report["incidents"] if each["hop"] == "daybook → clerk"] == [10]
