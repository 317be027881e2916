"""Ends of lanes that no closing socket took along: nothing was on its way any more when the first end was closed."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

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
    closed_in_order(story, "dozer", "dreamer")
    story.sent("dozer", 100, 40)
    story.got("dreamer", "dozer", 90, 0, 89, 44, newest=39)


def late_to_be_killed(story: LandedFolder) -> None:
    """The same, and the sender is killed long after."""
    story.socket("hermit", "PUB")
    story.socket("pilgrim", "SUB", closed=CLOSED + 1)
    story.subscribe("pilgrim", "")
    ToldConnection(story, "hermit", "pilgrim").down(CLOSED, told_by="pilgrim")
    story.killed("hermit", CLOSED + 0.5)
    story.sent("hermit", 100, 40, final=False)
    story.got("pilgrim", "hermit", 90, 0, 89, 44, newest=39)


def soon_to_close(story: LandedFolder) -> None:
    """They were sent just before the sender was closed."""
    closed_in_order(story, "runner", "shadow")
    story.sent("runner", 100, 49.9)
    story.got("shadow", "runner", 90, 0, 89, 44, newest=39)


STORIES = (room_again_behind_the_last_stamp, late_to_close, late_to_be_killed, soon_to_close)


def test_what_was_dropped_before_the_last_messages_came_without_a_stamp_is_not_told_as_closed(
    joint_report: Json,
) -> None:
    told = row(joint_report, "sieve", "grain")
    assert (told["sent"], told["delivered"], told["lost"]) == (1500, 1028, 472)
    ((_, cause, certainty, lost),) = incidents(joint_report, "sieve")
    assert cause in ("slow_receiver", "hwm_too_low")
    assert (certainty, lost) == ("inferred", 472)


@pytest.mark.parametrize(("sender", "receiver"), [("dozer", "dreamer"), ("hermit", "pilgrim")])
def test_what_was_in_no_queue_was_not_lost_as_the_sender_went(
    joint_report: Json, sender: str, receiver: str
) -> None:
    assert row(joint_report, sender, receiver)["unexplained"] == 10
    assert incidents(joint_report, sender) == []


def test_what_may_have_been_in_a_queue_was(joint_report: Json) -> None:
    assert incidents(joint_report, "runner") == [("runner → shadow", "closed", "exact", 10)]
