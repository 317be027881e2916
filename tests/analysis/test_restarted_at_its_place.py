"""A bound process is killed and another comes to its place: what a sender that connects sent meanwhile went with its connection."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def restarted_broker(story: LandedFolder) -> None:
    """The PUB's pipe to the broker fills up while it is away for two seconds."""
    story.socket("ticks", "PUB", closed=100, sndhwm=1000)
    story.socket("scriptorium", "SUB", closed=105)
    story.subscribe("scriptorium", "")
    for broker in ("old", "new"):
        story.socket(f"{broker}-front", "XSUB", called="front", opened=0 if broker == "old" else 57)
        story.socket(
            f"{broker}-back", "XPUB", called="back", opened=0 if broker == "old" else 57, probed=False
        )
        story.proxy(broker, f"{broker}-front", f"{broker}-back")
    ToldConnection(story, "old-front", "ticks").down(56, told_by="ticks")
    ToldConnection(story, "old-back", "scriptorium").down(56, told_by="scriptorium")
    for side in ("front", "back"):
        story.killed(f"old-{side}", 56.4)
    ToldConnection(story, "new-front", "ticks", up=58)
    ToldConnection(story, "new-back", "scriptorium", up=57.9)
    story.counters("new-front", 104, proxied_in_frames=8000)
    story.onset("ticks", 2400, 56.8)
    story.sent("ticks", 8000, 99)
    story.gap("scriptorium", "ticks", 2300, 3999, (55.9, 58.1))
    story.got("scriptorium", "ticks", 6300, 0, 7999, 99.1, newest=99)


def one_message_too_many(story: LandedFolder) -> None:
    """The pipe takes all but one of what is sent while the worker is away."""
    story.socket("registrar", "PUB", closed=100, sndhwm=1000)
    for reader, opened in (("repository", 0), ("repository anew", 57)):
        story.socket(reader, "SUB", called="repository", opened=opened, closed=105 if opened else None)
        story.subscribe(reader, "", seconds=opened)
    ToldConnection(story, "repository", "registrar").down(56, told_by="registrar")
    story.killed("repository", 56.4)
    ToldConnection(story, "repository anew", "registrar", up=58)
    story.onset("registrar", 3300, 57.5)
    story.sent("registrar", 8000, 99)
    story.got("repository", "registrar", 2300, 0, 2299, 55.9, newest=55.9, final=False)
    story.gap("repository anew", "registrar", 3300, 3300, (57.4, 57.6), received=1001)
    story.got("repository anew", "registrar", 5699, 2300, 7999, 99.1, newest=99)


STORIES = (restarted_broker, one_message_too_many)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_it_is_told_as_lost_while_the_connection_was_down(report: Json) -> None:
    told = incidents(report, "ticks")
    assert {(cause, certainty) for _, cause, certainty, _ in told} == {("reconnect", "inferred")}
    assert (
        sum(item["lost"] + item["unexplained"] for item in report["ledger"] if item["name"] == "ticks")
        == 1700
    )


def test_so_is_a_single_message_for_which_the_pipe_of_who_was_there_before_had_no_room(report: Json) -> None:
    told = [(cause, certainty, lost) for _, cause, certainty, lost in incidents(report, "registrar")]
    assert ("reconnect", "inferred", 1) in told
    assert not {cause for cause, _, _ in told} & {"slow_receiver", "hwm_too_low"}


def test_advice_tells_of_a_sender_that_connected(report: Json) -> None:
    told = [item["advice"][0] for item in report["incidents"] if item["hop"].startswith("ticks → ")]
    assert told
    assert all("As the end that connected, ticks keeps up to its SNDHWM" in text for text in told)
