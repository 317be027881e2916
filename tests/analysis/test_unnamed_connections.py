"""Connections without addresses: they are only told to be of a link where they can be of no other."""

import pytest
from landed_folder import LandedFolder, id_of
from stories import Json, incidents
from told_connections import local_connection, meet

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def slow_reader(story: LandedFolder, pub: str, place: str) -> None:
    """A PUB meets a full pipe at 60, and 1000 messages are dropped there."""
    sub = f"{pub}-reader"
    story.socket(pub, "PUB", closed=110)
    story.socket(sub, "SUB", closed=112)
    story.subscribe(sub, "")
    meet(story, pub, sub, endpoint=place)
    story.sent(pub, 6000, 109)
    story.got(sub, pub, 5000, 0, 5999, 111, newest=109)
    story.onset(pub, 3000, 60)
    story.sampled(pub, 3000, 3999, (60, 75))
    story.gap(sub, pub, 3000, 3999, (60, 75), received=3001)


def connected(story: LandedFolder, pub: str, place: str, up: float = 0.1) -> None:
    """As both ends tell."""
    local_connection(story, pub, place, up)
    local_connection(story, f"{pub}-reader", place, up, accepted=False)


def beside_one_that_comes_and_goes(story: LandedFolder) -> None:
    place = "ipc:///run/u1"
    slow_reader(story, "u1", place)  # which has a monitor of its own
    local_connection(story, "u1", place, 0.1)
    local_connection(story, "u1", place, 20, 25)


def behind_one_that_came_and_went(story: LandedFolder) -> None:
    """It was there before the reader was, and again when the reader had been closed and opened anew elsewhere."""
    place = "ipc:///run/u2"
    slow_reader(story, "u2", place)
    local_connection(story, "u2", place, 0.05, 0.1)
    connected(story, "u2", place, up=0.3)
    local_connection(story, "u2", place, 66, 66.5)


def beside_a_probed_port(story: LandedFolder, pub: str, place: str) -> None:
    slow_reader(story, pub, place)
    if place.startswith("inproc"):
        one_process(story, pub, f"{pub}-reader")
    for seconds in range(10, 100, 10):
        local_connection(story, pub, "tcp://127.0.0.1:5555", seconds, seconds + 0.1)


def at_another_place(story: LandedFolder) -> None:
    """The PUB is bound to two places; who connects to the other one is not the reader."""
    slow_reader(story, "u5", "ipc:///run/u5")
    story.add("endpoint", "u5", 0, action="bind", endpoint="ipc:///run/u5-too")
    local_connection(story, "u5", "ipc:///run/u5-too", 20, 25)


def cut_and_mended(story: LandedFolder) -> None:
    """No full pipe: the connection itself broke, as both ends tell."""
    place, sub = "ipc:///run/u6", "u6-reader"
    story.socket("u6", "PUB", closed=110)
    story.socket(sub, "SUB", closed=112)
    story.subscribe(sub, "")
    meet(story, "u6", sub, endpoint=place)
    for end, accepted in (("u6", True), (sub, False)):
        local_connection(story, end, place, 0.1, 60.5, accepted=accepted)
        local_connection(story, end, place, 62, accepted=accepted)
    story.sent("u6", 6000, 109)
    story.got(sub, "u6", 5900, 0, 5999, 111, newest=109)
    story.gap(sub, "u6", 3000, 3099, (60, 62.5), received=3001)


def one_process(story: LandedFolder, *names: str) -> None:
    home = story.homes[names[0]]
    for name in names[1:]:
        story.homes[name] = home
        for kind in ("socket", "endpoint", "subscription"):
            for told in story.rows[kind]:
                if told["socket"] == id_of(name):
                    told["process"] = id_of(home[0])


def all_of_them(story: LandedFolder) -> None:
    beside_one_that_comes_and_goes(story)
    behind_one_that_came_and_went(story)
    beside_a_probed_port(story, "u3", "ipc:///run/u3")
    beside_a_probed_port(story, "u4", "inproc://u4")
    at_another_place(story)
    cut_and_mended(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize("pub", ["u1", "u2", "u3", "u4", "u5"])
def test_a_connection_of_somebody_else_is_not_the_readers_and_its_pipe_was_full(
    report: Json, pub: str
) -> None:
    assert incidents(report, pub) == [(f"{pub} → {pub}-reader", "slow_receiver", "exact", 1000)]


def test_a_cut_that_both_ends_tell_of_is_theirs(report: Json) -> None:
    assert incidents(report, "u6") == [("u6 → u6-reader", "reconnect", "inferred", 100)]
