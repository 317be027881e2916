"""Who hung up on a message that was too large, and who was cut off: no event says so."""

from typing import Any

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

BOUND = 65_536
DOWN = 10.1
Sent = tuple[tuple[float, int, int], ...]
"""At each time: messages and bytes sent by then."""
ONE_LARGE: Sent = ((20, 500, 250_000), (40, 1000, 300_000))
SMALL: Sent = ((20, 500, 50_000), (40, 1000, 100_000))
LARGE: Sent = ((5, 50, 5_000_000), (10, 100, 10_000_000), (20, 500, 50_000_000), (40, 1000, 100_000_000))


def cut(
    story: LandedFolder,
    pub: str,
    sub: str,
    sent: Sent,
    *,
    again: float | None = None,
    topic: str = "",
    closed: float | None = 60,
    **options: int,
) -> None:
    """The connection of a receiver of 65,536 bytes at most, which had called, goes down, and may come up again."""
    story.socket(pub, "PUB", closed=50)
    story.socket(sub, "SUB", closed=closed, maxmsgsize=BOUND, **options)
    story.subscribe(sub, topic)
    story.link(pub, sub, up=0.1, down=DOWN)
    if again is not None:
        story.link(pub, sub, up=again, sent=150)
    for seconds, messages, size in sent:
        story.counters(pub, seconds, sent=messages, sent_bytes=size)
    story.sent(pub, 1000, 40)
    if again is None:
        story.got(sub, pub, 100, 0, 99, DOWN, final=closed is not None)
    else:
        story.got(sub, pub, 950, 0, 999, 45)
        story.gap(sub, pub, 100, 149, (10, again), received=101)


def the_first_sample_was_late(story: LandedFolder) -> None:
    cut(story, "boxes", "muted", ONE_LARGE)
    cut(story, "crates", "back-again", ONE_LARGE, again=11)
    cut(story, "cards", "gone-quiet", SMALL)


def two_samples_were_far_apart(story: LandedFolder) -> None:
    cut(story, "bags", "back-soon", ((2, 20, 2_000), *ONE_LARGE), again=11)
    cut(story, "sacks", "never-back", ((2, 20, 2_000), *ONE_LARGE))


def never_called_again_and_would_not_have(story: LandedFolder) -> None:
    cut(story, "tins", "resigned", ONE_LARGE, reconnect_ivl=-1)
    cut(story, "jars", "unobserved", ONE_LARGE)
    story.add("connection", "unobserved", 0.2, action="monitor_application")
    cut(story, "pots", "closed-then", ONE_LARGE, closed=DOWN + 0.5)
    cut(story, "pans", "killed-then", ONE_LARGE, closed=None)
    story.killed("killed-then", DOWN + 4)


def told_to_leave(story: LandedFolder) -> None:
    cut(story, "cups", "told-to-leave", ONE_LARGE)
    story.add("endpoint", "told-to-leave", DOWN, action="disconnect", endpoint="tcp://127.0.0.1:5555")


def tried_again(story: LandedFolder) -> None:
    """In vain: nobody was there any more."""
    cut(story, "urns", "still-trying", ((10, 100, 150_000), *ONE_LARGE))
    for number in range(3):
        story.add(
            "connection", "still-trying", 10.2 + number, action="retried", endpoint="tcp://127.0.0.1:5555"
        )


def large_ones_are_for_others(story: LandedFolder) -> None:
    cut(story, "all-sizes", "takes-small-ones", LARGE, again=11, topic="small")
    cut(story, "large-ones", "takes-all", LARGE)


STORIES = (
    the_first_sample_was_late,
    two_samples_were_far_apart,
    never_called_again_and_would_not_have,
    told_to_leave,
    tried_again,
    large_ones_are_for_others,
)


def causes(report: Json, sender: str) -> set[str]:
    return {cause for _, cause, _, _ in incidents(report, sender)}


def option(report: Json, sender: str) -> Any:
    (found,) = (one for one in report["incidents"] if one["hop"].startswith(f"{sender} → "))
    return next(item for item in found["evidence"] if item["kind"] == "option")


@pytest.mark.parametrize("sender", ["boxes", "sacks"])
def test_who_never_called_again_hung_up_if_a_message_by_then_may_have_been_too_large(
    joint_report: Json, sender: str
) -> None:
    assert incidents(joint_report, sender)[0][1:] == ("oversize", "inferred", 900)
    assert "it never called" in option(joint_report, sender)["text"]


@pytest.mark.parametrize("sender", ["crates", "bags"])
def test_who_called_again_was_cut_off_where_it_is_not_known_what_was_sent_then(
    joint_report: Json, sender: str
) -> None:
    assert causes(joint_report, sender) == {"reconnect"}


def test_who_never_called_again_did_not_hang_up_on_small_messages(joint_report: Json) -> None:
    assert causes(joint_report, "cards") == {"reconnect"}


@pytest.mark.parametrize("sender", ["tins", "jars", "pots", "pans", "cups", "urns"])
def test_who_would_not_have_called_again_or_been_heard_to_is_not_said_to_have_hung_up(
    joint_report: Json, sender: str
) -> None:
    assert "oversize" not in causes(joint_report, sender)


def test_what_others_get_is_not_why_a_receiver_of_small_messages_went(joint_report: Json) -> None:
    assert causes(joint_report, "all-sizes") == {"reconnect"}
    assert causes(joint_report, "large-ones") == {"oversize"}
    assert "larger on average" in option(joint_report, "large-ones")["text"]
