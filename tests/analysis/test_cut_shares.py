"""Connections of shared-out streams that were cut: what was lost in the cut is not told of what happened to an end later."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def cut_and_mended(story: LandedFolder, push: str, pull: str, *, pull_connects: bool = True) -> None:
    """The connection is down from 20 s, when 2000 had been sent, to 22 s, when the sender goes on, 100 a second, to 6000."""
    bound, connecting = (push, pull) if pull_connects else (pull, push)
    ToldConnection(story, bound, connecting).down(20, 2000)
    ToldConnection(story, bound, connecting, up=22, sent=2000)
    sampled(story, push, 100, 60)


def killed_much_later(story: LandedFolder) -> None:
    story.socket("k1", "PUSH", closed=100)
    story.socket("k1-pull", "PULL")
    cut_and_mended(story, "k1", "k1-pull")
    story.got("k1-pull", "k1", 5977, 0, 5996, 59.9, newest=59.8, final=False)
    story.killed("k1-pull", 80)


def closed_much_later(story: LandedFolder) -> None:
    story.socket("k2", "PUSH", closed=100)
    story.socket("k2-pull", "PULL", closed=80, unread=True, rcvhwm=1000)
    cut_and_mended(story, "k2", "k2-pull", pull_connects=False)
    story.got("k2-pull", "k2", 5977, 0, 5996, 59.9, newest=59.8)


def nothing_came_since(story: LandedFolder) -> None:
    """It may have had the last ones in its inbox, and died with them."""
    story.socket("k3", "PUSH", closed=100)
    story.socket("k3-pull", "PULL")
    ToldConnection(story, "k3", "k3-pull").down(20, 2000)
    ToldConnection(story, "k3", "k3-pull", up=22, sent=2000)
    sampled(story, "k3", 100, 20)
    story.got("k3-pull", "k3", 1980, 0, 1979, 19.9, newest=19.8, final=False)
    story.killed("k3-pull", 80)


def one_of_two(story: LandedFolder) -> None:
    """What of it was lost in the cut, and what as it was killed, cannot be known."""
    story.socket("k4", "PUSH", closed=100)
    story.socket("k4-cut", "PULL")
    story.socket("k4-whole", "PULL", closed=110)
    cut_and_mended(story, "k4", "k4-cut")
    ToldConnection(story, "k4", "k4-whole")
    story.got("k4-cut", "k4", 2977, 0, 5996, 59.9, newest=59.8, final=False)
    story.got("k4-whole", "k4", 3000, 1, 5999, 60, newest=59.9)
    story.killed("k4-cut", 80)


def streamer(story: LandedFolder, push: str, *, pull_unread: bool | None = False) -> str:
    """A PUSH, a proxy and its PULL, which closes at 80 s; the proxy's front."""
    front, back, pull = f"{push}-front", f"{push}-back", f"{push}-pull"
    story.socket(push, "PUSH", closed=62)
    story.socket(front, "PULL")
    story.socket(back, "PUSH")
    story.proxy(f"streamer of {push}", front, back)
    story.socket(pull, "PULL", closed=80, unread=pull_unread)
    ToldConnection(story, back, pull)
    return front


def cut_before_the_proxy(story: LandedFolder) -> None:
    front = streamer(story, "k5", pull_unread=True)
    ToldConnection(story, front, "k5").down(20)
    ToldConnection(story, front, "k5", up=22)
    sampled(story, "k5", 100, 60)
    story.counters(front, 110, proxied_in_frames=2 * 5970)
    story.got("k5-pull", "k5", 5968, 0, 5997, 59.9, newest=59.8)


def uncounted_proxy_behind_a_cut(story: LandedFolder) -> None:
    front = streamer(story, "k6", pull_unread=True)
    ToldConnection(story, front, "k6").down(20)
    ToldConnection(story, front, "k6", up=22)
    sampled(story, "k6", 100, 60)
    story.got("k6-pull", "k6", 5968, 0, 5997, 59.9, newest=59.8)


def the_proxy_was_killed(story: LandedFolder) -> None:
    """It had 30 that it had counted."""
    front = streamer(story, "k7")
    ToldConnection(story, front, "k7")
    sampled(story, "k7", 100, 60)
    story.counters(front, 60.5, proxied_in_frames=2 * 6000)
    story.got("k7-pull", "k7", 5970, 0, 5969, 59.9, newest=59.6)
    story.killed(front, 61)
    story.killed("k7-back", 61)


STORIES = (
    killed_much_later,
    closed_much_later,
    nothing_came_since,
    one_of_two,
    cut_before_the_proxy,
    uncounted_proxy_behind_a_cut,
    the_proxy_was_killed,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("push", "later", "certainty"), [("k1", "receiver_died", "exact"), ("k2", "closed", "inferred")]
)
def test_what_was_lost_in_a_cut_and_what_at_the_end_are_told_apart(
    report: Json, push: str, later: str, certainty: str
) -> None:
    """A sender that connects, as the second one does, may have kept what came last."""
    hop = f"{push} → {push}-pull"
    assert sorted(incidents(report, push)) == sorted(
        [(hop, "reconnect", "inferred", 20), (hop, later, certainty, 3)]
    )


@pytest.mark.parametrize(("push", "pull", "missing"), [("k3", "k3-pull", 20), ("k4", "k4-cut", 23)])
def test_what_may_be_of_either_is_unexplained(report: Json, push: str, pull: str, missing: int) -> None:
    assert row(report, push, pull)["causes"] == {"unexplained": missing}


def test_what_was_cut_off_before_a_proxy_is_not_told_of_the_hop_behind_it(report: Json) -> None:
    assert incidents(report, "k5") == [("k5 → streamer of k5", "reconnect", "inferred", 30)]
    assert incidents(report, "streamer of k5") == [("streamer of k5 → k5-pull", "closed", "inferred", 2)]


def test_without_a_proxys_counts_it_is_not_told_where_it_was_cut(report: Json) -> None:
    assert row(report, "k6", "k6-pull")["causes"] == {"unexplained": 32}


def test_what_a_killed_proxy_had_is_nobodys_elses(report: Json) -> None:
    assert row(report, "k7", "k7-pull")["causes"] == {"unexplained": 30}
