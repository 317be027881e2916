"""A connection was cut, and one end alone saw it go down (the other one's stayed half-open): whoever ends later is not why."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def reader(
    story: LandedFolder, pub: str, *, pub_closed: float | None = None, closed: float | None = None
) -> str:
    sub = f"{pub}-sub"
    story.socket(pub, "PUB", closed=pub_closed)
    story.socket(sub, "SUB", closed=closed)
    story.subscribe(sub, "")
    return sub


def worker(
    story: LandedFolder, push: str, *, push_closed: float | None = None, closed: float | None = None
) -> str:
    pull = f"{push}-pull"
    story.socket(push, "PUSH", closed=push_closed)
    story.socket(pull, "PULL", closed=closed)
    return pull


def cut(story: LandedFolder, sender: str, receiver: str, seconds: float, *, told_by: str) -> None:
    """50 messages a second had been sent by then; the last 50 did not come."""
    sent = int(50 * seconds)
    ToldConnection(story, sender, receiver).down(seconds, sent, told_by=told_by)
    got = sent - 50
    story.got(receiver, sender, got, 0, got - 1, seconds - 0.7, newest=seconds - 1.01, final=False)


def reads_another_feed(story: LandedFolder, receiver: str, kind: str, until: int) -> None:
    other = f"{receiver}-other"
    story.socket(other, kind)
    ToldConnection(story, other, receiver).down(until + 0.4, told_by=other)
    sampled(story, other, 100, until)
    got = 100 * until
    story.got(receiver, other, got, 0, got - 1, until + 0.1, newest=until - 0.01, final=False)


def killed_as_its_other_feed_shows(story: LandedFolder) -> None:
    sub = reader(story, "u1")
    cut(story, "u1", sub, 20, told_by="u1")
    sampled(story, "u1", 50, 110)
    reads_another_feed(story, sub, "PUB", 23)
    story.killed(sub, 24.4)


def closed_soon_after(story: LandedFolder) -> None:
    sub = reader(story, "u2", closed=23)
    cut(story, "u2", sub, 20, told_by="u2")
    sampled(story, "u2", 50, 110)


def sender_closed_soon_after(story: LandedFolder) -> None:
    sub = reader(story, "u3", pub_closed=43, closed=60)
    cut(story, "u3", sub, 40, told_by=sub)
    sampled(story, "u3", 50, 42)
    story.sent("u3", 2150, 42.99)


def sender_was_killed_as_it_went_on(story: LandedFolder) -> None:
    sub = reader(story, "u4", closed=60)
    cut(story, "u4", sub, 40, told_by=sub)
    sampled(story, "u4", 50, 43)
    story.killed("u4", 43.5)


def killed_worker_as_its_other_feed_shows(story: LandedFolder) -> None:
    pull = worker(story, "u5")
    cut(story, "u5", pull, 20, told_by="u5")
    sampled(story, "u5", 50, 20)
    reads_another_feed(story, pull, "PUSH", 60)
    story.killed(pull, 60.4)


def closed_worker(story: LandedFolder) -> None:
    pull = worker(story, "u6", closed=60)
    cut(story, "u6", pull, 20, told_by="u6")
    sampled(story, "u6", 50, 20)


def closed_beside_another_worker(story: LandedFolder) -> None:
    story.socket("u7", "PUSH", closed=100)
    story.socket("u7-cut", "PULL", closed=60)
    story.socket("u7-whole", "PULL", closed=110)
    ToldConnection(story, "u7", "u7-cut").down(20, 1000, told_by="u7")
    ToldConnection(story, "u7", "u7-whole").down(100, told_by="u7-whole")
    sampled(story, "u7", 50, 99)
    story.sent("u7", 5000, 99.9)
    story.got("u7-cut", "u7", 475, 0, 948, 19.3, newest=18.99)
    story.got("u7-whole", "u7", 4500, 1, 4999, 99.95, newest=99.9)


def sender_of_a_worker_closed_late(story: LandedFolder) -> None:
    pull = worker(story, "u8", push_closed=60, closed=70)
    cut(story, "u8", pull, 20, told_by=pull)
    sampled(story, "u8", 50, 59)
    story.sent("u8", 3000, 59.99)


def sender_of_a_worker_was_killed_as_it_went_on(story: LandedFolder) -> None:
    pull = worker(story, "u9", closed=60)
    cut(story, "u9", pull, 20, told_by=pull)
    sampled(story, "u9", 50, 23)
    story.killed("u9", 23.5)


def killed_worker_that_may_have_died_then(story: LandedFolder) -> None:
    """It was found dead 40 s later."""
    pull = worker(story, "u10")
    cut(story, "u10", pull, 20, told_by="u10")
    sampled(story, "u10", 50, 20)
    story.killed(pull, 60.4)


def killed_just_then(story: LandedFolder) -> None:
    pull = worker(story, "u11")
    cut(story, "u11", pull, 20, told_by="u11")
    sampled(story, "u11", 50, 20)
    story.killed(pull, 20.4)


STORIES = (
    killed_as_its_other_feed_shows,
    closed_soon_after,
    sender_closed_soon_after,
    sender_was_killed_as_it_went_on,
    killed_worker_as_its_other_feed_shows,
    closed_worker,
    closed_beside_another_worker,
    sender_of_a_worker_closed_late,
    sender_of_a_worker_was_killed_as_it_went_on,
    killed_worker_that_may_have_died_then,
    killed_just_then,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("sender", "receiver", "lost"),
    [
        ("u1", "u1-sub", 50),
        ("u2", "u2-sub", 50),
        ("u3", "u3-sub", 200),
        ("u4", "u4-sub", 200),
        ("u5", "u5-pull", 50),
        ("u6", "u6-pull", 50),
        ("u7", "u7-cut", 25),
        ("u8", "u8-pull", 2050),
        ("u9", "u9-pull", 200),
    ],
)
def test_who_was_there_for_longer_than_its_connection_did_not_lose_them_by_its_end(
    report: Json, sender: str, receiver: str, lost: int
) -> None:
    assert incidents(report, sender) == [(f"{sender} → {receiver}", "reconnect", "inferred", lost)]


def test_the_connection_is_told_to_have_gone_down_by_whoever_saw_it(report: Json) -> None:
    for sender in ("u2", "u3"):
        found = next(item for item in report["incidents"] if item["hop"] == f"{sender} → {sender}-sub")
        assert "went down once" in "\n".join(each["text"] for each in found["evidence"])


def test_who_was_found_dead_long_after_may_have_been_cut_off_before(report: Json) -> None:
    assert incidents(report, "u10") == [("u10 → u10-pull", "receiver_died", "inferred", 50)]
    assert incidents(report, "u11") == [("u11 → u11-pull", "receiver_died", "exact", 50)]
