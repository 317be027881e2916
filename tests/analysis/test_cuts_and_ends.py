"""A connection was cut, and later an end went: which of the two lost the messages between is told no surer than it is known."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection, proxied

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def pub_and_sub(
    story: LandedFolder,
    name: str,
    *,
    pub_closed: float | None = None,
    sub_closed: float | None = None,
    **marks: int,
) -> tuple[str, str]:
    pub, sub = name, f"{name}-sub"
    story.socket(pub, "PUB", closed=pub_closed, **marks)
    story.socket(sub, "SUB", closed=sub_closed)
    story.subscribe(sub, "")
    return pub, sub


def cut_at_the_last_messages(
    story: LandedFolder, name: str, *, pub: float, sub: float | None = None, killed: float | None = None
) -> None:
    """The last 50 were sent just before and while the connection was cut, and it was mended; an end went much later."""
    first, second = pub_and_sub(story, name, pub_closed=pub, sub_closed=sub)
    ToldConnection(story, first, second).down(20, 1000)
    mended = ToldConnection(story, first, second, up=21, sent=1000)
    story.sent(first, 950, 19, final=False)
    story.sent(first, 1000, 20.4)
    story.got(second, first, 950, 0, 949, 20.1, newest=19.95)
    receivers_end = killed or sub or pub
    mended.down(min(pub, receivers_end), 1000, told_by=first if receivers_end < pub else second)
    if killed:
        story.killed(second, killed + 0.4)


def cut_behind_a_proxy_as_another_lane_goes_on(story: LandedFolder) -> None:
    proxied(story, "c4", "c4-sub")[1].down(20)
    ToldConnection(story, "c4-back", "c4-sub", up=21)
    story.counters("c4-front", 119, proxied_in_frames=3000)
    story.sent("c4", 1000, 20.4, topic="a", final=False)
    story.sent("c4", 500, 110, lane=1, topic="b", final=False)
    story.got("c4-sub", "c4", 950, 0, 949, 20.1, newest=19.95, final=False)
    story.got("c4-sub", "c4", 500, 0, 499, 110.1, newest=110, lane=1, final=False)


def given_up_by_heartbeat(story: LandedFolder, name: str, *, killed: bool) -> None:
    """The PUB alone saw the connection go down, 40 s before its SUB ended."""
    pub, sub = pub_and_sub(story, name, sub_closed=None if killed else 60)
    ToldConnection(story, pub, sub).down(20, 1000, told_by=pub)
    story.sent(pub, 5000, 119, final=False)
    story.got(sub, pub, 900, 0, 899, 15.1, newest=15)
    if killed:
        story.killed(sub, 60.4)


def found_dead_late(story: LandedFolder, name: str, **pub: int) -> None:
    """The SUB was killed at 30, as its PUB saw; the agent was away, and found it dead at 100. The PUB closed at 60."""
    first, second = pub_and_sub(story, name, pub_closed=60, **pub)
    ToldConnection(story, first, second).down(30, 3000, told_by=first)
    story.sent(first, 2900, 29, final=False)
    story.sent(first, 6000, 60)
    story.got(second, first, 2990, 0, 2989, 29.9, newest=29.9)
    story.killed(second, 100)


def burst_long_before_a_cut(story: LandedFolder) -> None:
    pub, sub = pub_and_sub(story, "c9", sndhwm=500)
    ToldConnection(story, pub, sub).down(30, 601)
    ToldConnection(story, pub, sub, up=31, sent=601)
    story.onset(pub, 501, 10.5)
    story.gap(sub, pub, 501, 600, (10.5, 60), received=502)
    story.sent(pub, 700, 61, final=False)
    story.got(sub, pub, 600, 0, 699, 61, newest=61, final=False)


def cut_just_before_an_end(
    story: LandedFolder, name: str, *, pub: float, sub: float, pub_saw: float | None, sub_saw: float | None
) -> None:
    """The last 50 had not come when the connection went down at about 40 s; then one end was closed, and later the other."""
    first, second = pub_and_sub(story, name, pub_closed=pub, sub_closed=sub)
    connection = ToldConnection(story, first, second)
    for end, seconds in ((first, pub_saw), (second, sub_saw)):
        if seconds is not None:
            connection.down(seconds, 1000, told_by=end)
    story.sent(first, 1000, 39.9)
    story.got(second, first, 950, 0, 949, 39.8, newest=39.7)


def all_of_them(story: LandedFolder) -> None:
    cut_just_before_an_end(story, "c10", pub=40.25, sub=60, pub_saw=40, sub_saw=40.001)
    cut_just_before_an_end(story, "c11", pub=60, sub=40.05, pub_saw=40.001, sub_saw=40)
    cut_just_before_an_end(story, "oo1", pub=40, sub=40.25, pub_saw=None, sub_saw=40.001)
    cut_just_before_an_end(story, "oo2", pub=40.25, sub=40, pub_saw=40.001, sub_saw=None)
    cut_just_before_an_end(story, "oo3", pub=40, sub=40, pub_saw=None, sub_saw=None)
    cut_at_the_last_messages(story, "c1", pub=100, sub=60)
    cut_at_the_last_messages(story, "c2", pub=50, sub=60)
    cut_at_the_last_messages(story, "c3", pub=100, killed=60)
    cut_behind_a_proxy_as_another_lane_goes_on(story)
    given_up_by_heartbeat(story, "c5", killed=False)
    given_up_by_heartbeat(story, "c6", killed=True)
    found_dead_late(story, "c7", linger=-1)
    found_dead_late(story, "c8", linger=0)
    burst_long_before_a_cut(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("pub", "cause", "lost"),
    [
        ("c1", "reconnect", 50),
        ("c2", "reconnect", 50),
        ("c3", "reconnect", 50),
        ("c5", "reconnect", 100),
        ("c6", "receiver_died", 100),
        ("c7", "receiver_died", 10),
        ("c8", "receiver_died", 10),
        ("c9", "slow_receiver", 100),
        ("c10", "reconnect", 50),
        ("c11", "reconnect", 50),
    ],
)
def test_between_two_ends(report: Json, pub: str, cause: str, lost: int) -> None:
    assert incidents(report, pub) == [(f"{pub} → {pub}-sub", cause, "inferred", lost)]


@pytest.mark.parametrize("pub", ["oo1", "oo2", "oo3"])
def test_who_closed_did_not_see_the_connection_go_down_before(report: Json, pub: str) -> None:
    assert incidents(report, pub) == [(f"{pub} → {pub}-sub", "closed", "exact", 50)]


def test_advice_tells_of_a_sender_that_is_bound(report: Json) -> None:
    found = next(item for item in report["incidents"] if item["hop"] == "c1 → c1-sub")
    assert "as c1 is bound" in found["advice"][0]


def test_behind_a_proxy(report: Json) -> None:
    assert incidents(report, "hub of c4") == [("hub of c4 → c4-sub", "reconnect", "inferred", 50)]


def test_what_was_sent_after_the_peer_saw_it_die_was_not_owed_to_it(report: Json) -> None:
    for pub in ("c7", "c8"):
        assert row(report, pub, f"{pub}-sub")["sent"] == 3000
