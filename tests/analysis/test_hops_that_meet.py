"""Ways through proxies: what one receiver tells of a message holds for all who lack it, and what a proxy passes on came to it."""

import pytest
from landed_folder import LandedFolder
from stories import Json, hop, incidents, row
from told_connections import ToldConnection, proxied, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def another_reader(story: LandedFolder, pub: str, sub: str, closed: float | None = None) -> ToldConnection:
    story.socket(sub, "SUB", closed=closed)
    story.subscribe(sub, "")
    return ToldConnection(story, f"{pub}-back", sub)


def flaps(story: LandedFolder, pub: str, front: ToldConnection, seconds: float) -> None:
    """The connection before the proxy is down for 0.4 s."""
    front.down(seconds)
    ToldConnection(story, f"{pub}-front", pub, up=seconds + 0.4)


def shared_out(story: LandedFolder) -> None:
    """Two workers behind a streamer; 600 of 1000 were lost in a cut before it."""
    story.socket("chores", "PUSH", closed=62)
    story.socket("chores-front", "PULL")
    story.socket("chores-back", "PUSH")
    story.proxy("streamer of chores", "chores-front", "chores-back")
    for pull in ("chores-one", "chores-two"):
        story.socket(pull, "PULL", closed=80)
        ToldConnection(story, "chores-back", pull)
    ToldConnection(story, "chores-front", "chores").down(20)
    ToldConnection(story, "chores-front", "chores", up=22)
    sampled(story, "chores", 16, 59)
    story.sent("chores", 1000, 60)
    story.counters("chores-front", 110, proxied_in_frames=2 * 400)
    story.got("chores-one", "chores", 200, 0, 998, 60.1, newest=59.9)
    story.got("chores-two", "chores", 200, 1, 999, 60.1, newest=60)


def lacked_by_two(story: LandedFolder) -> None:
    """What one reader lacks from 10 to 30 s the other lacks for a second, at 20 s: not what the flap at 15 s took."""
    front, _ = proxied(story, "strokes", "strokes-slow")
    another_reader(story, "strokes", "strokes-quick")
    flaps(story, "strokes", front, 15)
    sampled(story, "strokes", 100, 119)
    story.gap("strokes-slow", "strokes", 1000, 2999, (10, 30), received=1001)
    story.gap("strokes-quick", "strokes", 1950, 2049, (19.5, 20.5), received=1951)
    for sub, lacking in (("strokes-slow", 2000), ("strokes-quick", 100)):
        story.got(sub, "strokes", 11_800 - lacking, 0, 11_799, 119.2, newest=118, final=False)
    story.counters("strokes-front", 119, proxied_in_frames=2 * 11_890)


def long_gap(story: LandedFolder, pub: str, frames: int | None, gap: tuple[int, int] = (10, 30)) -> None:
    """A reader lacks what was sent for seconds; in the midst of that the connection before the proxy was away for a moment."""
    front, _ = proxied(story, pub, f"{pub}-reader", closed=110)
    flaps(story, pub, front, 20)
    sampled(story, pub, 100, 100)
    first, last = 100 * gap[0], 100 * gap[1] - 1
    story.gap(f"{pub}-reader", pub, first, last, gap, received=first + 1)
    story.got(f"{pub}-reader", pub, 10_000 - (last - first + 1), 0, 9999, 100.5, newest=100)
    if frames is not None:
        story.counters(f"{pub}-front", 119, proxied_in_frames=frames)


def one_left(story: LandedFolder) -> None:
    """Both readers lack what was sent from 19 s on; one of them closed at 20.5 s, the other one goes on."""
    proxied(story, "dispatches", "dispatches-stays", closed=110, probed=False)
    another_reader(story, "dispatches", "dispatches-leaves", closed=20.5).down(
        20.5, told_by="dispatches-back"
    )
    sampled(story, "dispatches", 100, 100)
    story.gap("dispatches-stays", "dispatches", 1900, 2049, (18.99, 20.5), received=1901)
    story.got("dispatches-leaves", "dispatches", 1900, 0, 1899, 19.2, newest=18.99)
    story.got("dispatches-stays", "dispatches", 10_000 - 150, 0, 9999, 100.1, newest=100)


def another_came(story: LandedFolder) -> None:
    """A reader closed with some unread, and another one came in its place: a head of what it lacks is what the first one took along."""
    proxied(story, "memos", "memos-first", closed=20.5, unread=True)
    story.socket("memos-second", "SUB", opened=30)
    story.subscribe("memos-second", "", seconds=30)
    ToldConnection(story, "memos-back", "memos-second", up=30.1)
    sampled(story, "memos", 100, 119)
    story.got("memos-first", "memos", 1900, 0, 1899, 19.2, newest=18.99)
    story.got("memos-second", "memos", 8900, 3000, 11_899, 119.2, newest=118.99, final=False)


def counted_later(story: LandedFolder) -> None:
    """What the proxy has counted half a second later is as much as was sent by then: 50 had been lost before it."""
    proxied(story, "ripples", "ripples-reader", probed=False)
    sampled(story, "ripples", 100, 119)
    story.gap("ripples-reader", "ripples", 1000, 1049, (10, 10.5), received=1001)
    story.got("ripples-reader", "ripples", 11_750, 0, 11_799, 119.2, newest=118, final=False)
    story.counters("ripples-front", 119.5, proxied_in_frames=2 * 11_900)


def all_of_them(story: LandedFolder) -> None:
    shared_out(story)
    lacked_by_two(story)
    long_gap(story, "gusts", frames=2 * 9997)
    long_gap(story, "winds", frames=None)
    long_gap(story, "squalls", frames=2 * 9800, gap=(18, 23))
    long_gap(story, "storms", frames=2 * 9500, gap=(18, 23))
    one_left(story)
    another_came(story)
    counted_later(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_what_nobody_is_known_to_have_lost_before_a_proxy_was_sent_towards_it(report: Json) -> None:
    assert incidents(report, "chores") == [("chores → streamer of chores", "reconnect", "inferred", 600)]
    assert hop(report, "chores → streamer of chores") == {
        "sent": 1000, "delivered": 400, "lost": 600, "in_flight": 0, "unexplained": 0,
    }  # fmt: skip
    assert hop(report, "streamer of chores → chores-one")["sent"] == 200


def test_messages_that_two_lack_were_sent_when_either_tells(report: Json) -> None:
    assert incidents(report, "strokes") == []
    assert hop(report, "strokes → hub of strokes") == {
        "sent": 11_900, "delivered": 11_700, "lost": 0, "in_flight": 100, "unexplained": 100,
    }  # fmt: skip
    for sub, lost in (("strokes-slow", 1900), ("strokes-quick", 0)):
        behind = hop(report, f"hub of strokes → {sub}")
        assert (behind["sent"], behind["lost"], behind["delivered"]) == (11_700, lost, 11_700 - lost)


@pytest.mark.parametrize("pub", ["gusts", "winds"])
def test_a_moment_without_a_connection_is_not_why_a_much_longer_gap_came_about(
    report: Json, pub: str
) -> None:
    assert incidents(report, pub) == []
    assert row(report, pub, f"{pub}-reader")["unexplained"] == 2000


def test_a_cut_before_a_proxy_took_no_more_than_what_the_proxy_lacks(report: Json) -> None:
    assert incidents(report, "squalls") == []
    assert row(report, "squalls", "squalls-reader")["unexplained"] == 500


def test_a_cut_before_a_proxy_took_what_the_proxy_lacks(report: Json) -> None:
    assert incidents(report, "storms") == [("storms → hub of storms", "reconnect", "inferred", 500)]


def test_what_one_lacks_who_left_was_not_lost_behind_the_proxy_if_others_lack_it_too(report: Json) -> None:
    assert incidents(report, "hub of dispatches") == incidents(report, "dispatches") == []
    assert row(report, "dispatches", "dispatches-leaves")["unexplained"] == 100
    assert hop(report, "dispatches → hub of dispatches")["unexplained"] == 150


def test_what_one_took_along_was_not_lost_before_the_proxy_because_another_one_came_later(
    report: Json,
) -> None:
    assert row(report, "memos", "memos-first")["unexplained"] == 0
    assert ("hub of memos → memos-first", "closed", "inferred", 100) in incidents(report, "hub of memos")
    assert incidents(report, "memos") == []


def test_a_proxy_that_counted_later_than_its_sender_does_not_show_that_all_had_come(report: Json) -> None:
    assert incidents(report, "hub of ripples") == incidents(report, "ripples") == []
    assert hop(report, "ripples → hub of ripples")["unexplained"] == 50
