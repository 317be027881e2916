"""A pipe was full, but whose, when, and for how long: told no surer than the numbers say."""

import pytest
from landed_folder import LandedFolder, at, id_of
from stories import Json, incidents, row
from told_connections import ToldConnection, proxied

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

TOPICS = ("bonds", "funds", "futures", "shares")
TAKEN = {"funds": 1, "futures": 2}
EACH, MET_FULL = 1000, 890
"""Of each topic, a hundred a second; one of the second topic met a full pipe."""


def pub_and_sub(story: LandedFolder, pub: str, *subs: str, up: float = 0.1, **closed: float) -> None:
    story.socket(pub, "PUB", sndhwm=1000)
    for sub in subs:
        story.socket(sub, "SUB", rcvhwm=1000, closed=closed.get("closed"))
        story.subscribe(sub, "")
        ToldConnection(story, pub, sub, up=up)


def paused_long_after_a_gap(story: LandedFolder) -> None:
    """Its proxy dropped some at 1 s; at 100 s it stopped to read, with 50 in its inbox."""
    proxied(story, "f1", "f1-sub")
    story.counters("f1-front", 119, proxied_in_frames=20_000)
    story.sent("f1", 10_000, 100.4, final=False)
    story.gap("f1-sub", "f1", 100, 199, (1, 1.2))
    story.got("f1-sub", "f1", 9850, 0, 9949, 100, newest=100, final=False)


def lagging_beside_a_full_one(story: LandedFolder) -> None:
    """The onset is of one whose mark is small; the other reads on, and has not come that far."""
    pub_and_sub(story, "f2", "f2-full", "f2-lags", up=100)
    story.onset("f2", 1900, 118.4)
    story.sent("f2", 2500, 119, final=False)
    story.got("f2-full", "f2", 100, 0, 99, 117, newest=117, final=False)
    story.got("f2-lags", "f2", 1600, 0, 1599, 119.8, newest=118.1, final=False)


def later_topic_at_an_onset(story: LandedFolder) -> None:
    """It came when five had been sent; 40 s later a topic began just as its pipe was full."""
    story.socket("f3", "PUB", sndhwm=1000)
    story.socket("f3-sub", "SUB", closed=110)
    story.subscribe("f3-sub", "")
    ToldConnection(story, "f3", "f3-sub", up=10, sent=5).down(110, 1100, told_by="f3")
    story.sent("f3", 1000, 100, topic="a")
    story.sent("f3", 100, 100, lane=1, topic="b")
    for lane in story.rows["lane"]:
        if lane["socket"] == id_of("f3") and lane["lane"] == 1 and lane["state"] == "announced":
            lane["at"] = at(50)
    story.onset("f3", 500, 50, lane=1, lane_number=0)
    story.got("f3-sub", "f3", 995, 5, 999, 100, newest=100)
    story.got("f3-sub", "f3", 90, 10, 99, 100, newest=100, lane=1)


def hung_for_half_of_the_time(story: LandedFolder) -> None:
    """A burst of a second early, and from 40 s on nothing was read."""
    pub_and_sub(story, "f4", "f4-sub")
    for second in range(1, 111):
        story.counters("f4", second, sent=second * 100)
        read = min(second * 100, 4000) - (100 if second >= 11 else 0) - (80 if second == 11 else 0)
        if second <= 45:
            story.counters("f4-sub", second, received=read, waited_receives=second)
    story.onset("f4", 1000, 10)
    story.gap("f4-sub", "f4", 1000, 1099, (9.99, 11), received=1001)
    story.onset("f4", 6500, 65)
    story.sent("f4", 11_000, 110, final=False)
    story.got("f4-sub", "f4", 3900, 0, 3999, 40, newest=40, final=False)


def counts_of_a_proxy_that_were_old(story: LandedFolder) -> None:
    """Who asks it for its counts was stuck for ten seconds when it was killed; its reader hangs."""
    before, _ = proxied(story, "f5", "f5-sub")
    before.down(100, told_by="f5")
    story.sent("f5", 9500, 95, final=False)
    story.got("f5-sub", "f5", 9400, 0, 9399, 94, newest=94, final=False)
    for side in ("f5-front", "f5-back"):
        story.killed(side, 100.4)
    asked = int(at(90).timestamp() * 1e9)
    story.counters("f5-front", 100.4, final=True, proxied_in_frames=18_000, proxied_at=asked)


def second_topic_in_the_middle_of_a_drop(story: LandedFolder) -> None:
    """It asked for both topics before it connected, one after the other; half a second later the second began, while its pipe was full."""
    story.socket("f6", "PUB", sndhwm=1000)
    story.socket("f6-sub", "SUB", closed=110)
    for after, topic in enumerate(("a", "b")):
        story.subscribe("f6-sub", topic, seconds=0.01 + after / 100)
    ToldConnection(story, "f6", "f6-sub", up=0.1).down(110, 1100, told_by="f6")
    story.sent("f6", 1000, 100, topic="a")
    story.sent("f6", 100, 100, lane=1, topic="b")
    for lane in story.rows["lane"]:
        if lane["socket"] == id_of("f6") and lane["lane"] == 1 and lane["state"] == "announced":
            lane["at"] = at(0.6)
    story.onset("f6", 400, 0.5, lane_number=400)
    story.gap("f6-sub", "f6", 400, 499, (0.5, 1))
    story.got("f6-sub", "f6", 900, 0, 999, 100, newest=100)
    story.got("f6-sub", "f6", 90, 10, 99, 100, newest=100, lane=1)


def reads_on_at_its_onset(story: LandedFolder) -> None:
    """It has read all that came before its pipe was full; since then the pipe has had room for some, and how much is not known yet."""
    pub_and_sub(story, "f7", "f7-sub")
    story.onset("f7", 500, 118.9)
    story.sent("f7", 600, 119.8, final=False)
    story.got("f7-sub", "f7", 500, 0, 499, 119.8, newest=118.8, final=False)


def feed_of_topics(story: LandedFolder, pub: str, *, got: int, newest: float, unread: bool | None) -> None:
    """Its reader takes two of four topics, and went soon after it had read all."""
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
    feed_of_topics(story, "t1", got=MET_FULL, newest=MET_FULL / 100, unread=None)


def left_what_the_pipe_held(story: LandedFolder) -> None:
    feed_of_topics(story, "t2", got=600, newest=6, unread=True)


STORIES = (
    read_all_that_the_pipe_held,
    left_what_the_pipe_held,
    reads_on_at_its_onset,
    paused_long_after_a_gap,
    lagging_beside_a_full_one,
    later_topic_at_an_onset,
    hung_for_half_of_the_time,
    counts_of_a_proxy_that_were_old,
    second_topic_in_the_middle_of_a_drop,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_a_gap_of_long_ago_does_not_say_that_the_pipe_was_full_again(report: Json) -> None:
    assert incidents(report, "hub of f1") == [("hub of f1 → f1-sub", "slow_receiver", "inferred", 100)]
    assert row(report, "f1", "f1-sub")["in_flight"] == 50


def test_who_reads_on_has_lost_nothing_behind_an_onset_that_it_has_not_come_to(report: Json) -> None:
    assert row(report, "f2", "f2-lags")["in_flight"] == 900


def test_what_a_reader_may_be_about_to_read_behind_its_own_onset_is_not_lost_yet(report: Json) -> None:
    assert incidents(report, "f7") == []
    assert row(report, "f7", "f7-sub")["in_flight"] == 100


def test_a_topic_that_begins_after_it_had_joined_is_not_missed_for_joining_late(report: Json) -> None:
    assert incidents(report, "f3") == [
        ("f3 → f3-sub", "slow_joiner", "inferred", 5),
        ("f3 → f3-sub", "slow_receiver", "inferred", 10),
    ]


def test_what_was_asked_for_before_connecting_was_asked_for_at_once(report: Json) -> None:
    assert {cause for _, cause, _, _ in incidents(report, "f6")} == {"slow_receiver"}
    assert row(report, "f6", "f6-sub")["lost"] == 110


def test_who_read_nothing_for_half_of_the_time_did_not_meet_bursts(report: Json) -> None:
    assert {cause for _, cause, _, _ in incidents(report, "f4")} == {"slow_receiver"}


def test_old_counts_do_not_prove_that_nothing_arrived_since(report: Json) -> None:
    assert incidents(report, "f5") == []
    assert row(report, "f5", "f5-sub")["unexplained"] == 100


def test_who_read_all_that_the_pipe_held_lost_the_ends_of_all_its_topics_there(report: Json) -> None:
    told = incidents(report, "t1")
    assert sum(lost for *_, lost in told) == 2 * (EACH - MET_FULL)
    assert {cause for _, cause, _, _ in told} <= {"slow_receiver", "hwm_too_low"}


def test_who_left_what_the_pipe_held_is_not_said_to_have_read_it(report: Json) -> None:
    told = {cause: lost for _, cause, _, lost in incidents(report, "t2")}
    # of the topic of which a message met the full pipe it is known what had gone before that
    assert told["closed"] >= MET_FULL - 600 + EACH - 600 - 1
