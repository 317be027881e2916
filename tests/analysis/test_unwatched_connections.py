"""A connection that nobody watched all the time may have gone down, though nobody says so."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection, meet

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def own_monitor(story: LandedFolder, *sockets: str) -> None:
    """Their application has monitors of its own."""
    for socket in sockets:
        story.add("connection", socket, 0, action="monitor_application")


def monitor_stopped(story: LandedFolder, *sockets: str) -> None:
    for socket in sockets:
        story.add("connection", socket, 5, action="monitor_stopped")


def lacks_the_end(story: LandedFolder, sender: str, receiver: str, *, busy: bool = False) -> None:
    """The sender closed at 50, 10 s after its last message; or at once, its receiver still getting messages by then (``busy``)."""
    sent_at, got_at = (49.95, 49.9) if busy else (40, 39.5)
    story.sent(sender, 1000, sent_at)
    story.got(receiver, sender, 900, 0, 899, got_at)


def told_by_the_sub(story: LandedFolder, pub: str, sub: str, *, again: float | None = None) -> None:
    """A PUB that nobody watches; its SUB tells of their connection, which is cut just before ``again``."""
    story.ports += 1
    endpoint = f"tcp://127.0.0.1:{story.ports}"
    story.socket(pub, "PUB", closed=50)
    own_monitor(story, pub)
    meet(story, pub, sub, endpoint=endpoint)
    for up in (0.1, again):
        if up is not None:
            story.ports += 1
            local, remote = f"127.0.0.1:{story.ports}", endpoint.removeprefix("tcp://")
            story.one_end(sub, up, local, remote, endpoint=endpoint, accepted=False)


def reader_of_two(story: LandedFolder, sub: str, cut: str, other: str, *, busy: bool = False) -> None:
    story.socket(sub, "SUB", closed=60)
    story.subscribe(sub, "")
    told_by_the_sub(story, cut, sub, again=41)
    told_by_the_sub(story, other, sub)
    lacks_the_end(story, cut, sub, busy=busy)
    story.sent(other, 50, 40)
    story.got(sub, other, 50, 0, 49, 40)


def reader_of_one(story: LandedFolder) -> None:
    story.socket("usher", "SUB", closed=60)
    story.subscribe("usher", "")
    told_by_the_sub(story, "gallery", "usher")
    lacks_the_end(story, "gallery", "usher")


def pair(
    story: LandedFolder, sender: str, receiver: str, *, killed: bool = False, probed: bool = True
) -> None:
    """Both tell of their connection when it comes up."""
    story.socket(sender, "PUB", closed=70 if killed else 50, probed=probed)
    story.socket(receiver, "SUB", closed=None if killed else 60)
    story.subscribe(receiver, "")
    ToldConnection(story, sender, receiver)
    if killed:
        story.killed(receiver, 50)


def jobs(story: LandedFolder, push: str, pull: str, *, busy: bool) -> None:
    story.socket(push, "PUSH", closed=50, linger=0)
    story.socket(pull, "PULL", closed=60)
    ToldConnection(story, push, pull)
    lacks_the_end(story, push, pull, busy=busy)


def within_a_process(story: LandedFolder) -> None:
    story.socket("foyer", "PUB", closed=50)
    story.socket("cloakroom", "SUB", closed=60)
    story.homes["cloakroom"] = story.homes["foyer"]
    story.rows["socket"][-2]["process"] = story.rows["socket"][-4]["process"]
    story.subscribe("cloakroom", "")
    meet(story, "foyer", "cloakroom", endpoint="inproc://foyer")
    own_monitor(story, "foyer", "cloakroom")
    lacks_the_end(story, "foyer", "cloakroom")


def gap(story: LandedFolder, pub: str, sub: str, *, probed: bool = True) -> None:
    pair(story, pub, sub, probed=probed)
    story.sent(pub, 1000, 40)
    if probed:
        story.onset(pub, 600, 20)
    story.sampled(pub, 600, 699, (20, 38))
    story.gap(sub, pub, 600, 699, (20, 38))
    story.got(sub, pub, 900, 0, 999, 41)


def cut_ends(story: LandedFolder) -> None:
    reader_of_two(story, "critic", "matinee", "revue")
    reader_of_two(story, "heckler", "premiere", "encore", busy=True)
    reader_of_one(story)
    within_a_process(story)
    for sender, receiver, stopped in (
        ("stage", "stalls", ()),
        ("side stage", "side stalls", ("side stage",)),
        ("back stage", "back stalls", ("back stalls",)),
        ("dark stage", "dark stalls", ("dark stage", "dark stalls")),
    ):
        pair(story, sender, receiver)
        lacks_the_end(story, sender, receiver)
        monitor_stopped(story, *stopped)


def other_kinds(story: LandedFolder) -> None:
    for house, stopped in (("lit", False), ("unlit", True)):
        pair(story, f"{house} pit", f"{house} fiddler", killed=True)
        story.sent(f"{house} pit", 1000, 49.9)
        story.got(f"{house} fiddler", f"{house} pit", 900, 0, 899, 40)
        jobs(story, f"{house} fly", f"{house} rigger", busy=False)
        jobs(story, f"{house} trap", f"{house} prompter", busy=True)
        gap(story, f"{house} wing", f"{house} box")
        gap(story, f"{house} apron", f"{house} circle", probed=False)
        if stopped:
            for role in (
                "pit",
                "fiddler",
                "fly",
                "rigger",
                "trap",
                "prompter",
                "wing",
                "box",
                "apron",
                "circle",
            ):
                monitor_stopped(story, f"{house} {role}")


STORIES = (cut_ends, other_kinds)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def told(report: Json, sender: str) -> list[tuple[str, str, int]]:
    return [found[1:] for found in incidents(report, sender)]


def test_a_cut_that_nobody_saw_is_not_told_as_the_senders_close(report: Json) -> None:
    assert told(report, "matinee") == []
    assert row(report, "matinee", "critic")["unexplained"] == 100


def test_who_was_sent_something_until_the_close_lost_it_then_as_it_seems(report: Json) -> None:
    assert told(report, "premiere") == [("closed", "inferred", 100)]


@pytest.mark.parametrize("sender", ["gallery", "stage", "side stage", "back stage", "foyer"])
def test_one_end_that_was_watched_is_enough(report: Json, sender: str) -> None:
    assert told(report, sender) == [("closed", "exact", 100)]


def test_ends_of_which_the_monitors_were_taken_away_do_not_tell(report: Json) -> None:
    assert told(report, "dark stage") == []
    assert row(report, "dark stage", "dark stalls")["unexplained"] == 100


@pytest.mark.parametrize(
    ("sender", "watched", "unwatched"),
    [
        ("pit", [("receiver_died", "exact", 100)], []),
        ("fly", [("closed", "exact", 100)], []),
        ("trap", [("closed", "exact", 100)], [("closed", "inferred", 100)]),
        ("wing", [("slow_receiver", "exact", 100)], [("slow_receiver", "inferred", 100)]),
        ("apron", [("slow_receiver", "inferred", 100)], []),
    ],
)
def test_so_it_is_with_other_causes(
    report: Json, sender: str, watched: list[tuple[str, str, int]], unwatched: list[tuple[str, str, int]]
) -> None:
    assert told(report, f"lit {sender}") == watched
    assert told(report, f"unlit {sender}") == unwatched


def test_an_inferred_cause_says_that_the_connection_was_not_watched(report: Json) -> None:
    said = {
        incident["hop"]: [item["kind"] for item in incident["evidence"]] for incident in report["incidents"]
    }
    assert "unwatched" in said["premiere → heckler"]
    assert "unwatched" not in said["gallery → usher"]
