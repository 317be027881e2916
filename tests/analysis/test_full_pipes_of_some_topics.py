"""A pipe that is full is told at a message of one topic; its reader takes two of four, and went soon after it had read all."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

TOPICS = ("bonds", "funds", "futures", "shares")
TAKEN = {"funds": 1, "futures": 2}
EACH, MET_FULL = 1000, 890
"""Of each topic, a hundred a second; one of the second topic met a full pipe."""


def feed(story: LandedFolder, pub: str, *, got: int, newest: float, unread: bool | None) -> None:
    sub = f"{pub}-sub"
    story.socket(pub, "PUB", sndhwm=300, closed=10.9)
    story.socket(sub, "SUB", rcvhwm=10, closed=11, unread=unread)
    story.subscribe(sub, "fu")
    story.link(pub, sub)
    for lane, topic in enumerate(TOPICS):
        story.sent(pub, EACH, 10, lane=lane, topic=topic)
    story.onset(pub, 4 * MET_FULL + 1, MET_FULL / 100 + 0.002, lane=1, lane_number=MET_FULL)
    for lane in TAKEN.values():
        # what came last was seen a moment before the end, however long ago it had come
        story.got(sub, pub, got // 2, 0, got // 2 - 1, 5, lane=lane, newest=newest / 2, final=False)
        story.got(sub, pub, got, 0, got - 1, 10.8, lane=lane, newest=newest)


def read_all_that_the_pipe_held(story: LandedFolder) -> None:
    feed(story, "t1", got=MET_FULL, newest=MET_FULL / 100, unread=None)


def left_what_the_pipe_held(story: LandedFolder) -> None:
    feed(story, "t2", got=600, newest=6, unread=True)


STORIES = (read_all_that_the_pipe_held, left_what_the_pipe_held)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_who_read_all_that_the_pipe_held_lost_the_ends_of_all_its_topics_there(report: Json) -> None:
    told = incidents(report, "t1")
    assert sum(lost for *_, lost in told) == 2 * (EACH - MET_FULL)
    assert {cause for _, cause, _, _ in told} <= {"slow_receiver", "hwm_too_low"}


def test_who_left_what_the_pipe_held_is_not_said_to_have_read_it(report: Json) -> None:
    told = {cause: lost for _, cause, _, lost in incidents(report, "t2")}
    # of the topic of which a message met the full pipe it is known what had gone before that
    assert told["closed"] >= MET_FULL - 600 + EACH - 600 - 1
