"""Whether a receiver that lost messages had caught up in between, or behind the last of them."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Down, Hop, Link, Receipt, Socket, Way
from hopwatch_judge.events import Gap, Read
from hopwatch_judge.overload.lost import LostOnEdge, together
from hopwatch_judge.overload.reading import Wait
from hopwatch_judge.overload.recovered import (
    Fresh,
    GotSince,
    Idle,
    Watch,
    fresh_samples,
    got_since_gaps,
    idle_moments,
    read_behind,
    sooner_than_full,
    ways_over,
    went_on,
)
from hopwatch_judge.overload.timing import Timed
from judged import RECEIVER, SENDER, known, lost

LOSS = lost(10, 19, since=100.0, until=110.0, begins_at_onset=True)
EDGE = ("x", "x", "y")
WATCH = Watch(
    Link("x", "y"),
    [Fresh(120.0, 120.01, 0.01)],
    within=0.01,
    waits=[Wait(100.0, 101.0, rested=True), Wait(130.0, 131.0, rested=False)],
    lost_at=100.0,
    sent_until=150.0,
)


def test_losses_of_an_edge_are_put_together_and_overlapping_ones_count_once() -> None:
    times = [Timed(104.0, 108.0, 107.0), Timed(100.0, 106.0, 102.0), Timed(101.0, 105.0, 104.0), Timed()]
    found = together([(LOSS, time) for time in times])
    assert (found.spanned, found.proven) == (8.0, 7.0)
    assert together([(LOSS, Timed())])[1:] == (None, None, 100.0, 110.0, False)


def test_an_edge_has_lost_from_the_first_loss_on_until_the_last() -> None:
    earlier = lost(0, 4, since=90.0, until=95.0, after=None)
    tail = replace(earlier, part="tail", before_sent_at=80.0, after_sent_at=None)
    whole = replace(tail, part="all", before_sent_at=None, begins_at_onset=True)
    both = [(LOSS, Timed()), (earlier, Timed())]
    assert together(both)[3:] == (100.0, 110.0, False)
    assert together([*both, (tail, Timed())])[3:] == (100.0, 110.0, True)
    assert together([*both, (replace(tail, way_newest_sent_at=1.0), Timed())])[3:] == (80.0, 110.0, True)
    assert together([*both, (replace(tail, begins_at_onset=True), Timed())])[3:] == (80.0, 110.0, True)
    assert together([*both, (whole, Timed())])[3:] == (100.0, 110.0, True)


def test_ways_lead_over_each_of_their_hops() -> None:
    ways = [Way("x", each, (Hop("x", "p"), Hop("q", each))) for each in ("y", "z")]
    assert ways_over(known(ways=ways), [("x", "x", "p"), ("x", "q", "y"), EDGE]) == {
        ("x", "x", "p"): [("x", "y"), ("x", "z")],
        ("x", "q", "y"): [("x", "y")],
        EDGE: [],
    }


READS = {
    "at once": (Read("x", "y", 120.01, 120.0), [Fresh(120.0, 120.01, 0.01)]),
    "just in time": (Read("x", "y", 120.02, 120.0), [Fresh(120.0, 120.02, 0.02)]),
    "later": (Read("x", "y", 120.021, 120.0), None),
    "far before it was sent": (Read("x", "y", 119.9, 120.0), None),
    "on another host": (Read("x", "z", 120.01, 120.0), None),
    "on a host that is not known": (Read("x", "w", 120.01, 120.0), None),
    "by somebody else": (Read("x", "x", 120.01, 120.0), None),
}


@pytest.mark.parametrize("read", READS)
def test_a_sample_shows_a_message_that_was_read_at_once(read: str) -> None:
    row, expected = READS[read]
    case = known(reads=(row,), sockets=[Socket("z", host="other")])
    found = fresh_samples(case, {("x", each) for each in "yzw"})
    assert found == ({("x", "y"): expected} if expected else {})


def test_the_message_behind_a_loss_that_begins_at_an_onset_may_be_read_at_once() -> None:
    at_once, late = Timed(seen_late=0.02), Timed(seen_late=0.021)
    assert list(read_behind([(LOSS, at_once)])) == [Fresh(110.0, 110.0, 0.02)]
    assert list(read_behind([(LOSS, late), (LOSS, Timed())])) == []
    assert list(read_behind([(replace(LOSS, begins_at_onset=False), at_once)])) == []


def test_half_of_the_senders_mark_takes_a_time_to_read() -> None:
    assert sooner_than_full(known(), "x", 10.0) == 0.25
    assert sooner_than_full(known(), "x", None) is None
    assert sooner_than_full(known(), "x", 0.0) is None
    assert sooner_than_full(known(), "unknown", 10.0) is None


def idle(**fields: object) -> list[float]:
    """Return the moments at which the receiver was idle."""
    return [each.at for each in idle_moments(WATCH._replace(**fields))]  # type: ignore[arg-type]


def test_a_receiver_is_idle_that_reads_at_once_or_waits() -> None:
    assert list(idle_moments(WATCH)) == [
        Idle(120.0, 120.01, rested=True),
        Idle(130.0, 131.0, rested=False),
    ]


def test_a_message_that_is_read_at_once_shows_nothing_where_a_full_pipe_is_read_as_fast() -> None:
    assert idle(within=0.009) == idle(within=None) == [131.0]


def test_a_receiver_is_watched_from_its_first_loss_to_the_senders_last_message() -> None:
    assert idle(lost_at=120.0) == [131.0]
    assert idle(lost_at=130.0) == []
    assert idle(lost_at=99.0) == [120.01, 101.0, 131.0]
    assert idle(sent_until=131.0) == [120.01, 131.0]
    assert idle(sent_until=130.5) == [120.01]
    assert idle(sent_until=120.0) == []
    assert idle(lost_at=None) == idle(sent_until=None) == []


@pytest.mark.parametrize(
    ("down", "shown"),
    [
        (Down(132.0, None), [120.01, 131.0]),
        (Down(121.0, None), [120.01]),
        (Down(131.0, None), [120.01]),
        (Down(110.0, 124.0), [131.0]),
        (Down(110.0, 114.9), [120.01, 131.0]),
        (Down(110.0, 115.0), [131.0]),
    ],
)
def test_nothing_shows_behind_a_cut_that_a_receiver_caught_up(down: Down, shown: list[float]) -> None:
    assert idle(link=Link("x", "y", downs=(down,))) == shown


def gap(received: int | None, after_sent_at: float | None, lane: int = 0, action: str = "gap") -> Gap:
    return Gap("x", "y", lane, action, 10, 19, received=received, after_sent_at=after_sent_at, at=115.0)


def got(*gaps: Gap) -> GotSince | None:
    """Return what y got, that has 100 messages of one lane, the last sent at 150, and 50 of another, the last at 160."""
    receipts = (
        Receipt("x", 0, "y", count=100, newest_sent_at=150.0, moved_at=151.0),
        Receipt("x", 1, "y", count=50, moved_at=160.0),
    )
    by_lane = {("x", "y", lane): [each for each in gaps if each.lane == lane] for lane in (0, 1)}
    return got_since_gaps(known(receipts=receipts), [("x", "y")], by_lane).get(("x", "y"))


def test_what_came_behind_the_last_gap_of_each_lane_is_summed() -> None:
    assert got(gap(80, 110.0), gap(60, 105.0)) == GotSince(20, 150.0, 110.0)
    assert got(gap(80, 110.0), gap(10, 120.0, lane=1)) == GotSince(60, 160.0, 120.0)
    assert got(gap(80, None)) == GotSince(20, 150.0, 115.0)
    assert got(gap(80, 110.0), gap(90, 140.0, action="late")) == GotSince(20, 150.0, 110.0)
    assert got(gap(None, 110.0)) is None
    assert got() is None


LOST = LostOnEdge([], spanned=10.0, proven=5.0, first_at=100.0, over_at=110.0, to_the_end=False)
ENOUGH = GotSince(40, until=120.0, gap_until=110.0)
BEHIND_A_LOSS = {
    "enough": (LOST, [ENOUGH], True),
    "less than waits in two full pipes": (LOST, [ENOUGH._replace(messages=39)], False),
    "enough, for less time than was lost": (LOST, [ENOUGH._replace(until=119.0)], False),
    "enough, until nobody knows when": (LOST, [ENOUGH._replace(until=None)], False),
    "nothing, in the end": (LOST._replace(to_the_end=True), [ENOUGH], False),
    "enough behind an earlier loss": (LOST, [ENOUGH._replace(gap_until=109.0)], False),
    "enough at a time that is not known": (LOST._replace(over_at=None), [ENOUGH], False),
    "enough behind losses of a time that is not known": (LOST._replace(spanned=None), [ENOUGH], False),
    "enough by one of two": (LOST, [ENOUGH._replace(messages=1, until=110.0), ENOUGH], True),
    "more by one that soon ended": (LOST, [ENOUGH, ENOUGH._replace(messages=90, until=110.0)], False),
    "nothing": (LOST, [], False),
}


@pytest.mark.parametrize("came", BEHIND_A_LOSS)
def test_a_receiver_went_on_that_got_enough_behind_its_last_loss(came: str) -> None:
    losses, readers, expected = BEHIND_A_LOSS[came]
    assert went_on(known(), EDGE, losses, readers) == expected


@pytest.mark.parametrize(
    "end", [replace(SENDER, sndhwm=0), replace(RECEIVER, rcvhwm=0), replace(SENDER, sndhwm=None)]
)
def test_no_receiver_is_known_to_have_gone_on_where_a_mark_is_unlimited_or_unknown(end: Socket) -> None:
    assert not went_on(known(sockets=[end]), EDGE, LOST, [ENOUGH])
