"""The joint report is of a window: what was over before it, and what happened after it, is not told of."""

import pytest
from joint_docket import SINCE
from landed_folder import START, LandedFolder
from stories import Json, pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

LONG_BEFORE = (SINCE - START).total_seconds() - 3600
AFTER = 130
"""Seconds into the stories: the window ends at 120."""


def over_before(story: LandedFolder) -> None:
    """A stream that lost ten messages, an hour before the window began."""
    story.socket("bygone", "PUB", opened=LONG_BEFORE, closed=LONG_BEFORE + 50)
    story.socket("antiquary", "SUB", opened=LONG_BEFORE, closed=LONG_BEFORE + 60)
    story.subscribe("antiquary", "", seconds=LONG_BEFORE)
    story.link("bygone", "antiquary", up=LONG_BEFORE + 0.1)
    story.sent("bygone", 100, LONG_BEFORE + 40)
    story.got("antiquary", "bygone", 90, 0, 89, LONG_BEFORE + 45)


def losing_in_it_and_after_it(story: LandedFolder) -> None:
    """Ten messages at 20 seconds, and thirty when the window is over."""
    pub_sub(story, "daybook", "clerk", closed=None)
    lost = 0
    for number, loss, second in ((0, 0, 10), (100, 10, 20), (200, 0, 50), (300, 30, AFTER), (400, 0, 150)):
        lost += loss
        if loss:
            story.onset("daybook", number, second - 0.5)
            story.gap("clerk", "daybook", number, number + loss - 1, (second - 0.5, second))
        story.sent("daybook", number + 90, second, final=second == 150)
        story.got("clerk", "daybook", number + 90 - lost, 0, number + 89, second + 0.1, final=second == 150)


STORIES = (over_before, losing_in_it_and_after_it)


def test_what_was_over_before_it_is_not_told_of(joint_report: Json) -> None:
    assert "bygone" not in {each["name"] for each in joint_report["ledger"]}
    assert not any(each["hop"].startswith("bygone") for each in joint_report["hops"])


def test_what_goes_on_after_it_is_told_of_as_far_as_its_end(joint_report: Json) -> None:
    told = row(joint_report, "daybook", "clerk")
    terms = ("sent", "delivered", "lost", "in_flight", "unexplained")
    assert [told[term] for term in terms] == [290, 280, 10, 0, 0]
    assert [each["lost"] for each in joint_report["incidents"] if each["hop"] == "daybook → clerk"] == [10]
