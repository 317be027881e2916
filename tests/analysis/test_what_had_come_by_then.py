"""A receiver that closes looks into its inbox alone: that nothing is left there proves what its dead sender took along only if all had come by then."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

KILLED, CLOSED = 50, 57


def outlived(
    story: LandedFolder,
    sender: str,
    kind: str,
    *,
    seen_at: float | None = None,
    moved_at: float = CLOSED - 0.05,
) -> None:
    """The last ten of 100 did not come; the receiver closed seven seconds after its sender was killed, and said that nothing was unread."""
    receiver = f"{sender}-heir"
    story.socket(sender, kind)
    story.socket(receiver, "SUB" if kind == "PUB" else "PULL", closed=CLOSED, unread=False)
    if kind == "PUB":
        story.subscribe(receiver, "")
    connection = ToldConnection(story, sender, receiver)
    if seen_at is not None:
        connection.down(seen_at, told_by=receiver)
    story.killed(sender, KILLED)
    story.sent(sender, 100, KILLED - 0.1, final=False)
    story.got(receiver, sender, 90, 0, 89, moved_at, newest=KILLED - 1)


def still_reading(story: LandedFolder) -> None:
    outlived(story, "uncle", "PUB")
    outlived(story, "aunt", "PUSH")


def saw_it_go(story: LandedFolder) -> None:
    outlived(story, "father", "PUB", seen_at=CLOSED - 2)
    outlived(story, "mother", "PUSH", seen_at=CLOSED - 2)


def had_been_idle(story: LandedFolder) -> None:
    outlived(story, "brother", "PUB", moved_at=CLOSED - 3)
    outlived(story, "sister", "PUSH", moved_at=CLOSED - 3)


STORIES = (still_reading, saw_it_go, had_been_idle)


@pytest.mark.parametrize(
    ("sender", "certainty"),
    [
        ("uncle", "inferred"),
        ("aunt", "inferred"),
        ("father", "exact"),
        ("mother", "exact"),
        ("brother", "exact"),
        ("sister", "exact"),
    ],
)
def test_it_is_certain_where_the_receiver_saw_it_go_or_had_nothing_to_read(
    joint_report: Json, sender: str, certainty: str
) -> None:
    assert incidents(joint_report, sender) == [(f"{sender} → {sender}-heir", "sender_died", certainty, 10)]
