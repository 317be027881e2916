"""Who received over ipc or inproc and tells of nothing: those transports have no addresses that would name the other end."""

import pytest
from hopwatch_analysis.links.strangers import streams_shared_with
from landed_folder import LandedFolder, id_of
from pyspark.sql import SparkSession
from stories import Json, incidents, row
from told_connections import local_connection, meet

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def beside_an_unwrapped_one(story: LandedFolder, push: str, *, since: float) -> None:
    """It took 500 of the first 1000 messages and left; what nobody tells of took all others."""
    place, worker = f"ipc:///run/{push}", f"{push}-known"
    story.socket(push, "PUSH", closed=50, linger=-1)
    story.socket(worker, "PULL", closed=30)
    meet(story, push, worker, endpoint=place)
    local_connection(story, push, place, 0.1, 30, sent=1000)
    local_connection(story, worker, place, 0.1, accepted=False)
    local_connection(story, push, place, since)
    story.sent(push, 2000, 49)
    story.got(worker, push, 500, 0, 998, 29.9)


def of_known_ones(story: LandedFolder, push: str, *, told: bool) -> None:
    """One worker is killed, and another one comes in its place; somebody looks in."""
    place, worker, later = f"ipc:///run/{push}", f"{push}-worker", f"{push}-later"
    story.socket(push, "PUSH", closed=50, linger=-1)
    story.socket(worker, "PULL")
    story.socket(later, "PULL", opened=30.2, closed=55)
    meet(story, push, worker, later, endpoint=place)
    local_connection(story, push, place, 0.1, 29.8, sent=1000)
    story.killed(worker, 30.1)
    local_connection(story, push, place, 30.3)
    if told:
        local_connection(story, worker, place, 0.1, accepted=False)
        local_connection(story, later, place, 30.3, accepted=False)
    local_connection(story, push, place, 40, 40.1)
    story.sent(push, 2000, 49)
    story.got(worker, push, 950, 0, 949, 29.7)
    story.got(later, push, 1000, 1000, 1999, 49.5)


def within_a_process(story: LandedFolder, push: str) -> None:
    """Of inproc no monitor tells: nobody knows how many receive."""
    place, worker = f"inproc://{push}", f"{push}-known"
    story.socket(push, "PUSH", closed=50, linger=-1)
    story.socket(worker, "PULL", closed=30, unread=True)
    story.homes[worker] = story.homes[push]
    for opened in story.rows["socket"]:
        if opened["socket"] == id_of(worker):
            opened["process"] = id_of(story.homes[push][0])
    meet(story, push, worker, endpoint=place)
    story.sent(push, 1000, 29)
    story.got(worker, push, 500, 0, 499, 29.9)


def all_of_them(story: LandedFolder) -> None:
    beside_an_unwrapped_one(story, "p1", since=0.2)
    beside_an_unwrapped_one(story, "p2", since=35)
    of_known_ones(story, "p3", told=False)
    of_known_ones(story, "p5", told=True)
    within_a_process(story, "p4")


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize("push", ["p1", "p2"])
def test_what_another_may_have_received_over_ipc_is_not_told_as_lost(report: Json, push: str) -> None:
    assert incidents(report, push) == []
    assert row(report, push, f"{push}-known")["unexplained"] == 1500


def test_of_which_shared_out_streams_others_may_have_got_some_is_known(spark: SparkSession) -> None:
    """By way of a proxy too. A subscriber that nobody knows takes nothing from one that is known."""
    strangers = spark.sql(
        "select explode(array('push', 'back', 'pub')) socket, true counted union all select 'maybe', false"
    )
    edges = spark.sql(
        "select * from values ('push', 'push'), ('far', 'far'), ('far', 'back'), ('pub', 'pub'), ('alone', 'alone'), ('maybe', 'maybe') as (stream, from_socket)"
    )
    sockets = spark.sql(
        "select * from values ('push', 'PUSH'), ('far', 'DEALER'), ('pub', 'PUB'), ('alone', 'PUSH'), ('maybe', 'PUSH') as (socket, type)"
    )
    found = streams_shared_with(strangers, edges, sockets).collect()
    assert {row.stream for row in found} == {"push", "far"}


@pytest.mark.parametrize("push", ["p3", "p5"])
def test_connections_over_ipc_that_known_receivers_account_for_are_theirs(report: Json, push: str) -> None:
    assert incidents(report, push) == [(f"{push} → {push}-worker", "receiver_died", "exact", 50)]


def test_who_receives_over_inproc_is_never_sure(report: Json) -> None:
    assert incidents(report, "p4") == [("p4 → p4-known", "closed", "inferred", 500)]
