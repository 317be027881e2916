"""Causes that look alike at the sender, told apart by what the kernel, the options and the counts say: each beside one that is not it."""

from typing import Any

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def full_pipe(
    story: LandedFolder,
    pub: str,
    sub: str,
    *limits: tuple[float, str],
    away: str = "elsewhere",
    until: float = 12,
    **figures: int,
) -> None:
    """A loss from 10 s on, of a run that begins at an onset; what the kernel said, and when."""
    story.socket(pub, "PUB", closed=50, sndhwm=10)
    story.socket(sub, "SUB", closed=60, host=away, rcvhwm=10)
    story.subscribe(sub, "")
    story.link(pub, sub)
    for seconds, limited_by in limits:
        story.tcp(pub, seconds, limited_by, **figures)
    story.sent(pub, 1000, 40)
    story.got(sub, pub, 900, 0, 999, 45)
    story.sampled(pub, 100, 199, (10, until))
    story.gap(sub, pub, 100, 199, (10, until), received=101)
    story.onset(pub, 100, 10)


def limited_pipes(story: LandedFolder) -> None:
    lossy = {"rtt_us": 250_000, "min_rtt_us": 400, "retransmissions": 50, "segments_sent": 1000}
    full_pipe(story, "over-bad-link", "far", (3, "neither"), (10.5, "network"), (20, "neither"), **lossy)
    full_pipe(story, "to-slow-one", "slow", (3, "neither"), (10.5, "receiver"), (35, "network"), until=30)
    full_pipe(story, "untold", "mute")
    full_pipe(story, "told-long-ago", "stale", (-40, "network"))
    full_pipe(story, "unsure", "shaky", (9, "network"), (10.5, "unknown"))
    full_pipe(story, "just-connected", "fresh", (14, "network"))
    full_pipe(story, "calm-before", "calm", (3, "neither"), (12.5, "network"))
    full_pipe(story, "calm-for-long", "still", (3, "neither"), (20, "network"))
    full_pipe(story, "seldom-read", "unhurried", (11, "unknown"), (18, "network"))
    full_pipe(story, "calm-then-unsure", "doubted", (3, "neither"), (11, "unknown"), (18, "network"))
    full_pipe(story, "calm-first", "cleared", (11, "unknown"), (13, "neither"), (18, "network"))
    full_pipe(story, "read-too-late", "forgotten", (11, "unknown"), (27, "network"))
    full_pipe(story, "seldom-read-slow", "tardy", (11, "unknown"), (18, "receiver"), until=30)
    full_pipe(story, "on-one-host", "neighbour", away="box", until=30)


def killed_for_memory(story: LandedFolder) -> None:
    for name, vanished in (("hoarder", 1), ("bystander", 3)):
        push, other = f"feeds-{name}", f"beside-{name}"
        story.socket(push, "PUSH", closed=50)
        for pull, down in ((name, 30.0), (other, None)):
            story.socket(pull, "PULL", closed=60 if down is None else None)
            story.link(push, pull, down=down)
        story.sent(push, 1000, 40)
        story.got(name, push, 400, 0, 899, 29, final=False)
        story.got(other, push, 500, 1, 999, 45)
        story.killed_for_memory(name, 30, limit=64_000_000, vanished=vanished)


def newest_only(story: LandedFolder) -> None:
    for pub, sub, options in (
        ("prices", "newest", {"conflate": 1}),
        ("all-prices", "every-one", {"conflate": 0}),
    ):
        story.socket(pub, "PUB", closed=50, probed=True, sequence="numbers")
        story.socket(sub, "SUB", closed=60, sequence="numbers", **options)
        story.subscribe(sub, "")
        story.link(pub, sub)
        story.sent(pub, 1000, 40)
        story.got(sub, pub, 900, 0, 999, 45)
        story.gap(sub, pub, 100, 199, (10, 12), received=101)


def cut_when_sending(
    story: LandedFolder, pub: str, sub: str, *sent: tuple[int, int, int], calls: bool, again: bool = True
) -> None:
    """The connection to a receiver of 65,536 bytes at most goes down at 10.1 s; at each time, messages and bytes sent by then."""
    story.socket(pub, "PUB", closed=50)
    story.socket(sub, "SUB", closed=60, maxmsgsize=65_536)
    story.subscribe(sub, "")
    ends = (pub, sub) if calls else (sub, pub)
    story.link(*ends, up=0.1, down=10.1)
    if again:
        story.link(*ends, up=11, sent=150)
    for seconds, messages, size in sent:
        story.counters(pub, seconds, sent=messages, sent_bytes=size)
    story.sent(pub, 1000, 40)
    last = 999 if again else 99
    story.got(sub, pub, last + 1 - (50 if again else 0), 0, last, 45)
    if again:
        story.gap(sub, pub, 100, 149, (10, 11), received=101)


def hung_up(story: LandedFolder) -> None:
    small = ((5, 50, 5_000), (20, 500, 50_000), (40, 1000, 100_000))
    one_large = ((5, 50, 5_000), (10, 100, 110_000), (20, 500, 150_000), (40, 1000, 200_000))
    all_large = ((5, 50, 5_000), (10, 100, 10_000_000), (20, 500, 60_000_000), (40, 1000, 110_000_000))
    mixed = ((5, 50, 500_000), (10, 100, 1_200_000), (20, 500, 4_000_000), (40, 1000, 10_000_000))
    cut_when_sending(story, "transfers", "wary", *one_large, calls=False)
    cut_when_sending(story, "videos", "modest", *all_large, calls=False)
    cut_when_sending(story, "notes", "cut-off", *small, calls=True)
    cut_when_sending(story, "mails", "cut-too", *mixed, calls=True)
    cut_when_sending(story, "parcels", "silenced", *mixed, calls=True, again=False)


def cut_job(story: LandedFolder, push: str, pull: str, lost_bytes: int) -> None:
    """The only connection of both is cut within the first second, and one job is lost, of so many bytes."""
    story.socket(push, "PUSH", closed=50)
    story.socket(pull, "PULL", closed=60, maxmsgsize=65_536)
    story.link(pull, push, down=0.5)
    story.link(pull, push, up=0.6)
    story.sent(push, 1000, 40)
    story.got(pull, push, 999, 0, 999, 45)
    story.counters(push, 45, final=True, sent=1000, sent_bytes=999 * 100_000 + lost_bytes)
    story.counters(pull, 45, final=True, received=999, received_bytes=999 * 100_000)


def hung_up_at_once(story: LandedFolder) -> None:
    cut_job(story, "large-job", "bounded", 70_000)
    cut_job(story, "small-job", "bounded-too", 60_000)


def gives_up(story: LandedFolder) -> None:
    story.socket("pressed", "PUSH", closed=50, sndhwm=5)
    story.socket("labourer", "PULL", closed=60)
    story.link("pressed", "labourer")
    story.sent("pressed", 100, 40)
    story.got("labourer", "pressed", 100, 0, 99, 45)
    story.counters("pressed", 45, final=True, sent=100, eagain_sends=17)
    story.counters("labourer", 45, final=True, received=100)


STORIES = (
    limited_pipes,
    killed_for_memory,
    newest_only,
    hung_up,
    hung_up_at_once,
    gives_up,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def told(report: Json, sender: str) -> tuple[str, str, int]:
    [(_, cause, certainty, lost)] = incidents(report, sender)
    return cause, certainty, lost


def evidence(report: Json, sender: str, kind: str) -> dict[str, Any]:
    (incident,) = (item for item in report["incidents"] if item["hop"].startswith(f"{sender} →"))
    (found,) = (item for item in incident["evidence"] if item["kind"] == kind)
    return dict(found)


def advice(report: Json, sender: str) -> str:
    return " ".join(
        text
        for item in report["incidents"]
        if item["hop"].startswith(f"{sender} →")
        for text in item["advice"]
    )


def test_a_pipe_that_was_full_while_the_network_was_the_limit_was_full_for_it(report: Json) -> None:
    assert told(report, "over-bad-link") == ("network", "inferred", 100)
    assert evidence(report, "over-bad-link", "tcp")["retransmissions"] == 50
    assert "loses packets" in advice(report, "over-bad-link")


def test_the_same_while_the_receivers_window_was_full_is_the_receivers_doing(report: Json) -> None:
    assert told(report, "to-slow-one") == ("slow_receiver", "exact", 100)
    assert "did not read" in evidence(report, "to-slow-one", "tcp")["text"]


@pytest.mark.parametrize(
    "sender", ["untold", "told-long-ago", "calm-for-long", "read-too-late", "seldom-read-slow", "calm-first"]
)
def test_between_two_hosts_it_is_only_inferred_where_no_kernel_told(report: Json, sender: str) -> None:
    assert told(report, sender) == ("slow_receiver", "inferred", 100)


def test_on_one_host_there_is_no_network_to_blame(report: Json) -> None:
    assert told(report, "on-one-host") == ("slow_receiver", "exact", 100)


@pytest.mark.parametrize(
    "sender", ["unsure", "just-connected", "calm-before", "seldom-read", "calm-then-unsure"]
)
def test_what_was_told_just_before_holds_and_the_first_word_for_what_was_before_it(
    report: Json, sender: str
) -> None:
    assert told(report, sender) == ("network", "inferred", 100)


def test_a_process_that_the_kernel_killed_for_memory_is_told_apart(report: Json) -> None:
    assert told(report, "feeds-hoarder")[0] == "receiver_died"
    found = evidence(report, "feeds-hoarder", "oom")
    assert (found["processes"], found["limit"]) == (1, 64_000_000)
    assert "more memory (now 64 MB)" in advice(report, "feeds-hoarder")


def test_one_of_several_that_vanished_then_is_not_said_to_be_the_one(report: Json) -> None:
    assert "or another of the 3" in evidence(report, "feeds-bystander", "oom")["text"]


def test_conflation_explains_a_gap_that_nothing_else_does(report: Json) -> None:
    assert told(report, "prices") == ("conflated", "inferred", 100)
    assert incidents(report, "all-prices") == []


def test_a_message_beyond_the_receivers_bound_cuts_the_connection(report: Json) -> None:
    assert told(report, "transfers") == ("oversize", "inferred", 50)
    assert evidence(report, "transfers", "option")["value"] == 65_536
    assert "may have been larger" in evidence(report, "transfers", "option")["text"]
    assert "one that it sent when wary hung up had about 100 kB" in advice(report, "transfers")


def test_messages_that_are_too_large_on_average_were_too_large(report: Json) -> None:
    assert told(report, "videos") == ("oversize", "inferred", 50)
    assert "larger on average" in evidence(report, "videos", "option")["text"]
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


def test_refused_sends_are_told_of_and_are_no_loss(report: Json) -> None:
    (found,) = (item for item in report["findings"] if item["rule"] == "refused")
    assert "17 sends refused" in found["text"]
    assert incidents(report, "pressed") == []
