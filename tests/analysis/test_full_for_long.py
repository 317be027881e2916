"""What proves that a pipe was full for long, so that its receiver is too slow: not what else its sender sent, nor what a cut made way for."""

from typing import Any

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def volleys(
    story: LandedFolder,
    pub: str,
    sub: str,
    *,
    fit: int,
    dropped: int,
    quiet: range,
    beat: float | None = None,
) -> None:
    """Each second a volley, of which some fit, but for a quiet time of one message a second; ``beat`` behind each volley comes one message more. The
    receiver polls, and is idle nearly all the time.
    """
    story.socket(pub, "PUB", closed=105, sndhwm=200)
    story.socket(sub, "SUB", closed=110, rcvhwm=200)
    story.subscribe(sub, "")
    story.link(pub, sub)
    sent = got = 0
    full: tuple[int, float] | None = None
    for second in range(1, 101):
        if full:
            story.gap(sub, pub, full[0], sent - 1, (full[1], second), received=got + 1)
            full = None
        sent, got = sent + 1, got + 1
        if second not in quiet:
            full = (sent + fit, second + 0.002)
            story.onset(pub, full[0], full[1])
            sent, got = sent + fit + dropped, got + fit
        if full and beat:
            story.gap(sub, pub, full[0], sent - 1, (full[1], second + beat), received=got + 1)
            sent, got, full = sent + 1, got + 1, None
        story.counters(pub, second + 0.9, sent=sent)
        story.sent(pub, sent, second + 0.9, final=False)
        story.counters(sub, second + 0.9, received=got)
    if full:
        story.gap(sub, pub, full[0], sent - 1, (full[1], 101), received=got + 1)
    story.sent(pub, sent + 1, 101)
    story.got(sub, pub, got + 1, 0, sent, 101.1, newest=101)


def volleys_by_day(story: LandedFolder) -> None:
    volleys(story, "barrage", "bunker", fit=400, dropped=4000, quiet=range(36, 66))


def volleys_with_a_beat(story: LandedFolder) -> None:
    volleys(story, "salute", "stand", fit=400, dropped=4000, quiet=range(0), beat=0.6)


def last_topic_never_fits(story: LandedFolder) -> None:
    """Each second a volley over ten topics, in order, of 100 each; the pipe takes 900, and all of it only in the first volley and the last. The receiver
    polls, and is idle nearly all the time.
    """
    story.socket("bulletin", "PUB", closed=105, sndhwm=450)
    story.socket("board-10", "SUB", closed=110, rcvhwm=450)
    story.subscribe("board-10", "")
    story.link("bulletin", "board-10")
    for second in range(1, 102):
        for lane in range(10):
            story.sent("bulletin", 100 * second, second + 0.9, lane=lane, topic=f"t{lane}", final=False)
        story.counters("bulletin", second + 0.9, sent=1000 * second)
        story.counters("board-10", second + 0.9, received=900 * second + 100)
        if second not in (1, 101):
            number = 1000 * second - 100
            story.onset("bulletin", number, second + 0.005, lane=9, lane_number=100 * (second - 1))
    times, around = (1.006, 101.005), (999, 100_900)
    story.gap("board-10", "bulletin", 100, 9999, times, lane=9, around=around, received=101)
    for lane in range(10):
        count = 200 if lane == 9 else 10_100
        story.sent("bulletin", 10_100, 101.006, lane=lane, topic=f"t{lane}")
        story.got("board-10", "bulletin", count, 0, 10_099, 101.9, newest=101.005, lane=lane)


def one_topic_each(story: LandedFolder) -> None:
    """Two topics in turn, each 100/s: one receiver takes the first, and nothing of it for a minute; the other one's pipe is full for half a second of ten."""
    story.socket("duet", "PUB", closed=105, sndhwm=100)
    for lane, sub in enumerate(("first-voice", "second-voice")):
        story.socket(sub, "SUB", closed=110, rcvhwm=100)
        story.subscribe(sub, f"t{lane}")
        story.link("duet", sub)
        for second in range(1, 101):
            story.sent("duet", 100 * second, second, lane=lane, topic=f"t{lane}", final=False)
        story.sent("duet", 10_001, 100.01, lane=lane, topic=f"t{lane}")
    for second in range(1, 101):
        story.counters("duet", second, sent=200 * second)
    story.onset("duet", 4000, 20, lane=0, lane_number=2000)
    minute, around = (19.99, 80), (3998, 16_000)
    story.gap("first-voice", "duet", 2000, 7999, minute, around=around, received=2001, noticed=83)
    story.got("first-voice", "duet", 10_001 - 6000, 0, 10_000, 104, newest=100.01)
    for second in range(10, 100, 10):
        first, number = 100 * second, 200 * second + 1
        story.onset("duet", number, second, lane=1, lane_number=first)
        around, times = (number - 2, number + 100), (second - 0.005, second + 0.505)
        story.gap("second-voice", "duet", first, first + 49, times, lane=1, around=around, received=first)
    story.got("second-voice", "duet", 10_001 - 450, 0, 10_000, 104, lane=1, newest=100.01)


def works_through_batches(story: LandedFolder, pub: str, sub: str, *, cut: bool) -> None:
    """It is sent 100/s, takes 175 at once and is busy with them for 2.5 s, never idle; once its connection is cut right behind an onset, and mended."""
    story.socket(sub, "SUB", closed=105, rcvhwm=100)
    story.subscribe(sub, "")
    story.socket(pub, "PUB", closed=100, sndhwm=100)
    connection = ToldConnection(story, pub, sub)
    if cut:
        connection.down(49.5, 4950)
        ToldConnection(story, pub, sub, up=49.9, sent=4990)
    for second in range(1, 101):
        story.counters(pub, second, sent=100 * second)
    for batch in range(1, 40):
        first, met = 250 * batch - 75, 2.5 * batch - 0.75
        story.onset(pub, first, met)
        late = 0.001 if cut and batch == 20 else 2.5
        times = (met, 2.5 * batch)
        story.gap(sub, pub, first, first + 74, times, received=175 * batch, noticed=times[1] + late)
        story.counters(sub, 2.5 * batch - 0.5, received=175 * (batch - 1))
        story.counters(sub, 2.5 * batch + 0.5, received=175 * batch)
    story.sent(pub, 10_000, 100)
    story.got(sub, pub, 10_000 - 39 * 75, 0, 9_999, 104, newest=99.4)


def batches(story: LandedFolder) -> None:
    works_through_batches(story, "in-tray", "desk-clerk", cut=False)


def batches_and_a_cut(story: LandedFolder) -> None:
    works_through_batches(story, "mail-bag", "sorter", cut=True)


def a_long_cut(story: LandedFolder) -> None:
    """A PUB that connects to its SUB loses a second's messages at 5 to a full pipe, and 60 seconds' in a cut whose queue fills."""
    story.socket("balloon", "PUB", closed=105, sndhwm=100)
    story.socket("tether", "SUB", closed=110, rcvhwm=100)
    story.subscribe("tether", "")
    ToldConnection(story, "tether", "balloon").down(30, 0)
    ToldConnection(story, "tether", "balloon", up=90)
    for second in range(1, 101):
        story.counters("balloon", second, sent=100 * second)
        story.sent("balloon", 100 * second, second, final=False)
    story.onset("balloon", 500, 5)
    story.gap("tether", "balloon", 500, 599, (5, 6), received=501, noticed=7)
    story.onset("balloon", 3100, 31)
    story.gap("tether", "balloon", 3100, 8999, (31, 90), received=3001, noticed=90.1)
    story.sent("balloon", 10_001, 100.01)
    story.got("tether", "balloon", 10_001 - 6000, 0, 10_000, 101, newest=100.01)


STORIES = (
    volleys_by_day,
    volleys_with_a_beat,
    last_topic_never_fits,
    one_topic_each,
    batches,
    batches_and_a_cut,
    a_long_cut,
)


@pytest.fixture(scope="module")
def report(joint_report: dict[str, Any]) -> Json:
    return joint_report


@pytest.mark.parametrize("pub", ["barrage", "salute"])
def test_a_slower_pace_at_other_times_does_not_prove_that_volleys_took_long(report: Json, pub: str) -> None:
    assert {found[2] for found in incidents(report, pub)} == {"inferred"}


def test_a_topic_that_never_fits_does_not_prove_a_full_pipe_while_others_come_through(report: Json) -> None:
    assert [found[2:] for found in incidents(report, "bulletin")] == [("inferred", 9900)]


def test_who_takes_one_topic_is_too_slow_whatever_full_pipes_others_meet(report: Json) -> None:
    assert ("duet → first-voice", "slow_receiver", "exact", 6000) in incidents(report, "duet")


def test_who_loses_again_and_again_and_never_catches_up_is_slow_however_fast_it_reads_at_times(
    report: Json,
) -> None:
    assert incidents(report, "in-tray") == [("in-tray → desk-clerk", "slow_receiver", "inferred", 2925)]
    [found] = (item for item in report["incidents"] if item["hop"] == "in-tray → desk-clerk")
    [rates] = (item for item in found["evidence"] if item["kind"] == "rates")
    assert rates["capacity"] > rates["asked_rate"]


def test_what_is_read_at_once_behind_a_cut_does_not_show_that_the_receiver_had_caught_up(
    report: Json,
) -> None:
    assert ("mail-bag → sorter", "slow_receiver", "inferred", 2850) in incidents(report, "mail-bag")


def test_the_time_of_a_cut_is_none_in_which_the_receiver_is_proven_too_slow(report: Json) -> None:
    assert incidents(report, "balloon") == [
        ("balloon → tether", "reconnect", "inferred", 5900),
        ("balloon → tether", "slow_receiver", "inferred", 100),
    ]
