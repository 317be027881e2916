"""Ledgers that are closed by count: small systems, landed in one folder and analysed in one run."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

WHOLE = 4294967295


def pair(story: LandedFolder, pub: str, *subs: str, closed: float | None = 50, **marks: int) -> None:
    """A counting PUB and counting SUBs that take everything, connected from the beginning."""
    story.socket(pub, "PUB", closed=closed, sequence="count", **marks)
    for sub in subs:
        story.socket(sub, "SUB", closed=closed and 60, sequence="count", **marks)
        story.subscribe(sub, "")
        story.link(pub, sub)


def counts(
    story: LandedFolder, socket: str, count: int, topic: str = "", lane: int = 0, seconds: float = 45
) -> None:
    about = {"stream": "0" * 16, "lane": lane, "role": "count"}
    story.add("lane", socket, 1, state="announced", topic=topic.encode().hex(), **about)
    story.add("lane", socket, seconds, state="sample", count=count, first=0, next=0, **about)


def a_filtering_receiver(story: LandedFolder) -> None:
    story.socket("tally", "PUB", closed=50, sequence="count")
    for reader, sequence in (("teller", "count"), ("passer-by", None)):
        story.socket(reader, "SUB", closed=60, sequence=sequence)
        story.subscribe(reader, "a")
        story.link("tally", reader)
    story.sent("tally", 300, 40, lane=0, topic="a1")
    story.sent("tally", 200, 40, lane=1, topic="a2")
    story.sent("tally", 100, 40, lane=2, topic="b")
    story.counters("tally", 50, final=True, sent=600)
    story.counters("passer-by", 50, final=True, received=480)
    counts(story, "teller", 290, "a1")
    counts(story, "teller", 200, "a2", lane=1)


def no_stamp_arrived(story: LandedFolder) -> None:
    pub_sub(story, "brief", "hapless")
    story.sent("brief", 10, 40)
    counts(story, "hapless", 9)


def nothing_of_a_topic(story: LandedFolder) -> None:
    """The pipe may have been full, or nobody there: a count does not tell."""
    pair(story, "gong", "deaf")
    story.sent("gong", 20, 40, topic="x")
    story.sent("gong", 20, 40, topic="y", lane=1)
    story.onset("gong", 20, 20, lane=1, lane_number=0)
    counts(story, "deaf", 20, "x")


def late_and_early(story: LandedFolder) -> None:
    """One comes when 100 had been sent, and another goes when 150 had been."""
    story.socket("yearbook", "PUB", closed=50, sequence="count")
    for count, seconds in ((100, 19), (150, 29.5)):
        story.sent("yearbook", count, seconds, final=False)
    story.sent("yearbook", 300, 40)
    story.socket("latecomer", "SUB", closed=60, sequence="count", opened=20)
    story.subscribe("latecomer", "", seconds=20)
    story.link("yearbook", "latecomer", up=20.1, sent=100)
    counts(story, "latecomer", 195)
    story.socket("quitter", "SUB", closed=30, sequence="count")
    story.subscribe("quitter", "")
    story.link("yearbook", "quitter", down=30, sent=0)
    counts(story, "quitter", 150, seconds=30)


def alive(story: LandedFolder) -> None:
    """Both go on: the marks hold 20 messages, and 50 are missing."""
    pair(story, "stream", "bather", closed=None, sndhwm=10, rcvhwm=10)
    story.sent("stream", 1000, 69, final=False)
    counts(story, "bather", 950, seconds=69)


def senders_of_one_topic(story: LandedFolder) -> None:
    """What of two senders' messages is missing is not known to be of one or the other."""
    for reader, count in (("short", 190), ("whole", 200)):
        story.socket(reader, "SUB", closed=60, sequence="count")
        story.subscribe(reader, "")
        for twin in (f"twin-1-{reader}", f"twin-2-{reader}"):
            story.socket(twin, "PUB", closed=50, sequence="count")
            story.link(twin, reader)
            story.sent(twin, 100, 40, topic="same")
            story.counters(twin, 50, final=True, sent=100)
        counts(story, reader, count, "same")
        story.counters(reader, 50, final=True, received=count)


def shared_out(story: LandedFolder) -> None:
    for push, bare in (("dealer", False), ("giver", True)):
        story.socket(push, "PUSH", closed=50, sequence="count")
        story.sent(push, 100, 40)
        story.counters(push, 50, final=True, sent=100)
        for number, count in ((1, 60), (2, 38)):
            pull = f"{push}-{number}"
            story.socket(pull, "PULL", closed=60, sequence=None if bare and number == 2 else "count")
            story.link(push, pull)
            story.counters(pull, 50, final=True, received=count)
            if not (bare and number == 2):
                counts(story, pull, count)


def topics_gathered(story: LandedFolder) -> None:
    """Each end counts the first topics that it meets by themselves, and they are not the same ones."""
    pair(story, "library", "pupil")
    for lane, topic in enumerate(("x", "y", "z")):
        story.sent("library", 10, 40, lane=lane, topic=topic)
    story.sent("library", 30, 40, lane=WHOLE, topic="")
    counts(story, "pupil", 10, "z", lane=0)
    counts(story, "pupil", 9, "w", lane=1)
    counts(story, "pupil", 38, "", lane=WHOLE)


def topics_told_apart_in_two_ways(story: LandedFolder) -> None:
    pair(story, "delimited", "plain")
    story.sent("delimited", 60, 40, lane=0, topic="a")
    story.sent("delimited", 40, 40, lane=1, topic="b")
    counts(story, "plain", 97)


def no_topic_and_a_filter(story: LandedFolder) -> None:
    story.socket("mumbler", "PUB", closed=50, sequence="count")
    story.socket("picky", "SUB", closed=60, sequence="count")
    story.subscribe("picky", "a")
    story.link("mumbler", "picky")
    story.sent("mumbler", 100, 40, lane=WHOLE)
    story.counters("picky", 50, final=True, received=40)
    counts(story, "picky", 40)


def nobody_else_is_instrumented(story: LandedFolder) -> None:
    story.socket("soliloquy", "PUB", closed=50, sequence="count")
    story.sent("soliloquy", 70, 40)
    story.counters("soliloquy", 50, final=True, sent=70)


def conflated(story: LandedFolder) -> None:
    story.socket("teleprinter", "PUB", closed=50, sequence="count")
    story.socket("glance", "SUB", closed=60, sequence="count", conflate=1)
    story.subscribe("glance", "")
    story.link("teleprinter", "glance")
    story.sent("teleprinter", 100, 40)
    story.counters("teleprinter", 50, final=True, sent=100)
    counts(story, "glance", 7)


def subscriptions_turned_round(story: LandedFolder) -> None:
    """It is sent the topic that it has not subscribed to."""
    story.socket("mirror", "XPUB", closed=50, sequence="count")
    story.socket("image", "SUB", closed=60, sequence="count")
    story.add("option", "image", 0.1, option="invert_matching", value="1")
    story.subscribe("image", "a")
    story.link("mirror", "image")
    story.sent("mirror", 60, 40, lane=0, topic="a")
    story.sent("mirror", 40, 40, lane=1, topic="b")
    story.counters("mirror", 50, final=True, sent=100)
    counts(story, "image", 40, "b")


STORIES = (
    a_filtering_receiver,
    no_stamp_arrived,
    nothing_of_a_topic,
    late_and_early,
    alive,
    senders_of_one_topic,
    shared_out,
    topics_gathered,
    topics_told_apart_in_two_ways,
    no_topic_and_a_filter,
    nobody_else_is_instrumented,
    conflated,
    subscriptions_turned_round,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def figures(report: Json, stream: str, receiver: str) -> tuple[int, int, Json]:
    found = row(report, stream, receiver)
    return found["sent"], found["delivered"], found["causes"]


def receivers(report: Json, stream: str) -> list[str]:
    return [item["receiver_name"] for item in report["ledger"] if item["name"] == stream]


def not_checked(report: Json, stream: str) -> list[tuple[str, str | None, int, int | None]]:
    return sorted(
        (item["reason"], item["receiver_name"], item["sent"], item["received"])
        for item in report["not_checked"]
        if item["name"] == stream
    )


def test_a_receiver_is_owed_what_it_subscribed_to(report: Json) -> None:
    assert figures(report, "tally", "teller") == (500, 490, {"unexplained": 10})


def test_a_receiver_that_does_not_count_is_named_with_its_totals(report: Json) -> None:
    assert receivers(report, "tally") == ["teller"]
    assert not_checked(report, "tally") == [("unstamped", "passer-by", 600, 480)]


def test_a_receiver_that_met_no_stamp_of_a_lane_got_what_it_counted(report: Json) -> None:
    assert figures(report, "brief", "hapless") == (10, 9, {"unexplained": 1})


def test_a_count_never_tells_a_cause(report: Json) -> None:
    assert figures(report, "gong", "deaf") == (40, 20, {"unexplained": 20})
    assert incidents(report, "gong") == []


def test_who_came_late_is_owed_what_was_sent_from_then_on(report: Json) -> None:
    assert figures(report, "yearbook", "latecomer") == (200, 195, {"unexplained": 5})


def test_who_left_early_is_owed_what_was_sent_until_then(report: Json) -> None:
    assert figures(report, "yearbook", "quitter") == (150, 150, {})


def test_what_the_queues_hold_may_be_in_flight_and_no_more(report: Json) -> None:
    assert figures(report, "stream", "bather") == (1000, 950, {"in_flight": 20, "unexplained": 30})


def test_what_is_missing_of_several_senders_is_held_against_none(report: Json) -> None:
    for number in (1, 2):
        assert figures(report, f"twin-{number}-whole", "whole") == (100, 100, {})
        assert receivers(report, f"twin-{number}-short") == []
        assert not_checked(report, f"twin-{number}-short") == [("unstamped", "short", 100, 190)]


def test_a_shared_out_stream_adds_up_over_its_receivers(report: Json) -> None:
    rows = [item for item in report["ledger"] if item["name"] == "dealer"]
    assert sum(item["delivered"] for item in rows) == 98
    assert [item["causes"] for item in rows if item["causes"]] == [{"unexplained": 2}]


def test_a_shared_out_stream_of_which_one_receiver_does_not_count_is_not_checked(report: Json) -> None:
    assert receivers(report, "giver") == []
    assert {reason for reason, *_ in not_checked(report, "giver")} == {"unstamped"}


def test_topics_past_the_bound_are_held_against_each_other_all_together(report: Json) -> None:
    assert figures(report, "library", "pupil") == (60, 57, {"unexplained": 3})


def test_ends_that_tell_topics_apart_in_two_ways_are_compared_by_their_sums(report: Json) -> None:
    assert figures(report, "delimited", "plain") == (100, 97, {"unexplained": 3})


def test_messages_without_a_topic_are_not_checked_where_a_receiver_filters(report: Json) -> None:
    assert receivers(report, "mumbler") == []
    assert not_checked(report, "mumbler") == [("partial", "picky", 100, 40)]


@pytest.mark.parametrize(("stream", "sent"), [("soliloquy", 70), ("teleprinter", 100), ("mirror", 100)])
def test_who_is_counted_by_nobody_is_not_checked(report: Json, stream: str, sent: int) -> None:
    assert receivers(report, stream) == []
    ((reason, _, told, _),) = not_checked(report, stream)
    assert (reason, told) == ("unstamped", sent)
