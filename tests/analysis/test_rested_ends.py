"""Ends of lanes that no closing socket took along: nothing was on its way any more when the first end was closed."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

CLOSED = 50


def closed_in_order(story: LandedFolder, pub: str, sub: str, **marks: int) -> None:
    """The sender first; the receiver saw it go, and closed with nothing unread."""
    story.socket(pub, "PUB", closed=CLOSED, **marks)
    story.socket(sub, "SUB", closed=CLOSED + 1)
    story.subscribe(sub, "")
    ToldConnection(story, pub, sub).down(CLOSED + 0.01, told_by=sub)


def room_again_behind_the_last_stamp(story: LandedFolder) -> None:
    """Of 1500 messages, one in 16 stamped, 1018 came, then none until the pipe had room for the last ten: 19 came without a stamp after the last one."""
    closed_in_order(story, "sieve", "grain", sndhwm=500)
    story.sent("sieve", 1500, 44)
    story.onset("sieve", 1018, 43)
    story.got("grain", "sieve", 1009, 0, 1008, 46, newest=42.99, since=19)


def late_to_close(story: LandedFolder) -> None:
    """The last ten of 100 did not come, and both ends rested for six seconds before the sender was closed."""
    closed_in_order(story, "sleeper", "dreamer")
    story.sent("sleeper", 100, 40)
    story.got("dreamer", "sleeper", 90, 0, 89, 44, newest=39)


def soon_to_close(story: LandedFolder) -> None:
    """They were sent just before the sender was closed."""
    closed_in_order(story, "runner", "follower")
    story.sent("runner", 100, 49.9)
    story.got("follower", "runner", 90, 0, 89, 44, newest=39)


STORIES = (room_again_behind_the_last_stamp, late_to_close, soon_to_close)


def test_what_was_dropped_before_the_last_messages_came_without_a_stamp_is_not_told_as_closed(
    joint_report: Json,
) -> None:
    told = row(joint_report, "sieve", "grain")
    assert (told["sent"], told["delivered"], told["lost"]) == (1500, 1028, 472)
    ((_, cause, certainty, lost),) = incidents(joint_report, "sieve")
    assert cause in ("slow_receiver", "hwm_too_low")
    assert (certainty, lost) == ("inferred", 472)


def test_what_was_in_no_queue_was_not_lost_as_the_sender_was_closed(joint_report: Json) -> None:
    assert row(joint_report, "sleeper", "dreamer")["unexplained"] == 10
    assert incidents(joint_report, "sleeper") == []


def test_what_may_have_been_in_a_queue_was(joint_report: Json) -> None:
    assert incidents(joint_report, "runner") == [("runner → follower", "closed", "exact", 10)]
