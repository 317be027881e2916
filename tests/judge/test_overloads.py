"""Stretches in which a receiver lost messages again and again, and was asked to read more than it could."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hopwatch_judge.overload.reading import Rate
from hopwatch_judge.overload.stretches import (
    Spell,
    Stretch,
    long_stretches,
    overload,
    spells,
    stretches,
    without_bursts,
)
from hopwatch_judge.overload.timing import Timed
from hopwatch_judge.steps import Overload
from judged import lost

LOSS = lost(10, 19, since=100.0, until=110.0)
STRETCH = Stretch(0, 100.0, 200.0, covered=25.0, proven=25.0)
BUSY = Rate(110.0, 120.0, 50.0, waited=False)
OVERLOAD = Overload("y", 0, 100.0, 200.0, 100.0, 50.0, clearly=True)


def spans(*times: tuple[float, float] | None) -> list[Timed]:
    return [Timed(*time, time[0]) if time else Timed() for time in times]


def numbered(*times: tuple[float, float] | None, to: str = "") -> list[int | None]:
    losses = [replace(LOSS, to_socket=each) for each in to or "y" * len(times)]
    return stretches(losses, spans(*times))


def test_a_stretch_ends_with_a_pause() -> None:
    assert numbered((100, 110), (120, 130), (140.1, 150), (161, 170)) == [0, 0, 1, 2]
    assert numbered((161, 170), None, (100, 110)) == [1, None, 0]
    assert numbered((100, 150), (101, 102), (155, 156)) == [0, 0, 0]


def test_each_receiver_has_stretches_of_its_own() -> None:
    assert numbered((100, 110), (150, 160), (200, 210), to="yzy") == [0, 0, 1]


def test_a_loss_whose_time_is_not_known_is_in_no_stretch() -> None:
    times = [*spans((100, 110)), Timed(), *spans((101, 102))]
    assert list(spells([LOSS] * 3, times, [0, None, 0])) == [
        Spell(LOSS, 100, 110, 100, 0),
        Spell(LOSS, 101, 102, 101, 0),
    ]


def spell(
    since: float,
    until: float,
    proven: float = 0.0,
    *,
    messages: int = 1,
    lane: int = 0,
    by: str = "x",
    of: int = 0,
) -> Spell:
    loss = replace(LOSS, stream=by, from_socket=by, lane=lane, first=10, last=9 + messages)
    return Spell(loss, since, until, since + proven, of)


LONG = {
    "of a second": ([spell(100, 110)], []),
    "of more": ([spell(100, 110.5, 3.0)], [Stretch(0, 100, 110.5, 10.5, 3.0)]),
    "of several losses": ([spell(104, 112, 1), spell(100, 102, 2)], [Stretch(0, 100, 112, 10, 3)]),
    "of two": ([spell(100, 120), spell(200, 230, of=1)], [Stretch(0, 100, 120, 20, 0), Stretch(1, 200, 230, 30, 0)]),
    "of lanes that lost more and less": (
        [spell(100, 102, 1, messages=9), spell(100, 140, 2, lane=1)],
        [Stretch(0, 100, 140, covered=2, proven=3)],
    ),
    "of lanes that lost as many": ([spell(100, 120), spell(100, 140, lane=1)], [Stretch(0, 100, 140, 40, 0)]),
    "of pipes that lost more and less": (
        [spell(100, 120, 9, messages=9), spell(100, 120, 15, messages=5, by="z"), spell(100, 120, 1, messages=5, by="z", lane=1)],
        [Stretch(0, 100, 120, covered=20, proven=16)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("of", LONG)
def test_a_stretch_is_told_by_the_lane_and_the_pipe_that_lost_most(of: str) -> None:
    lost_in, expected = LONG[of]
    assert long_stretches(lost_in) == expected


OVERLOADS = {
    "it read half of what it was asked to": (STRETCH, 100.0, [BUSY], True),
    "it read hardly less than that": (STRETCH, 100.0, [BUSY._replace(rate=95.0)], False),
    "it read nine tenths": (STRETCH, 100.0, [BUSY._replace(rate=90.0)], False),
    "it read as much": (STRETCH, 100.0, [BUSY._replace(rate=100.0)], None),
    "it once read as much": (STRETCH, 100.0, [BUSY, BUSY._replace(rate=100.0)], None),
    "nobody knows what it was asked": (STRETCH, None, [BUSY], None),
    "nobody knows what it read": (STRETCH, 100.0, [], None),
    "losses took little of the time": (STRETCH._replace(covered=24.0), 100.0, [BUSY], None),
    "losses are not proven to have taken it": (STRETCH._replace(proven=24.0), 100.0, [BUSY], False),
    "it waited": (STRETCH, 100.0, [BUSY, BUSY._replace(waited=True)], False),
    "nobody knows whether it waited": (STRETCH, 100.0, [BUSY._replace(waited=None)], False),
    "it is once known not to have waited": (STRETCH, 100.0, [BUSY._replace(waited=None), BUSY], True),
    "it read all the time": (STRETCH, 100.0, [Rate(100.0, 200.0, 50.0, waited=False)], True),
    "it read enough before": (STRETCH, 100.0, [Rate(99.0, 120.0, 500.0, waited=True), BUSY], True),
    "it read enough until later": (STRETCH, 100.0, [BUSY, Rate(150.0, 201.0, 500.0, waited=True), BUSY._replace(since=160.0)], True),
    "it read enough later": (STRETCH, 100.0, [BUSY, Rate(201.0, 202.0, 500.0, waited=True)], True),
}  # fmt: skip


@pytest.mark.parametrize("because", OVERLOADS)
def test_an_overload_is_a_stretch_in_which_a_receiver_was_asked_more_than_it_read(because: str) -> None:
    stretch, asked, rates, clearly = OVERLOADS[because]
    found = overload("y", stretch, asked, rates)
    assert (found and found.clearly) == clearly
    assert found is None or found[:5] == ("y", 0, 100.0, 200.0, 100.0)
    assert found is None or found.read == max(rate.rate for rate in rates if rate.rate < 100)


def left(lost_at: Sequence[float], idle: dict[float, bool], of: Sequence[int] = ()) -> list[bool]:
    """Return of each overload that is left whether it is clear."""
    numbers = of or [0] * len(lost_at)
    lost_in = [spell(at, at, of=number) for at, number in zip(lost_at, numbers, strict=True)]
    return [each.clearly for each in without_bursts([OVERLOAD], lost_in, idle)]


def test_losses_between_which_a_receiver_rested_twice_were_bursts() -> None:
    assert left([100, 120, 140, 160], {}) == [True]
    assert left([100, 120, 140, 160], {110: True}) == [False]
    assert left([100, 120, 140, 160], {110: True, 130: True}) == []
    assert left([100, 120, 140, 160], {110: False, 130: False}) == [False]
    assert left([100, 120, 140, 160], {110: True, 130: False, 150: True}) == []


def test_a_receiver_returns_to_losses_of_the_same_stretch_alone() -> None:
    assert left([100, 120], {90: True, 130: True}) == [True]
    assert left([100, 120], {110: True, 115: True}) == [False]
    assert left([100, 120], {120: True}) == [False]
    assert left([100, 120, 140], {110: True, 130: True}, of=[0, 1, 2]) == [True]
    assert left([100, 120, 140], {130: True}, of=[0, 1, 1]) == [True]
    assert left([100, 120, 140], {130: True}, of=[1, 1, 0]) == [True]


def test_what_a_receiver_was_last_idle_for_before_losses_counts() -> None:
    assert left([100, 120, 140], {110: True, 115: False, 130: True}) == [False]
