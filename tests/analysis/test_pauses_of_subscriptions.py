"""Who unsubscribes and subscribes again is not owed what was sent in between, also where nothing comes after that to show it."""

import pytest
from landed_folder import LandedFolder, at, id_of
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

IN_THE_PAUSE = ((9, 10), (12, 20), (18, 40), (25, 60))
"""When, and how many of the second topic had been sent by then: the last 50 between 10 s and 30 s."""


def two_topics(
    story: LandedFolder,
    pub: str,
    *,
    sent: tuple[tuple[float, int], ...] = IN_THE_PAUSE,
    killed: bool = False,
    probed: bool = True,
) -> str:
    """A PUB of the topics "a", of which its SUB gets all, and "bond"; it is closed at 50 s, the SUB later."""
    sub = f"{pub}-reader"
    story.socket(pub, "PUB", closed=50, probed=probed)
    story.socket(sub, "SUB", closed=None if killed else 60)
    story.link(pub, sub, down=50)
    story.subscribe(sub, "a")
    story.sent(pub, 100, 49, topic="a")
    story.got(sub, pub, 100, 0, 99, 49.1, newest=49)
    for seconds, count in sent:
        story.sent(pub, count, seconds, lane=1, topic="bond", final=False)
    story.sent(pub, sent[-1][1], 50, lane=1, topic="bond")
    if killed:
        story.killed(sub, 60)
    return sub


def paused(story: LandedFolder, sub: str, *times: tuple[float, float]) -> None:
    story.subscribe(sub, "bond")
    for left, back in times:
        story.unsubscribe(sub, "bond", left)
        story.subscribe(sub, "bond", seconds=back)


def got_before(story: LandedFolder, sub: str, pub: str, count: int = 10, newest: float = 9) -> None:
    story.got(sub, pub, count, 0, count - 1, newest + 0.1, newest=newest, lane=1)


def nothing_comes_after_it(story: LandedFolder) -> None:
    for pub, killed in (("w1", False), ("w2", True)):
        sub = two_topics(story, pub, killed=killed)
        paused(story, sub, (10, 30))
        got_before(story, sub, pub)


def another_subscription_brings_it_back(story: LandedFolder) -> None:
    sub = two_topics(story, "w3")
    story.subscribe(sub, "bond")
    story.unsubscribe(sub, "bond", 10)
    story.subscribe(sub, "bo", seconds=30)
    got_before(story, sub, "w3")


def another_subscription_stays(story: LandedFolder) -> None:
    sub = two_topics(story, "w4")
    story.subscribe(sub, "bo")
    paused(story, sub, (10, 30))
    got_before(story, sub, "w4")


def one_pause_after_the_other(story: LandedFolder) -> None:
    sub = two_topics(story, "w5", sent=((9, 10), (11, 20), (18, 30), (21, 30), (23, 40), (28, 60)))
    paused(story, sub, (10, 20), (22, 30))
    got_before(story, sub, "w5")


def it_lagged_when_it_left(story: LandedFolder) -> None:
    """What waits for a SUB that unsubscribes is thrown away by the SUB itself, or was lost before."""
    sub = two_topics(story, "w6")
    paused(story, sub, (10, 30))
    got_before(story, sub, "w6", 5, newest=5)


def more_is_sent_after_it(story: LandedFolder) -> None:
    for pub, at_once in (("w7", 0), ("w8", 5)):
        sub = two_topics(story, pub, sent=(*IN_THE_PAUSE, (31, 60 + at_once), (40, 80)))
        paused(story, sub, (10, 30))
        got_before(story, sub, pub)


def topic_begins_in_the_pause(story: LandedFolder) -> None:
    """Its first messages after the pause come, or two of them do not."""
    for pub, first in (("w9", 40), ("w10", 42)):
        sent = ((12, 5), (25, 40), (31, 40), (33, 45), (49, 100))
        sub = two_topics(story, pub, sent=sent, probed=False)
        for each in story.rows["lane"]:
            if each["stream"] == id_of(pub) and each["lane"] == 1 and each["state"] == "announced":
                each["at"] = at(11)
        paused(story, sub, (10, 30))
        story.got(sub, pub, 1, first, first, 33.1, newest=33, lane=1, final=False)
        story.got(sub, pub, 100 - first, first, 99, 49.1, newest=49, lane=1)


def joined_late_and_paused_later(story: LandedFolder) -> None:
    sub = two_topics(story, "w11", sent=((4.9, 42), (9, 100), (20, 150)))
    story.subscribe(sub, "bond", seconds=5)
    story.unsubscribe(sub, "bond", 10)
    story.subscribe(sub, "bond", seconds=30)
    story.got(sub, "w11", 55, 45, 99, 9.1, newest=9, lane=1)


def nothing_had_come_before(story: LandedFolder) -> None:
    """Of the second one its SUB tells itself that it does not know what it was owed."""
    for pub in ("w12", "w13"):
        sub = two_topics(story, pub, sent=((9, 10), (12, 20), (25, 40), (49, 100)))
        paused(story, sub, (10, 30))
        story.got(sub, pub, 60, 40, 99, 49.1, newest=49, lane=1)
    story.gap_event("skipped", sub, pub, 0, 39, lane=1)


STORIES = (
    nothing_comes_after_it,
    another_subscription_brings_it_back,
    another_subscription_stays,
    one_pause_after_the_other,
    it_lagged_when_it_left,
    more_is_sent_after_it,
    topic_begins_in_the_pause,
    joined_late_and_paused_later,
    nothing_had_come_before,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def books(report: Json, pub: str) -> tuple[int, int, int, int]:
    found = row(report, pub, f"{pub}-reader")
    return found["sent"], found["delivered"], found["lost"], found["unexplained"]


@pytest.mark.parametrize("pub", ["w1", "w2", "w3", "w5"])
def test_what_was_sent_in_a_pause_is_not_lost(report: Json, pub: str) -> None:
    assert books(report, pub) == (110, 110, 0, 0)


def test_while_another_subscription_stands_there_is_no_pause(report: Json) -> None:
    assert incidents(report, "w4") == []  # later messages of another topic came: these were in no queue
    assert books(report, "w4") == (160, 110, 0, 50)


def test_what_it_had_not_read_when_it_left_is_unexplained(report: Json) -> None:
    assert books(report, "w6") == (110, 105, 0, 5)


def test_what_was_sent_behind_the_pause_is_owed_again(report: Json) -> None:
    assert incidents(report, "w7") == []
    assert books(report, "w7") == (130, 110, 0, 20)


def test_and_what_was_sent_just_when_it_ended_is_unexplained_too(report: Json) -> None:
    assert incidents(report, "w8") == []
    assert books(report, "w8") == (130, 110, 0, 20)


def test_a_topic_that_began_in_the_pause_is_owed_from_its_end_on(report: Json) -> None:
    assert books(report, "w9") == (160, 160, 0, 0)


def test_what_was_sent_as_the_subscription_came_back_was_sent_too_early(report: Json) -> None:
    assert incidents(report, "w10") == [("w10 → w10-reader", "slow_joiner", "inferred", 2)]


def test_who_joined_late_did_so_whatever_it_left_later(report: Json) -> None:
    assert incidents(report, "w11") == [("w11 → w11-reader", "slow_joiner", "inferred", 45)]
    assert books(report, "w11") == (200, 155, 45, 0)


def test_what_never_came_of_a_topic_that_was_left_is_unexplained(report: Json) -> None:
    assert books(report, "w12") == (170, 160, 0, 10)


def test_unless_the_receiver_says_that_it_was_not_owed(report: Json) -> None:
    assert books(report, "w13") == (160, 160, 0, 0)
