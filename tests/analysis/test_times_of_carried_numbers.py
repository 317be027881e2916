"""Numbers that messages carry have no send times: when a full pipe took some is told by its onset, and by when the gap was noticed."""

from itertools import pairwise

import pytest
from carried_numbers import SEQUENCE, carry, lack, read
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

FIRST = 5001
"""The number that the first message of a feed carries."""

Pace = tuple[tuple[int, float], ...]


def feed(story: LandedFolder, pub: str, sub: str, gap: tuple[int, int], pace: Pace, *, onset: float, noticed: float, mark: int) -> None:  # fmt: skip
    """A PUB that has sent so many messages at these times, and evenly between them; its receiver lacks a run of them that begins at an onset."""
    story.socket(pub, "PUB", closed=111, sequence=SEQUENCE, sndhwm=mark)
    story.socket(sub, "SUB", closed=112, sequence=SEQUENCE, rcvhwm=mark)
    story.subscribe(sub, "")
    for socket in (pub, sub):
        story.watched(socket)
    for (sent_before, since), (sent, until) in pairwise(pace):
        for second in range(int(since) + 1, int(until) + 1):
            sent_by_then = sent_before + int((sent - sent_before) * (second - since) / (until - since))
            carry(story, pub, (FIRST, FIRST + sent_by_then - 1), second, final=False)
            story.counters(pub, second, sent=sent_by_then)
    last, (first_lost, last_lost) = pace[-1][0], gap
    carry(story, pub, (FIRST, FIRST + last - 1), 110.5)
    story.counters(pub, 110.5, final=True, sent=last)
    story.add("onset", pub, onset, number=first_lost)
    lack(story, sub, FIRST + first_lost, FIRST + last_lost, noticed, received=first_lost + 1)
    read(story, sub, last - (last_lost - first_lost + 1), (FIRST, FIRST + last - 1), 110.2)


def collector_was_away(story: LandedFolder, pub: str, sub: str) -> None:
    """The PUB that connects keeps its pipe, which fills ten seconds after its receiver went away, for a minute."""
    ToldConnection(story, sub, pub, sender=pub).down(20, 2000)
    ToldConnection(story, sub, pub, up=80, sent=8000, sender=pub).down(111, 11000)


def steadily(story: LandedFolder, pub: str, sub: str, *, sub_closed: float | None) -> None:
    """A PUB that sends a hundred messages a second, and a SUB; who is connected to whom is told elsewhere."""
    story.socket(pub, "PUB", closed=111, sequence=SEQUENCE)
    story.socket(sub, "SUB", closed=sub_closed, sequence=SEQUENCE)
    story.subscribe(sub, "")
    for socket in (pub, sub):
        story.watched(socket)
    for second in range(1, 111):
        carry(story, pub, (0, second * 100 - 1), second, final=False)
    carry(story, pub, (0, 10999), 110.5)
    story.counters(pub, 110.5, final=True, sent=11000)


def killed_soon_after_a_cut(story: LandedFolder) -> None:
    """Nothing that was sent since the cut had been read."""
    steadily(story, "spout", "cistern", sub_closed=None)
    ToldConnection(story, "spout", "cistern").down(39.5, 3950)
    ToldConnection(story, "spout", "cistern", up=39.8, sent=3980).down(40.5, 4050, told_by="spout")
    read(story, "cistern", 3940, (0, 3939), 39.45, final=False)
    story.killed("cistern", 40.7)


def cut_off_behind_a_proxy(story: LandedFolder) -> None:
    """The proxy got all, and its receiver lacks what was sent while the connection between the two was down."""
    steadily(story, "source", "mouth", sub_closed=114)
    for side, type_ in (("tidegate-front", "XSUB"), ("tidegate-back", "XPUB")):
        story.socket(side, type_, closed=118, probed=False, sequence=None)
        story.watched(side)
    story.proxy("tidegate", "tidegate-front", "tidegate-back")
    story.link("tidegate-front", "source")
    story.link("tidegate-back", "mouth", down=40)
    story.link("tidegate-back", "mouth", up=50)
    story.counters("tidegate-front", 116, final=True, proxied_in_frames=11000)
    lack(story, "mouth", 4000, 4999, 50.1, received=4001)
    read(story, "mouth", 10000, (0, 10999), 110.2)


def all_of_them(story: LandedFolder) -> None:
    killed_soon_after_a_cut(story)
    cut_off_behind_a_proxy(story)
    even = ((0, 0), (11000, 110))
    feed(story, "engine", "collector", (3000, 7999), even, onset=30, noticed=80.5, mark=1000)
    collector_was_away(story, "engine", "collector")
    burst = ((0, 0), (300, 30), (4300, 32), (5080, 110))
    feed(story, "market", "dealer-of-bursts", (900, 3499), burst, onset=30.3, noticed=31.8, mark=100)
    feed(story, "deluge", "colander", (2000, 8999), even, onset=20, noticed=90.5, mark=100)
    for pub, sub in (("market", "dealer-of-bursts"), ("deluge", "colander")):
        story.link(pub, sub)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_a_pipe_that_filled_while_its_receiver_was_away_is_told_as_that(report: Json) -> None:
    assert incidents(report, "engine") == [("engine → collector", "reconnect", "inferred", 5000)]


def test_what_a_receiver_lacks_that_was_killed_soon_after_a_cut_may_have_been_lost_in_that(
    report: Json,
) -> None:
    assert incidents(report, "spout") == [("spout → cistern", "receiver_died", "inferred", 110)]


def test_what_was_sent_while_a_receiver_behind_a_proxy_was_cut_off_was_dropped_by_no_full_pipe(
    report: Json,
) -> None:
    assert incidents(report, "tidegate") == [("tidegate → mouth", "reconnect", "inferred", 1000)]


def test_a_burst_behind_which_the_receiver_went_on_for_long_is_told_as_that(report: Json) -> None:
    assert incidents(report, "market") == [("market → dealer-of-bursts", "hwm_too_low", "inferred", 2600)]


def test_a_receiver_that_lost_most_of_the_time_was_too_slow(report: Json) -> None:
    assert incidents(report, "deluge") == [("deluge → colander", "slow_receiver", "exact", 7000)]
