"""A publisher that is probed saw each of its full pipes: a gap without one was made behind the proxy, whatever the proxy's own counts leave open."""

from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_analysis.losses.past_the_pipe import seeing_edges, seeing_senders, with_passed
from landed_folder import LandedFolder, at
from pyspark.sql import Row, SparkSession
from stories import Json, hop, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SENT, HEAD, GAP = 1000, 5, 60
PIECES = (
    "stream string, receiver string, lane long, first long, last long, before long, after long, after_sent_at timestamp, part string, placed int, "
    "depth int, length int"
)
SEEING = "stream string, receiver string, from_socket string, to_socket string, heard_until timestamp"


def app(
    story: LandedFolder, name: str, *, probed: bool = True, down: float | None = None, onsets: int = 0
) -> None:
    """A PUB that began before the proxy had subscribed, and a reader that lacks that, and messages 500 to 559; the last of all came."""
    pub, reader, front, back = (f"{name}-{end}" for end in ("pub", "reader", "front", "back"))
    story.socket(pub, "PUB", closed=41, probed=probed)
    story.socket(front, "XSUB")
    story.socket(back, "XPUB", probed=False)
    story.proxy(f"{name}-hub", front, back)
    story.link(front, pub, down=down)
    story.socket(reader, "SUB")
    story.subscribe(reader, "")
    story.link(back, reader)
    story.sent(pub, SENT, 40)
    story.gap(reader, pub, 500, 499 + GAP, (20, 22.5), received=500 - HEAD)
    story.got(reader, pub, SENT - HEAD - GAP, HEAD, SENT - 1, 41, newest=40)
    story.counters(pub, 41, final=True, sent=SENT, onsets=onsets)
    for end in (front, back, reader):
        story.killed(end, 45)


def counted(story: LandedFolder, name: str, messages: int, seconds: float = 44) -> None:
    """The proxy had counted so many messages (of two frames) when it was asked last."""
    asked_at = int(at(seconds).timestamp() * 1e9)
    story.counters(f"{name}-front", seconds, proxied_in_frames=2 * messages, proxied_at=asked_at)


def behind_the_pipe(story: LandedFolder) -> None:
    app(story, "plain")
    counted(story, "plain", SENT - HEAD)


def not_counted_to_the_end(story: LandedFolder) -> None:
    """What the proxy had counted last was of a moment before the last send."""
    app(story, "killed")
    counted(story, "killed", SENT - 50, 39)


def at_the_pipe(story: LandedFolder) -> None:
    app(story, "full", onsets=1)
    story.onset("full-pub", 500, 20)
    counted(story, "full", SENT - HEAD - GAP)


def not_probed(story: LandedFolder) -> None:
    app(story, "unseen", probed=False)
    counted(story, "unseen", SENT - HEAD)


def another_ones_pipe(story: LandedFolder) -> None:
    """A pipe was full in the gap, at a message before which another one was missing: it may have been any."""
    app(story, "doubtful", onsets=1)
    story.onset("doubtful-pub", 520, 21)
    counted(story, "doubtful", SENT - HEAD)


def full_pipes_that_are_not_told(story: LandedFolder) -> None:
    """The publisher counted one, and the event has not landed."""
    app(story, "untold", onsets=1)
    counted(story, "untold", SENT - HEAD)


def no_longer_probed(story: LandedFolder) -> None:
    app(story, "stopped")
    counted(story, "stopped", SENT - HEAD)
    story.add("socket", "stopped-pub", 10, state="probing_stopped", n=500)


def not_watched(story: LandedFolder) -> None:
    app(story, "eyeless")
    counted(story, "eyeless", SENT - HEAD)
    for end in ("pub", "front"):
        story.add("connection", f"eyeless-{end}", 0.2, action="monitor_application")


def cut_off(story: LandedFolder) -> None:
    app(story, "cut", down=21)
    counted(story, "cut", SENT - HEAD)


def not_counted_by_the_proxy(story: LandedFolder) -> None:
    """No pipe is told to have been full; and nothing of the gap came to the proxy, as that counted."""
    app(story, "absent")
    counted(story, "absent", SENT - HEAD - GAP)


def not_all_counted_by_the_proxy(story: LandedFolder) -> None:
    """A part of it did."""
    app(story, "partly")
    counted(story, "partly", SENT - HEAD - GAP // 2)


NOT_SHOWN = {
    "untold": full_pipes_that_are_not_told,
    "stopped": no_longer_probed,
    "eyeless": not_watched,
    "cut": cut_off,
    "absent": not_counted_by_the_proxy,
    "partly": not_all_counted_by_the_proxy,
}
STORIES = (
    behind_the_pipe,
    not_counted_to_the_end,
    at_the_pipe,
    not_probed,
    another_ones_pipe,
    *NOT_SHOWN.values(),
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_a_gap_without_a_full_pipe_was_made_behind_the_proxy_and_what_came_before_it_by_joining(
    report: Json,
) -> None:
    assert incidents(report, "plain-hub") == [("plain-hub → plain-reader", "slow_receiver", "inferred", GAP)]
    assert incidents(report, "plain-pub") == [("plain-pub → plain-hub", "slow_joiner", "inferred", HEAD)]


def test_so_it_was_where_the_proxy_had_not_been_asked_for_its_counts_in_the_end(report: Json) -> None:
    assert hop(report, "killed-hub → killed-reader")["lost"] == GAP
    assert row(report, "killed-pub", "killed-reader")["unexplained"] == HEAD


def test_a_gap_that_begins_at_a_full_pipe_was_made_there(report: Json) -> None:
    assert ("full-pub → full-hub", "slow_receiver", "inferred", GAP) in incidents(report, "full-pub")
    assert incidents(report, "full-hub") == []


def test_where_a_full_pipe_may_have_made_it_who_is_behind_is_not_accused(report: Json) -> None:
    assert row(report, "unseen-pub", "unseen-reader")["unexplained"] == HEAD + GAP
    assert hop(report, "doubtful-hub → doubtful-reader")["lost"] == 0


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_the_reader_is_not_accused_where_the_sender_may_have_met_a_pipe_that_nobody_tells_of(
    report: Json, name: str
) -> None:
    assert hop(report, f"{name}-hub → {name}-reader")["lost"] == 0
    assert incidents(report, f"{name}-hub") == []


MOMENT = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)
PIECE = {"stream": "pub", "receiver": "reader", "lane": 0, "first": 500, "last": 559, "before": 499, "after": 560}  # fmt: skip


@pytest.mark.parametrize(("heard_for", "passed"), [(None, True), (60.0, True), (0.5, False), (-5.0, False)])
def test_of_a_host_that_is_behind_it_is_not_known_which_pipes_were_full(
    spark: SparkSession, heard_for: float | None, passed: bool
) -> None:
    """``heard_for``: seconds behind the sending of the next message."""
    heard_until = None if heard_for is None else MOMENT + timedelta(seconds=heard_for)
    piece = PIECE | {"after_sent_at": MOMENT, "part": "inner", "placed": None, "depth": 1, "length": 2}
    pieces = spark.createDataFrame([Row(**piece)], PIECES)
    edge = Row(stream="pub", receiver="reader", from_socket="pub", to_socket="front", heard_until=heard_until)
    seeing = spark.createDataFrame([edge], SEEING)
    onsets = spark.createDataFrame([], "stream string, number long")
    (found,) = with_passed(pieces, seeing, onsets).collect()
    assert found.passed is (True if passed else None)


@pytest.mark.parametrize("downs", [0, 1])
@pytest.mark.parametrize("to_end_was_cut", [False, True])
def test_a_cut_that_the_proxy_alone_saw_is_one(spark: SparkSession, downs: int, to_end_was_cut: bool) -> None:
    edges = spark.sql(
        "select 'pub' stream, 'reader' receiver, 'pub' from_socket, 'front' to_socket, 1 depth, 2 length"
    )
    senders = spark.sql("select 'pub' stream, cast(null as timestamp) heard_until")
    facts = spark.sql(
        f"select 'pub' from_socket, 'front' to_socket, true watched, array_repeat(1, {downs}) downs, {to_end_was_cut} to_end_was_cut"
    )
    nobody = spark.sql("select '' stream, '' receiver, 1 depth").limit(0)
    assert seeing_edges(edges, senders, facts, nobody).count() == int(not downs and not to_end_was_cut)


@pytest.mark.parametrize(
    ("heard_until", "met", "told", "sees"),
    [
        ("null", "0", 0, True),
        ("null", "2", 2, True),
        ("null", "2", 1, False),
        ("current_timestamp()", "2", 1, True),
        ("current_timestamp()", "2", 0, False),
        ("current_timestamp()", "0", 0, True),
        ("null", "null", 0, False),
    ],
)
def test_a_sender_saw_all_full_pipes_if_as_many_are_told_as_it_counted(
    spark: SparkSession, heard_until: str, met: str, told: int, sees: bool
) -> None:
    """The count of one that goes on may be a little newer than what is told of it."""
    sockets = spark.sql(
        f"select 'pub' socket, true probed, cast(null as timestamp) probing_stopped_at, 0 conflate, cast({heard_until} as timestamp) heard_until"
    )
    counters = spark.sql(f"select 'pub' socket, cast({met} as bigint) onsets")
    onsets = spark.range(told).selectExpr("'pub' stream", "id number")
    nobody = spark.sql("select '' socket").limit(0)
    assert seeing_senders(sockets, counters, onsets, nobody).count() == int(sees)
