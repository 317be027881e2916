"""Who hung up on a message that was too large (ZMQ_MAXMSGSIZE), and who was cut off: no event says so."""

from typing import Any

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

BOUND = 65_536
DOWN = 10.1
HUNG_UP, CUT, ENDS = 20, 80, 120
"""When a receiver hung up once, when it was cut off, and when all ends."""
Sent = tuple[tuple[float, int, int], ...]
"""At each time: messages and bytes sent by then."""
ONE_LARGE: Sent = ((20, 500, 250_000), (40, 1000, 300_000))
SMALL: Sent = ((20, 500, 50_000), (40, 1000, 100_000))
ONE_LARGE_THEN: Sent = ((5, 50, 5_000), (10, 100, 110_000), (20, 500, 150_000), (40, 1000, 200_000))
LARGE_FROM_THEN_ON: Sent = (
    (5, 50, 5_000),
    (10, 100, 10_000_000),
    (20, 500, 60_000_000),
    (40, 1000, 110_000_000),
)
MIXED: Sent = ((5, 50, 500_000), (10, 100, 1_200_000), (20, 500, 4_000_000), (40, 1000, 10_000_000))
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
    calls: bool = True,
    **options: int,
) -> None:
    """The connection of a receiver of 65,536 bytes at most goes down, and may come up again; the receiver calls, or is bound."""
    story.socket(pub, "PUB", closed=50)
    story.socket(sub, "SUB", closed=closed, maxmsgsize=BOUND, **options)
    story.subscribe(sub, topic)
    ends = (pub, sub) if calls else (sub, pub)
    story.link(*ends, up=0.1, down=DOWN)
    if again is not None:
        story.link(*ends, up=again, sent=150)
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


def the_samples_tell_what_was_sent_then(story: LandedFolder) -> None:
    cut(story, "transfers", "wary", ONE_LARGE_THEN, again=11, calls=False)
    cut(story, "videos", "modest", LARGE_FROM_THEN_ON, again=11, calls=False)
    cut(story, "notes", "cut-off", ((5, 50, 5_000), *SMALL), again=11)
    cut(story, "mails", "cut-too", MIXED, again=11)
    cut(story, "parcels", "silenced", MIXED)


def cut_job(story: LandedFolder, push: str, pull: str, lost_bytes: int) -> None:
    """The only connection of both is cut within the first second, and one job is lost, of so many bytes."""
    story.socket(push, "PUSH", closed=50)
    story.socket(pull, "PULL", closed=60, maxmsgsize=BOUND)
    story.link(pull, push, down=0.5)
    story.link(pull, push, up=0.6)
    story.sent(push, 1000, 40)
    story.got(pull, push, 999, 0, 999, 45)
    story.counters(push, 45, final=True, sent=1000, sent_bytes=999 * 100_000 + lost_bytes)
    story.counters(pull, 45, final=True, received=999, received_bytes=999 * 100_000)


def hung_up_at_once(story: LandedFolder) -> None:
    cut_job(story, "large-job", "bounded", 70_000)
    cut_job(story, "small-job", "bounded-too", 60_000)


def gone_down_twice(story: LandedFolder, sender: str, receiver: str) -> None:
    """The receiver is bound, and the sender connects again each time."""
    first = ToldConnection(story, receiver, sender)
    first.down(HUNG_UP)
    second = ToldConnection(story, receiver, sender, up=HUNG_UP + 0.2)
    second.down(CUT)
    ToldConnection(story, receiver, sender, up=CUT + 1)


def sent_small_ones_but_for_one(story: LandedFolder, sender: str) -> None:
    """100 messages of 100 bytes in each second, and one of 300 kB at 20 s."""
    for second in range(1, ENDS):
        large = 300_000 if second >= HUNG_UP else 0
        story.counters(sender, second, sent=second * 100, sent_bytes=second * 10_000 + large)


def publishes(story: LandedFolder) -> None:
    story.socket("uploads", "PUB")
    story.socket("store", "SUB", maxmsgsize=BOUND)
    story.subscribe("store", "")
    gone_down_twice(story, "uploads", "store")
    sent_small_ones_but_for_one(story, "uploads")
    for second in range(1, ENDS):
        story.sent("uploads", second * 100, second, final=False)
    story.gap("store", "uploads", 1990, 2009, (HUNG_UP - 0.1, HUNG_UP + 0.3))
    story.gap("store", "uploads", 7990, 8099, (CUT - 0.1, CUT + 1.1))
    story.got("store", "uploads", 11_750, 0, 11_899, ENDS - 1, newest=ENDS - 1.1, final=False)


def shares_out(story: LandedFolder) -> None:
    """Which messages were lost in which of the two is not known."""
    story.socket("jobs", "PUSH")
    story.socket("worker", "PULL", maxmsgsize=BOUND)
    gone_down_twice(story, "jobs", "worker")
    sent_small_ones_but_for_one(story, "jobs")
    for second in range(1, ENDS):
        story.sent("jobs", second * 100, second, final=False)
    story.got("worker", "jobs", 11_800, 0, 11_899, ENDS - 1, newest=ENDS - 1.1, final=False)


STORIES = (
    the_samples_tell_what_was_sent_then,
    hung_up_at_once,
    publishes,
    shares_out,
    the_first_sample_was_late,
    two_samples_were_far_apart,
    never_called_again_and_would_not_have,
    told_to_leave,
    tried_again,
    large_ones_are_for_others,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def told(report: Json, sender: str) -> tuple[str, str, int]:
    [(_, cause, certainty, lost)] = incidents(report, sender)
    return cause, certainty, lost


def incident(report: Json, sender: str) -> Json:
    (found,) = (one for one in report["incidents"] if one["hop"].startswith(f"{sender} → "))
    return dict(found)


def advice(report: Json, sender: str) -> str:
    return " ".join(incident(report, sender)["advice"])


def causes(report: Json, sender: str) -> set[str]:
    return {cause for _, cause, _, _ in incidents(report, sender)}


def option(report: Json, sender: str) -> Any:
    return next(item for item in incident(report, sender)["evidence"] if item["kind"] == "option")


@pytest.mark.parametrize("sender", ["boxes", "sacks"])
def test_who_never_called_again_hung_up_if_a_message_by_then_may_have_been_too_large(
    report: Json, sender: str
) -> None:
    assert incidents(report, sender)[0][1:] == ("oversize", "inferred", 900)
    assert "it never called" in option(report, sender)["text"]


@pytest.mark.parametrize("sender", ["crates", "bags"])
def test_who_called_again_was_cut_off_where_it_is_not_known_what_was_sent_then(
    report: Json, sender: str
) -> None:
    assert causes(report, sender) == {"reconnect"}


def test_who_never_called_again_did_not_hang_up_on_small_messages(report: Json) -> None:
    assert causes(report, "cards") == {"reconnect"}


@pytest.mark.parametrize("sender", ["tins", "jars", "pots", "pans", "cups", "urns"])
def test_who_would_not_have_called_again_or_been_heard_to_is_not_said_to_have_hung_up(
    report: Json, sender: str
) -> None:
    assert "oversize" not in causes(report, sender)


def test_what_others_get_is_not_why_a_receiver_of_small_messages_went(report: Json) -> None:
    assert causes(report, "all-sizes") == {"reconnect"}
    assert causes(report, "large-ones") == {"oversize"}
    assert "larger on average" in option(report, "large-ones")["text"]


def test_a_message_beyond_the_receivers_bound_cuts_the_connection(report: Json) -> None:
    assert told(report, "transfers") == ("oversize", "inferred", 50)
    assert option(report, "transfers")["value"] == 65_536
    assert "may have been larger" in option(report, "transfers")["text"]
    assert "one that it sent when wary hung up had about 100 kB" in advice(report, "transfers")


def test_messages_that_are_too_large_on_average_were_too_large(report: Json) -> None:
    assert told(report, "videos") == ("oversize", "inferred", 50)
    assert "larger on average" in option(report, "videos")["text"]
    assert "how large the largest was is not known" in advice(report, "videos")


@pytest.mark.parametrize("sender", ["notes", "mails"])
def test_a_cut_is_not_the_bounds_doing_where_messages_are_small_or_as_large_at_other_times(
    report: Json, sender: str
) -> None:
    assert told(report, sender) == ("reconnect", "inferred", 50)


def test_what_the_only_two_ends_counted_tells_how_large_the_lost_message_was(report: Json) -> None:
    assert told(report, "large-job") == ("oversize", "inferred", 1)
    assert told(report, "small-job") == ("reconnect", "inferred", 1)


def test_a_receiver_that_had_connected_and_never_calls_again_has_hung_up(report: Json) -> None:
    assert told(report, "parcels") == ("oversize", "inferred", 900)


def test_each_cut_has_its_own_cause(report: Json) -> None:
    assert [found[1:] for found in incidents(report, "uploads")] == [
        ("oversize", "inferred", 20),
        ("reconnect", "inferred", 110),
    ]


def test_what_was_lost_in_either_of_two_cuts_is_not_said_to_have_been_too_large(report: Json) -> None:
    assert "oversize" not in [found[1] for found in incidents(report, "jobs")]
