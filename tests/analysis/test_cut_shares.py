"""Connections of shared-out streams that were cut: what was lost in the cut is not told of what happened to an end later."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def cut_and_mended(story: LandedFolder, push: str, pull: str, *, pull_connects: bool = True) -> None:
    """The connection is down from 20 s, when 2000 had been sent, to 22 s, when the sender goes on, 100 a second, to 6000."""
    bound, connecting = (push, pull) if pull_connects else (pull, push)
    ToldConnection(story, bound, connecting).down(20, 2000)
    ToldConnection(story, bound, connecting, up=22, sent=2000)
    sampled(story, push, 100, 60)


def killed_much_later(story: LandedFolder) -> None:
    story.socket("c1", "PUSH", closed=100)
    story.socket("c1-pull", "PULL")
    cut_and_mended(story, "c1", "c1-pull")
    story.got("c1-pull", "c1", 5977, 0, 5996, 59.9, newest=59.8, final=False)
    story.killed("c1-pull", 80)


def closed_much_later(story: LandedFolder) -> None:
    story.socket("c2", "PUSH", closed=100)
    story.socket("c2-pull", "PULL", closed=80, unread=True)
    cut_and_mended(story, "c2", "c2-pull", pull_connects=False)
    story.got("c2-pull", "c2", 5977, 0, 5996, 59.9, newest=59.8)


def nothing_came_since(story: LandedFolder) -> None:
    """It may have had the last ones in its inbox, and died with them."""
    story.socket("c3", "PUSH", closed=100)
    story.socket("c3-pull", "PULL")
    ToldConnection(story, "c3", "c3-pull").down(20, 2000)
    ToldConnection(story, "c3", "c3-pull", up=22, sent=2000)
    sampled(story, "c3", 100, 20)
    story.got("c3-pull", "c3", 1980, 0, 1979, 19.9, newest=19.8, final=False)
    story.killed("c3-pull", 80)


def one_of_two(story: LandedFolder) -> None:
    """What of it was lost in the cut, and what as it was killed, cannot be known."""
    story.socket("c4", "PUSH", closed=100)
    story.socket("c4-cut", "PULL")
    story.socket("c4-whole", "PULL", closed=110)
    cut_and_mended(story, "c4", "c4-cut")
    ToldConnection(story, "c4", "c4-whole")
    story.got("c4-cut", "c4", 2977, 0, 5996, 59.9, newest=59.8, final=False)
    story.got("c4-whole", "c4", 3000, 1, 5999, 60, newest=59.9)
    story.killed("c4-cut", 80)


def cut_for_good(story: LandedFolder, push: str, *, closed: float) -> None:
    """20 were in the buffers of the connection that went; the receiver closes its socket at 40 s."""
    pull = f"{push}-pull"
    story.socket(push, "PUSH", closed=closed)
    story.socket(pull, "PULL", closed=40)
    ToldConnection(story, push, pull).down(20, 2000)
    sampled(story, push, 100, 20)
    story.got(pull, push, 1980, 0, 1979, 19.9, newest=19.8)


def both_close_long_after(story: LandedFolder) -> None:
    cut_for_good(story, "c5", closed=60)


def the_sender_closes_soon_after(story: LandedFolder) -> None:
    cut_for_good(story, "c6", closed=22)


def the_receiver_closes_at_once(story: LandedFolder) -> None:
    """It closed because of it."""
    story.socket("c7", "PUSH", closed=60)
    story.socket("c7-pull", "PULL", closed=20.2)
    ToldConnection(story, "c7", "c7-pull").down(20, 2000)
    sampled(story, "c7", 100, 20)
    story.got("c7-pull", "c7", 1980, 0, 1979, 19.9, newest=19.8)


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
    front = streamer(story, "c8", pull_unread=True)
    ToldConnection(story, front, "c8").down(20)
    ToldConnection(story, front, "c8", up=22)
    sampled(story, "c8", 100, 60)
    story.counters(front, 110, proxied_in_frames=2 * 5970)
    story.got("c8-pull", "c8", 5968, 0, 5997, 59.9, newest=59.8)


def uncounted_proxy_behind_a_cut(story: LandedFolder) -> None:
    front = streamer(story, "c9", pull_unread=True)
    ToldConnection(story, front, "c9").down(20)
    ToldConnection(story, front, "c9", up=22)
    sampled(story, "c9", 100, 60)
    story.got("c9-pull", "c9", 5968, 0, 5997, 59.9, newest=59.8)


def the_proxy_was_killed(story: LandedFolder) -> None:
    """It had 30 that it had counted."""
    front = streamer(story, "c10")
    ToldConnection(story, front, "c10")
    sampled(story, "c10", 100, 60)
    story.counters(front, 60.5, proxied_in_frames=2 * 6000)
    story.got("c10-pull", "c10", 5970, 0, 5969, 59.9, newest=59.6)
    story.killed(front, 61)
    story.killed("c10-back", 61)


STORIES = (
    killed_much_later,
    closed_much_later,
    nothing_came_since,
    one_of_two,
    both_close_long_after,
    the_sender_closes_soon_after,
    the_receiver_closes_at_once,
    cut_before_the_proxy,
    uncounted_proxy_behind_a_cut,
    the_proxy_was_killed,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(("push", "later"), [("c1", "receiver_died"), ("c2", "closed")])
def test_what_was_lost_in_a_cut_and_what_at_the_end_are_told_apart(
    report: Json, push: str, later: str
) -> None:
    hop = f"{push} → {push}-pull"
    assert sorted(incidents(report, push)) == sorted(
        [(hop, "reconnect", "inferred", 20), (hop, later, "exact", 3)]
    )


@pytest.mark.parametrize(("push", "pull", "missing"), [("c3", "c3-pull", 20), ("c4", "c4-cut", 23)])
def test_what_may_be_of_either_is_unexplained(report: Json, push: str, pull: str, missing: int) -> None:
    assert row(report, push, pull)["causes"] == {"unexplained": missing}


@pytest.mark.parametrize("push", ["c5", "c6"])
def test_a_connection_that_never_came_back_is_why_whoever_closes_later(report: Json, push: str) -> None:
    assert incidents(report, push) == [(f"{push} → {push}-pull", "reconnect", "inferred", 20)]


def test_who_closes_just_after_its_connection_was_cut_is_not_why(report: Json) -> None:
    assert incidents(report, "c7") == [("c7 → c7-pull", "reconnect", "inferred", 20)]


def test_what_was_cut_off_before_a_proxy_is_not_told_of_the_hop_behind_it(report: Json) -> None:
    assert incidents(report, "c8") == [("c8 → streamer of c8", "reconnect", "inferred", 30)]
    assert incidents(report, "streamer of c8") == [("streamer of c8 → c8-pull", "closed", "inferred", 2)]


def test_without_a_proxys_counts_it_is_not_told_where_it_was_cut(report: Json) -> None:
    assert row(report, "c9", "c9-pull")["causes"] == {"unexplained": 32}


def test_what_a_killed_proxy_had_is_nobodys_elses(report: Json) -> None:
    assert row(report, "c10", "c10-pull")["causes"] == {"unexplained": 30}
