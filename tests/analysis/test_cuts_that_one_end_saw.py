"""A connection was cut, and one end alone saw it go down (the other one's stayed half-open): whoever ends later is not why."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection, proxied, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


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


def cut(story: LandedFolder, sender: str, receiver: str, seconds: float, *, told_by: str) -> ToldConnection:
    """50 messages a second had been sent by then; the last 50 did not come."""
    sent = int(50 * seconds)
    connection = ToldConnection(story, sender, receiver)
    connection.down(seconds, sent, told_by=told_by)
    got = sent - 50
    story.got(receiver, sender, got, 0, got - 1, seconds - 0.7, newest=seconds - 1.01, final=False)
    return connection


def reads_another_feed(story: LandedFolder, receiver: str, kind: str, until: int) -> None:
    other = f"{receiver}-other"
    story.socket(other, kind)
    ToldConnection(story, other, receiver).down(until + 0.4, told_by=other)
    sampled(story, other, 100, until)
    got = 100 * until
    story.got(receiver, other, got, 0, got - 1, until + 0.1, newest=until - 0.01, final=False)


def killed_as_its_other_feed_shows(story: LandedFolder) -> None:
    sub = reader(story, "half1")
    cut(story, "half1", sub, 20, told_by="half1")
    sampled(story, "half1", 50, 110)
    reads_another_feed(story, sub, "PUB", 23)
    story.killed(sub, 24.4)


def closed_soon_after(story: LandedFolder) -> None:
    sub = reader(story, "half2", closed=23)
    cut(story, "half2", sub, 20, told_by="half2")
    sampled(story, "half2", 50, 110)


def sender_closed_soon_after(story: LandedFolder) -> None:
    sub = reader(story, "half3", pub_closed=43, closed=60)
    cut(story, "half3", sub, 40, told_by=sub)
    sampled(story, "half3", 50, 42)
    story.sent("half3", 2150, 42.99)


def sender_was_killed_as_it_went_on(story: LandedFolder) -> None:
    sub = reader(story, "half4", closed=60)
    cut(story, "half4", sub, 40, told_by=sub)
    sampled(story, "half4", 50, 43)
    story.killed("half4", 43.5)


def killed_worker_as_its_other_feed_shows(story: LandedFolder) -> None:
    pull = worker(story, "half5")
    cut(story, "half5", pull, 20, told_by="half5")
    sampled(story, "half5", 50, 20)
    reads_another_feed(story, pull, "PUSH", 60)
    story.killed(pull, 60.4)


def closed_worker(story: LandedFolder) -> None:
    pull = worker(story, "half6", closed=60)
    cut(story, "half6", pull, 20, told_by="half6")
    sampled(story, "half6", 50, 20)


def closed_beside_another_worker(story: LandedFolder) -> None:
    story.socket("half7", "PUSH", closed=100)
    story.socket("half7-cut", "PULL", closed=60)
    story.socket("half7-whole", "PULL", closed=110)
    ToldConnection(story, "half7", "half7-cut").down(20, 1000, told_by="half7")
    ToldConnection(story, "half7", "half7-whole").down(100, told_by="half7-whole")
    sampled(story, "half7", 50, 99)
    story.sent("half7", 5000, 99.9)
    story.got("half7-cut", "half7", 475, 0, 948, 19.3, newest=18.99)
    story.got("half7-whole", "half7", 4500, 1, 4999, 99.95, newest=99.9)


def sender_of_a_worker_closed_late(story: LandedFolder) -> None:
    pull = worker(story, "half8", push_closed=60, closed=70)
    cut(story, "half8", pull, 20, told_by=pull)
    sampled(story, "half8", 50, 59)
    story.sent("half8", 3000, 59.99)


def sender_of_a_worker_was_killed_as_it_went_on(story: LandedFolder) -> None:
    pull = worker(story, "half9", closed=60)
    cut(story, "half9", pull, 20, told_by=pull)
    sampled(story, "half9", 50, 23)
    story.killed("half9", 23.5)


def killed_worker_that_may_have_died_then(story: LandedFolder) -> None:
    """It was found dead 40 s later."""
    pull = worker(story, "half10")
    cut(story, "half10", pull, 20, told_by="half10")
    sampled(story, "half10", 50, 20)
    story.killed(pull, 60.4)


def killed_just_then(story: LandedFolder) -> None:
    pull = worker(story, "half11")
    cut(story, "half11", pull, 20, told_by="half11")
    sampled(story, "half11", 50, 20)
    story.killed(pull, 20.4)


def both_closed_soon_after(story: LandedFolder, pub: str, *, sub_alone: bool) -> None:
    """The SUB at 42, and later the PUB, which had gone on to send."""
    sub = reader(story, pub, pub_closed=46, closed=42)
    connection = cut(story, pub, sub, 40, told_by=sub)
    if not sub_alone:
        connection.down(40, 2000, told_by=pub)
    sampled(story, pub, 50, 45)
    story.sent(pub, 2300, 45.99)


def closed_behind_a_dead_way(story: LandedFolder) -> None:
    """The PUB found out by heartbeat, four seconds later."""
    sub = reader(story, "half14", closed=40)
    ToldConnection(story, "half14", sub).down(44, 2200, told_by="half14")
    sampled(story, "half14", 50, 110)
    story.got(sub, "half14", 1990, 0, 1989, 39.9, newest=39.7)


def mended_as_the_receiver_saw(story: LandedFolder, pub: str, *, killed: bool) -> None:
    """It called again at 41, and the PUB saw the old connection go at 50. An end went much later."""
    sub = f"{pub}-sub"
    story.socket(pub, "PUB", closed=100 if killed else 80)
    story.socket(sub, "SUB", closed=None if killed else 90)
    story.subscribe(sub, "")
    old = ToldConnection(story, pub, sub)
    old.down(40, told_by=sub)
    mended = ToldConnection(story, pub, sub, up=41, sent=2000)
    old.down(50, 2000, told_by=pub)
    mended.down(70 if killed else 80, 2000, told_by=pub if killed else sub)
    sampled(story, pub, 50, 39)
    story.sent(pub, 2000, 39.99)
    story.got(sub, pub, 1940, 0, 1939, 39, newest=38.8)
    if killed:
        story.killed(sub, 70.4)


def mended_behind_a_proxy(story: LandedFolder) -> None:
    _, back = proxied(story, "half17", "half17-sub", closed=100)
    back.down(20, told_by="half17-sub")
    ToldConnection(story, "half17-back", "half17-sub", up=20.5)
    back.down(35, told_by="half17-back")
    sampled(story, "half17", 100, 99)
    story.gap("half17-sub", "half17", 1900, 2051, (19, 20.52), received=1901)
    story.got("half17-sub", "half17", 9900 - 152, 0, 9899, 99.5, newest=99)
    story.counters("half17-front", 119, proxied_in_frames=2 * 9900)


def the_rest_of_them(story: LandedFolder) -> None:
    both_closed_soon_after(story, "half12", sub_alone=True)
    both_closed_soon_after(story, "half13", sub_alone=False)
    closed_behind_a_dead_way(story)
    mended_as_the_receiver_saw(story, "half15", killed=False)
    mended_as_the_receiver_saw(story, "half16", killed=True)
    mended_behind_a_proxy(story)


STORIES = (
    the_rest_of_them,
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
        ("half1", "half1-sub", 50),
        ("half2", "half2-sub", 50),
        ("half3", "half3-sub", 200),
        ("half4", "half4-sub", 200),
        ("half5", "half5-pull", 50),
        ("half6", "half6-pull", 50),
        ("half7", "half7-cut", 25),
        ("half8", "half8-pull", 2050),
        ("half9", "half9-pull", 200),
        ("half12", "half12-sub", 150),
        ("half13", "half13-sub", 50),
    ],
)
def test_who_was_there_for_longer_than_its_connection_did_not_lose_them_by_its_end(
    report: Json, sender: str, receiver: str, lost: int
) -> None:
    assert incidents(report, sender) == [(f"{sender} → {receiver}", "reconnect", "inferred", lost)]


def test_the_connection_is_told_to_have_gone_down_by_whoever_saw_it(report: Json) -> None:
    for sender in ("half2", "half3"):
        found = next(item for item in report["incidents"] if item["hop"] == f"{sender} → {sender}-sub")
        assert "went down once" in "\n".join(each["text"] for each in found["evidence"])


def test_who_was_found_dead_long_after_may_have_been_cut_off_before(report: Json) -> None:
    assert incidents(report, "half10") == [("half10 → half10-pull", "receiver_died", "inferred", 50)]
    assert incidents(report, "half11") == [("half11 → half11-pull", "receiver_died", "exact", 50)]


def test_what_is_sent_after_a_receiver_has_closed_is_not_owed_to_it_however_late_its_sender_finds_out(
    report: Json,
) -> None:
    assert incidents(report, "half14") == [("half14 → half14-sub", "closed", "exact", 10)]


@pytest.mark.parametrize("pub", ["half15", "half16"])
def test_a_cut_that_was_mended_before_the_sender_saw_it_is_why(report: Json, pub: str) -> None:
    assert incidents(report, pub) == [(f"{pub} → {pub}-sub", "reconnect", "inferred", 60)]


def test_so_it_is_behind_a_proxy(report: Json) -> None:
    assert incidents(report, "hub of half17") == [
        ("hub of half17 → half17-sub", "reconnect", "inferred", 152)
    ]
