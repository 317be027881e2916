"""When the messages of a loss were sent, and for how long their pipe was full."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Down, Link, Socket
from hopwatch_judge.events import Onset, Progress
from hopwatch_judge.loss import Loss
from hopwatch_judge.overload.pace import Pace, paces
from hopwatch_judge.overload.timing import Timed, timed
from hopwatch_judge.overload.unbroken import unbroken
from judged import LANE, SENDER, known, lost

GAP = lost(10, 19, since=100.0, until=110.0, begins_at_onset=True)
LATE = replace(GAP, seen_at=112.0)
TAIL = lost(90, 99, since=140.0, until=0.0, part="tail", after=None, after_sent_at=None, seen_at=None)
TWO_LANES = {"lanes": (LANE, replace(LANE, lane=1))}


def down(start: float, end: float | None = None) -> dict[str, Any]:
    return {"links": (Link("x", "y", told=True, downs=(Down(start, end),)),)}


def former_down(start: float, end: float | None = None) -> dict[str, Any]:
    return {"links": (Link("x", "y", told=True, former_downs=(Down(start, end),)),)}


def met(*numbers: int) -> dict[str, Any]:
    """Return the onsets of a lane that begins with the stream, beside another."""
    return TWO_LANES | {"onsets": tuple(Onset("x", number, 0, number, 100.0) for number in numbers)}


def counted(*samples: tuple[float, int], kind: str = "sample") -> dict[str, Any]:
    """Return how many messages of the lane its sender had counted."""
    return {"progress": tuple(Progress("x", 0, at, kind, None, count, count) for at, count in samples)}


UNBROKEN = {
    "it begins at an onset": (GAP, {}, True),
    "it begins at none": (replace(GAP, begins_at_onset=False), {}, False),
    "its connection went down in it": (GAP, down(105.0, 106.0), False),
    "its connection was down when it began": (GAP, down(90.0, 100.0), False),
    "its connection went down when it was over": (GAP, down(110.0), False),
    "its connection had gone for good": (GAP, down(90.0), False),
    "its connection had been down before": (GAP, down(90.0, 99.0), True),
    "its connection was down later": (GAP, down(111.0), True),
    "its connection was down at any time behind its begin": (replace(GAP, after_sent_at=None), down(999.0), False),
    "nobody knows when it was sent": (replace(GAP, before_sent_at=None), down(105.0, 106.0), True),
    "a former peer was down in it": (GAP, former_down(105.0, 106.0), False),
    "the pipe filled again": (GAP, met(10, 15), False),
    "the pipe filled again at the next message that passed": (GAP, met(10, 20), True),
    "nothing passed behind it, and the pipe filled again": (replace(GAP, after=None), met(10, 15), False),
    "nothing passed behind it": (replace(GAP, after=None), met(10, 20), True),
    "the onset is of no lane that is known": (GAP, TWO_LANES, False),
    "nothing is known of its stream's lanes": (GAP, {"lanes": ()}, False),
    "its onset was another sender's": (replace(GAP, from_socket="p"), met(10), False),
}  # fmt: skip


@pytest.mark.parametrize("why", UNBROKEN)
def test_a_loss_is_unbroken_if_its_pipe_stayed_full(why: str) -> None:
    loss, parts, expected = UNBROKEN[why]
    assert unbroken(known(**parts), [loss]) == [expected]


def test_an_onset_in_a_later_loss_of_the_edge_does_not_break_the_first() -> None:
    later = lost(30, 39, since=120.0, until=130.0, begins_at_onset=True)
    assert unbroken(known(**met(10, 30)), [GAP, later]) == [True, True]


TIMES = {
    "between two messages": (LATE, (100.0, 110.0)),
    "after the last one, to the end of the lane": (TAIL, (140.0, 150.0)),
    "after the last one, not to the end of the lane": (replace(TAIL, last=98), (None, None)),
    "after the last one of a lane that is not known": (replace(TAIL, lane=7), (None, None)),
    "at a time that no message before them tells": (replace(TAIL, part="all"), (None, None)),
    "before the first one": (replace(LATE, part="head"), (None, None)),
    "after an unknown time": (replace(LATE, before_sent_at=None), (None, None)),
    "until an unknown time": (replace(LATE, after_sent_at=None), (None, None)),
    "until a time before": (replace(LATE, after_sent_at=99.0), (100.0, 100.0)),
}


@pytest.mark.parametrize("sent", TIMES)
def test_a_loss_took_from_the_message_before_it_to_the_one_behind(sent: str) -> None:
    loss, expected = TIMES[sent]
    [time] = timed(known(), [loss])
    assert (time.lost_since, time.lost_until) == expected


SEEN_LATE = {
    "seen later": (LATE, 2.0),
    "seen sooner, by a clock that stutters": (replace(LATE, seen_at=109.5), 0.5),
    "without a stamp": (replace(LATE, after=None), None),
    "at the end": (replace(LATE, part="tail"), None),
    "by nobody": (replace(LATE, seen_at=None), None),
    "on another host": (replace(LATE, seen_by="z"), None),
    "on a host that is not known": (replace(LATE, seen_by="w"), None),
}


@pytest.mark.parametrize("seen", SEEN_LATE)
def test_how_late_a_loss_was_seen_is_told_by_one_clock(seen: str) -> None:
    loss, expected = SEEN_LATE[seen]
    case = known(sockets=[Socket("z", host="other")])
    assert timed(case, [loss])[0].seen_late == expected
    assert timed(known(sockets=[replace(SENDER, host=None)]), [loss])[0].seen_late is None


BETWEEN = {
    "messages of the stream, and of the lane": ((4, 3, 1.0), Pace(0.25, 0.5)),
    "one step of each": ((1, 2, 1.0), Pace(1.0, 1.0)),
    "no message of the lane": ((4, 1, 1.0), Pace(0.25, None)),
    "no message at all": ((0, 3, 1.0), Pace(None, None)),
    "messages in no time": ((4, 3, 0.0), Pace(0.0, 0.0)),
    "messages whose times contradict each other": ((4, 3, -1.0), Pace(None, None)),
}


@pytest.mark.parametrize("passed", BETWEEN)
def test_a_pace_is_of_what_passed_between_losses(passed: str) -> None:
    (of_stream, of_lane, took), expected = BETWEEN[passed]
    later = lost(20 + of_lane, 29, since=110.0 + took, until=120.0, before=20 + of_stream)
    assert paces([later, GAP]) == [expected, expected]


def test_a_pace_beside_a_loss_is_the_faster_one_of_its_neighbours() -> None:
    second = lost(30, 39, since=119.0, until=120.0)
    third = lost(50, 59, since=124.5, until=130.0)
    fourth = lost(70, 79, since=139.0, until=140.0)
    paced = paces([GAP, second, third, fourth])
    assert [each.beside for each in paced] == [1.0, 0.5, 0.5, 1.0]
    assert {each.of_stream for each in paced} == {22.5 / 27}


@pytest.mark.parametrize("unknown", ["after", "after_sent_at"])
def test_losses_whose_ends_are_not_known_tell_no_pace(unknown: str) -> None:
    later = lost(30, 39, since=119.0, until=120.0)
    assert paces([replace(GAP, **{unknown: None}), later]) == [Pace(), Pace()]
    assert paces([GAP, replace(later, **{unknown.replace("after", "before"): None})]) == [Pace(), Pace()]


def test_paces_of_other_lanes_and_edges_are_apart() -> None:
    second = lost(30, 39, since=118.0, until=120.0)
    assert paces([GAP, replace(second, lane=1), replace(second, to_socket="z")]) == [Pace()] * 3


def until(loss: Loss, *others: Loss, **parts: Any) -> float | None:
    return timed(known(**parts), [loss, *others])[0].lost_until


def test_a_loss_that_was_seen_at_once_ended_when_its_sender_had_counted_it() -> None:
    samples = counted((101.0, 15), (103.0, 20), (104.0, 21))
    assert until(GAP, **samples) == 103.0
    assert until(replace(GAP, seen_at=110.02), **samples) == 103.0
    assert until(LATE, **samples) == 110.0
    assert until(replace(GAP, sparse=True), **samples) == 110.0
    assert until(GAP, **counted((99.0, 20))) == 100.0
    assert until(GAP, **counted((103.0, 20), kind="got")) == 110.0
    assert until(GAP, progress=(Progress("x", 0, 103.0, "sample", None, 20, 0),)) == 110.0


def test_a_loss_that_was_seen_at_once_took_no_longer_than_at_its_senders_pace() -> None:
    slow, fast = (lost(30, 39, since=at, until=200.0) for at in (118.0, 111.0))
    assert until(GAP, fast) == pytest.approx(100.0 + 11 / 9)
    assert until(GAP, slow) == pytest.approx(100.0 + 8 * 11 / 9)
    assert until(GAP, replace(slow, before_sent_at=150.0)) == 110.0
    assert until(LATE, fast) == 110.0
    assert until(replace(GAP, before=None), fast) == 110.0
    assert until(lost(30, 39, since=111.0, until=200.0, after=None), GAP) == 200.0


def proven(loss: Loss, *others: Loss, **parts: Any) -> float | None:
    return timed(known(**parts), [loss, *others])[0].proven_until


def test_samples_in_an_unbroken_loss_prove_that_its_pipe_was_full_between_them() -> None:
    samples = counted((101.0, 10), (102.0, 11), (107.0, 19), (108.0, 20))
    assert proven(LATE, **samples) == 105.0
    assert proven(replace(LATE, begins_at_onset=False), **samples) == 100.0
    assert proven(replace(LATE, sparse=True), **samples) == 100.0
    assert proven(replace(LATE, after_sent_at=103.0), **samples) == 103.0
    assert proven(LATE, **counted((101.0, 10), (108.0, 20))) == 100.0
    assert proven(TAIL) == 140.0
    assert proven(replace(LATE, part="head"), **samples) is None


def test_an_even_sender_proves_that_a_pipe_was_full_for_as_long_as_its_messages_take() -> None:
    beside = lost(30, 39, since=117.2, until=120.0)
    assert proven(LATE, beside) == pytest.approx(100.0 + 11 * 0.8)
    # at that pace they take 12.5 s, and there were 10: a sender that is more uneven proves nothing
    assert proven(LATE, replace(beside, before_sent_at=120.2)) == 110.0
    assert proven(LATE, replace(beside, before_sent_at=120.3)) == 100.0
    assert proven(replace(LATE, begins_at_onset=False), beside) == 100.0


def test_all_that_is_known_of_a_loss_is_told_at_once() -> None:
    samples = counted((101.0, 10), (102.0, 11), (104.0, 19), (105.0, 20))
    assert timed(known(**samples), [GAP]) == [Timed(100.0, 105.0, 102.0, 0.0, unbroken=True)]
