"""A receiver that stops to read looks like one that has nothing left to read: what waits in its inbox is not told as dropped before."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def behind_a_proxy(
    story: LandedFolder,
    sub: str,
    *,
    gap: bool = False,
    killed: bool = True,
    other_lane: bool = False,
    **marks: int,
) -> None:
    """The proxy passed 1000 messages on; the SUB read to 949 at the pace of the sender, and then no more of these. Another one got all."""
    pub, proxy, witness = f"feed of {sub}", f"proxy of {sub}", f"witness of {sub}"
    story.socket(pub, "PUB", closed=60)
    front, back = f"{proxy}-front", f"{proxy}-back"
    proxy_closed = 61 if killed else None
    story.socket(front, "XSUB", closed=proxy_closed)
    story.socket(back, "XPUB", closed=proxy_closed, probed=False, **marks)
    story.proxy(proxy, front, back)
    story.socket(sub, "SUB")
    story.socket(witness, "SUB", closed=59, unread=False)
    story.link(front, pub, down=60)
    for each in (sub, witness):
        story.subscribe(each, "")
        story.link(back, each)
    story.sent(pub, 1000, 45)
    if gap:
        story.gap(sub, pub, 500, 599, (38, 39.5))
    story.got(sub, pub, 850 if gap else 950, 0, 949, 40.2, newest=40.1)
    story.got(witness, pub, 1000, 0, 999, 45.1, newest=45)
    if killed:
        story.killed(sub, 50.5)
    if other_lane:
        story.sent(pub, 10, 52, lane=1, topic="later")
        for each in (sub, witness):
            story.got(each, pub, 10, 0, 9, 52.1, newest=52, lane=1)


def behind_a_closed_sender(story: LandedFolder, kinds: tuple[str, str], receiver: str, linger: int) -> None:
    """It closed when all had read to 949; the receiver was killed ten seconds later."""
    sender = f"sender of {receiver}"
    story.socket(sender, kinds[0], closed=45, linger=linger)
    story.socket(receiver, kinds[1])
    if kinds[1] == "SUB":
        story.subscribe(receiver, "")
    story.link(sender, receiver, down=45.5)
    story.sent(sender, 1000, 44)
    story.got(receiver, sender, 950, 0, 949, 44, newest=43.9)
    story.killed(receiver, 55.5)


def all_of_them(story: LandedFolder) -> None:
    behind_a_proxy(story, "hung")
    behind_a_proxy(story, "asleep", killed=False)
    behind_a_proxy(story, "awake", killed=False, other_lane=True)
    behind_a_proxy(story, "overrun", gap=True)
    behind_a_proxy(story, "narrow", gap=True, sndhwm=98)
    behind_a_proxy(story, "wide", gap=True, sndhwm=100)
    behind_a_closed_sender(story, ("PUB", "SUB"), "patient", -1)
    behind_a_closed_sender(story, ("PUB", "SUB"), "rushed", 0)
    behind_a_closed_sender(story, ("PUSH", "PULL"), "even", -1)
    behind_a_closed_sender(story, ("PUSH", "PULL"), "rash", 0)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_what_came_behind_a_proxy_while_it_hung_died_with_it(report: Json) -> None:
    assert incidents(report, "proxy of hung") == [("proxy of hung → hung", "receiver_died", "inferred", 50)]


def test_and_is_not_lost_yet_while_it_lives(report: Json) -> None:
    assert incidents(report, "proxy of asleep") == []
    assert row(report, "feed of asleep", "asleep")["in_flight"] == 50


def test_but_was_dropped_where_later_messages_came(report: Json) -> None:
    assert incidents(report, "proxy of awake") == [
        ("proxy of awake → awake", "slow_receiver", "inferred", 50)
    ]


def test_and_where_the_same_pipe_had_been_full_before(report: Json) -> None:
    hop = "proxy of overrun → overrun"
    assert incidents(report, "proxy of overrun") == [(hop, "slow_receiver", "inferred", 150)]


def test_but_not_where_all_that_came_to_nobody_fits_into_a_pipe_that_drops(report: Json) -> None:
    """50 messages: a pipe that drops holds more than half of its mark."""
    assert incidents(report, "proxy of narrow") == [
        ("proxy of narrow → narrow", "slow_receiver", "inferred", 150)
    ]
    assert incidents(report, "proxy of wide") == [
        ("proxy of wide → wide", "receiver_died", "inferred", 50),
        ("proxy of wide → wide", "slow_receiver", "inferred", 100),
    ]


def test_what_a_lingering_sender_had_passed_on_may_have_died_with_it(report: Json) -> None:
    for receiver in ("patient", "even"):
        found = [item[1:] for item in incidents(report, f"sender of {receiver}")]
        assert found == [("receiver_died", "inferred", 50)]


def test_what_a_sender_let_go_of_was_more_likely_never_passed_on(report: Json) -> None:
    for receiver in ("rushed", "rash"):
        found = [item[1:] for item in incidents(report, f"sender of {receiver}")]
        assert found == [("closed", "inferred", 50)]
