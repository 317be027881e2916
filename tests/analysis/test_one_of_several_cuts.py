"""A receiver with ZMQ_MAXMSGSIZE hung up once: that is why its connection went down then, and not whenever it does."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

BOUND = 65_536
HUNG_UP, CUT, ENDS = 20, 80, 120


def gone_down_twice(story: LandedFolder, sender: str, receiver: str) -> None:
    """The receiver is bound, and the sender connects again each time."""
    first = ToldConnection(story, receiver, sender)
    first.down(HUNG_UP)
    second = ToldConnection(story, receiver, sender, up=HUNG_UP + 0.2)
    second.down(CUT)
    ToldConnection(story, receiver, sender, up=CUT + 1)


def sent_small_ones_but_for_one(story: LandedFolder, sender: str) -> None:
    """100 messages of 100 bytes in each second, and one of 300 kB at 20 s."""
    for second in range(1, ENDS):
        large = 300_000 if second >= HUNG_UP else 0
        story.counters(sender, second, sent=second * 100, sent_bytes=second * 10_000 + large)


def publishes(story: LandedFolder) -> None:
    story.socket("uploads", "PUB")
    story.socket("store", "SUB", maxmsgsize=BOUND)
    story.subscribe("store", "")
    gone_down_twice(story, "uploads", "store")
    sent_small_ones_but_for_one(story, "uploads")
    for second in range(1, ENDS):
        story.sent("uploads", second * 100, second, final=False)
    story.gap("store", "uploads", 1990, 2009, (HUNG_UP - 0.1, HUNG_UP + 0.3))
    story.gap("store", "uploads", 7990, 8099, (CUT - 0.1, CUT + 1.1))
    story.got("store", "uploads", 11_750, 0, 11_899, ENDS - 1, newest=ENDS - 1.1, final=False)


def shares_out(story: LandedFolder) -> None:
    """Which messages were lost in which of the two is not known."""
    story.socket("jobs", "PUSH")
    story.socket("worker", "PULL", maxmsgsize=BOUND)
    gone_down_twice(story, "jobs", "worker")
    sent_small_ones_but_for_one(story, "jobs")
    for second in range(1, ENDS):
        story.sent("jobs", second * 100, second, final=False)
    story.got("worker", "jobs", 11_800, 0, 11_899, ENDS - 1, newest=ENDS - 1.1, final=False)


def all_of_them(story: LandedFolder) -> None:
    publishes(story)
    shares_out(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_each_cut_has_its_own_cause(report: Json) -> None:
    assert [told[1:] for told in incidents(report, "uploads")] == [
        ("oversize", "inferred", 20),
        ("reconnect", "inferred", 110),
    ]


def test_what_was_lost_in_either_of_two_cuts_is_not_said_to_have_been_too_large(report: Json) -> None:
    assert "oversize" not in [told[1] for told in incidents(report, "jobs")]
