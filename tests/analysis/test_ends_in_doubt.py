"""What is missing at the end of a stream is lost for certain, and with one end, only where numbers leave nothing else."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def found_dead_together(
    story: LandedFolder, sender: str, kinds: tuple[str, str], *, sender_at: float
) -> None:
    """A service is killed as a whole; its agent finds one process dead and then the other, and neither saw the other go."""
    receiver = f"{sender}-reader"
    story.socket(sender, kinds[0])
    story.socket(receiver, kinds[1])
    story.subscribe(receiver, "")
    story.link(sender, receiver)
    for socket in (sender, receiver):
        story.watched(socket)
    story.sent(sender, 10_000, 50, final=False)
    story.got(receiver, sender, 6000, 0, 5999, 50)
    story.killed(receiver, 50.4)
    story.killed(sender, sender_at)


def reader_that_takes_ten_seconds_a_job(story: LandedFolder, push: str, *, last: float) -> None:
    """All was sent in a second, and the PUSH closed; its only PULL is at work and read the 11th job at that time."""
    pull = f"{push}-worker"
    story.socket(push, "PUSH", closed=2, linger=-1)
    story.socket(pull, "PULL")
    story.link(push, pull, down=2)
    story.sent(push, 1000, 1)
    story.got(pull, push, 1, 0, 0, 1.5, final=False)
    story.got(pull, push, 11, 0, 10, last, final=False)


def hub_that_others_send_to(story: LandedFolder, push: str, *, frames_of_others: int) -> None:
    """Of 1000 jobs of two frames 200 went with their PUSH; somebody who is not instrumented sent to the same proxy."""
    front, back, pull = f"{push}-front", f"{push}-back", f"{push}-worker"
    story.socket(push, "PUSH")
    story.socket(front, "PULL", closed=60)
    story.socket(back, "PUSH", closed=60)
    story.proxy(f"{push}-hub", front, back)
    story.socket(pull, "PULL", closed=55)
    story.link(front, push, down=50)
    story.link(back, pull, down=55)
    here, there = "127.0.0.1:5555", f"127.0.0.1:{22_000 + story.ports}"
    story.one_end(front, 0.2, here, there, endpoint=f"tcp://{here}", accepted=True)
    story.sent(push, 1000, 49, final=False)
    story.killed(push, 50.1)
    story.got(pull, push, 800, 0, 799, 50)
    for socket in (push, front, back, pull):
        story.watched(socket)
    frames = 1600 + frames_of_others
    story.counters(front, 60, final=True, proxied_in_frames=frames)
    story.counters(back, 60, final=True, proxied_out_frames=frames)


def newest_frame_only(story: LandedFolder, push: str, *pulls: str) -> None:
    """PULLs that keep the newest message only."""
    story.socket(push, "PUSH", sequence="numbers", closed=60)
    for place, pull in enumerate(pulls):
        story.socket(pull, "PULL", sequence="numbers", closed=50, conflate=1)
        story.link(push, pull, down=50)
        story.got(pull, push, 100, place, 997 - place, 49)
    story.sent(push, 1000, 49.5, frames_each=1)


def all_of_them(story: LandedFolder) -> None:
    found_dead_together(story, "twin-push", ("PUSH", "PULL"), sender_at=50.4003)
    found_dead_together(story, "twin-pub", ("PUB", "SUB"), sender_at=50.4003)
    found_dead_together(story, "twin-pub-first", ("PUB", "SUB"), sender_at=50.3997)
    reader_that_takes_ten_seconds_a_job(story, "oven", last=109)
    reader_that_takes_ten_seconds_a_job(story, "grill", last=80)
    hub_that_others_send_to(story, "loom", frames_of_others=500)
    hub_that_others_send_to(story, "lathe", frames_of_others=300)
    newest_frame_only(story, "lens", "retina")
    newest_frame_only(story, "periscope", "left-eye", "right-eye")


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("sender", "cause"),
    [("twin-push", "receiver_died"), ("twin-pub", "receiver_died"), ("twin-pub-first", "sender_died")],
)
def test_which_of_two_that_were_killed_at_once_took_it_along_is_not_proven(
    report: Json, sender: str, cause: str
) -> None:
    assert incidents(report, sender) == [(f"{sender} → {sender}-reader", cause, "inferred", 4000)]


def test_who_takes_long_for_each_job_has_those_of_a_sender_that_closed_in_its_inbox(report: Json) -> None:
    assert incidents(report, "oven") == []
    assert row(report, "oven", "oven-worker")["in_flight"] == 989


def test_but_not_who_has_got_nothing_for_several_times_as_long(report: Json) -> None:
    assert incidents(report, "grill") == [("grill → grill-worker", "closed", "inferred", 989)]


@pytest.mark.parametrize("push", ["loom", "lathe"])
def test_what_others_sent_to_a_proxy_does_not_stand_in_for_what_never_came_to_it(
    report: Json, push: str
) -> None:
    assert incidents(report, push) == incidents(report, f"{push}-hub") == []
    assert row(report, push, f"{push}-worker")["unexplained"] == 200


def test_a_pull_that_keeps_the_newest_message_threw_the_others_away_and_did_not_lose_them_as_it_closed(
    report: Json,
) -> None:
    assert incidents(report, "lens") == [("lens → retina", "conflated", "inferred", 900)]


def test_whose_they_were_is_not_known_of_two_that_do(report: Json) -> None:
    assert incidents(report, "periscope") == []
    assert row(report, "periscope", None)["unexplained"] == 800
