"""Causes that look alike at the sender, told apart by what the kernel, the options and the counts say: each beside one that is not it."""

from typing import Any

import pytest
from landed_folder import LandedFolder, id_of
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


def test_refused_sends_are_told_of_and_are_no_loss(report: Json) -> None:
    (found,) = (
        item for item in report["findings"] if (item["rule"], item["socket"]) == ("refused", id_of("pressed"))
    )
    assert "17 sends refused" in found["text"]
    assert incidents(report, "pressed") == []
