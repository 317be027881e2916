"""A socket counts all its messages, of which those that carry numbers may be some only: what its count tells of them, and what not."""

import pytest
from carried_numbers import SEQUENCE, carry, read
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def publisher(story: LandedFolder, pub: str, sub: str, *, sent: int, up: int = 0, sub_closed: float = 60) -> ToldConnection:  # fmt: skip
    """A PUB that has sent as many messages in the end, and ``up`` of them when its only receiver connects, at 10 s."""
    story.socket(pub, "PUB", closed=50, sequence=SEQUENCE)
    story.socket(sub, "SUB", closed=sub_closed, sequence=SEQUENCE)
    story.subscribe(sub, "")
    for socket in (pub, sub):
        story.watched(socket)
    story.counters(pub, 49.5, final=True, sent=sent)
    return ToldConnection(story, pub, sub, up=10 if up else 0.1, sent=up)


def every_other_one_a_heartbeat(story: LandedFolder) -> None:
    """The receiver had all 1000 numbers when it closed, and the PUB had sent 2000 messages."""
    publisher(story, "pulse", "monitor", sent=5000, sub_closed=20).down(20.1, 2000, told_by="pulse")
    for count, seconds in ((500, 10), (995, 19.9)):
        carry(story, "pulse", (0, count - 1), seconds, final=False)
    carry(story, "pulse", (0, 2499), 49)
    read(story, "monitor", 1000, (0, 999), 19.99)


def joined_between_heartbeats(story: LandedFolder) -> None:
    """Numbers up to 499 had been sent when the receiver connected; it lacks those up to 799."""
    publisher(story, "lightship", "keeper-ashore", sent=5000, up=1000).down(50, told_by="keeper-ashore")
    carry(story, "lightship", (0, 2499), 49)
    read(story, "keeper-ashore", 1700, (800, 2499), 49.2)


def joined_between_heartbeats_of_two_lanes(story: LandedFolder) -> None:
    """1500 of the 2500 messages with numbers were sent since the receiver connected, of which it got 1200 in its two lanes."""
    publisher(story, "carillon", "listener-in", sent=5000, up=2000).down(50, told_by="listener-in")
    for lane, topic in enumerate(("noon", "dusk")):
        carry(story, "carillon", (0, 1249), 49, lane=lane, topic=topic)
        read(story, "listener-in", 600, (650, 1249), 49.2, lane=lane, topic=topic)


def all_with_numbers(story: LandedFolder) -> None:
    """From number 5001 on; when the receiver connects 500 have been sent, and 800 when it closes."""
    publisher(story, "gauge", "dial", sent=1000, up=500, sub_closed=30).down(30.1, 800, told_by="gauge")
    carry(story, "gauge", (5001, 5400), 8, final=False)
    carry(story, "gauge", (5001, 6000), 49)
    read(story, "dial", 280, (5491, 5770), 29.9)


def all_of_them(story: LandedFolder) -> None:
    every_other_one_a_heartbeat(story)
    joined_between_heartbeats(story)
    joined_between_heartbeats_of_two_lanes(story)
    all_with_numbers(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_who_had_all_numbers_when_it_closed_lost_none_though_more_messages_had_been_sent(
    report: Json,
) -> None:
    assert incidents(report, "pulse") == []
    assert row(report, "pulse", "monitor")["sent"] == 1000


@pytest.mark.parametrize(
    ("pub", "sub", "lost"), [("lightship", "keeper-ashore", 800), ("carillon", "listener-in", 1300)]
)
def test_numbers_are_not_proven_to_be_older_than_a_connection_by_a_count_of_messages_without_any(
    report: Json, pub: str, sub: str, lost: int
) -> None:
    assert incidents(report, pub) == [(f"{pub} → {sub}", "slow_joiner", "inferred", lost)]


def test_where_all_have_numbers_the_count_tells_them_from_the_first_one_on(report: Json) -> None:
    assert incidents(report, "gauge") == [
        ("gauge → dial", "closed", "exact", 30),
        ("gauge → dial", "slow_joiner", "exact", 490),
    ]
