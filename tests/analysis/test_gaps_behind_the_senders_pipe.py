"""A publisher that is probed saw each of its full pipes: a gap without one was made behind the proxy, whatever the proxy's own counts leave open."""

import pytest
from landed_folder import LandedFolder, at
from stories import Json, hop, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SENT, HEAD, GAP = 1000, 5, 60


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
