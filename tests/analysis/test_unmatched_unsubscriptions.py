"""What was unsubscribed from once more than it was subscribed to: libzmq takes no notice of that one, and nothing is hidden by it."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def killed_with_most_unread(story: LandedFolder, sender: str, receiver: str) -> None:
    """It had read 200 of 1000 when it was killed."""
    story.socket(sender, "PUB", closed=50)
    story.socket(receiver, "SUB")
    story.link(sender, receiver)
    story.sent(sender, 1000, 25, topic="talk")
    story.got(receiver, sender, 200, 0, 199, 29, newest=10, final=False)
    story.killed(receiver, 30.5)


def left_what_it_never_had(story: LandedFolder) -> None:
    killed_with_most_unread(story, "news", "careful")
    story.unsubscribe("careful", "talk", 0.02)
    story.subscribe("careful", "talk", seconds=0.03)


def left_twice_and_came_back(story: LandedFolder) -> None:
    killed_with_most_unread(story, "views", "fickle")
    story.subscribe("fickle", "talk", seconds=0.02)
    for seconds in (0.03, 0.04):
        story.unsubscribe("fickle", "talk", seconds)
    story.subscribe("fickle", "talk", seconds=0.05)


def left_again_long_after_it_had_left(story: LandedFolder) -> None:
    story.socket("stories", "PUB", closed=50)
    story.socket("prompt", "SUB", closed=40)
    story.link("stories", "prompt", down=40, sent=4000)
    story.subscribe("prompt", "talk")
    for seconds in (15, 35):
        story.unsubscribe("prompt", "talk", seconds)
    for seconds, count in ((10, 1000), (20, 2000), (30, 3000)):
        story.sent("stories", count, seconds, topic="talk", final=False)
    story.sent("stories", 4000, 50, topic="talk")
    story.got("prompt", "stories", 1500, 0, 1499, 15, newest=14.95)


def got_messages_long_after_it_had_left(story: LandedFolder) -> None:
    """So there was a subscription more, of which nothing tells."""
    killed_with_most_unread(story, "gossip", "listener")
    story.unsubscribe("listener", "talk", 0.02)


STORIES = (
    left_what_it_never_had,
    left_twice_and_came_back,
    left_again_long_after_it_had_left,
    got_messages_long_after_it_had_left,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(("sender", "receiver"), [("news", "careful"), ("views", "fickle")])
def test_who_then_subscribes_is_owed_all(report: Json, sender: str, receiver: str) -> None:
    assert incidents(report, sender) == [(f"{sender} → {receiver}", "receiver_died", "exact", 800)]


def test_who_had_left_before_is_owed_no_more_for_it(report: Json) -> None:
    found = row(report, "stories", "prompt")
    assert (found["sent"], found["delivered"]) == (1500, 1500)


def test_what_came_later_shows_that_it_still_wanted_some(report: Json) -> None:
    assert row(report, "gossip", "listener")["causes"] == {"unexplained": 800}
