"""Whether a receiver whose pipe was full is too slow, or only met bursts longer than its pipe."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Hop, Receipt, Totals, Way
from hopwatch_judge.events import Counted, Gap, Progress
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.overload.pressure import Measured, pressure
from hopwatch_judge.steps import Overload, Owed, Pressure
from judged import LANE, known, lost

EDGE = ("x", "x", "y")
LOSS = lost(1000, 1999, since=110.0, until=120.0, seen_at=121.0)
LATER = lost(5000, 5999, since=150.0, until=160.0, seen_at=161.0)


def owed(stream: str = "x") -> Owed:
    return Owed(stream, "y", 0, 10000, 5000, 0, 10000, 0, None, None, None, 10000, False, None, None, False, 10000,
                None, 10000, False)  # fmt: skip


def samples(y_rate: int = 50, waits: Mapping[float, int] = {}, blocked: bool = True) -> list[Counted]:
    """Return samples of each ten seconds: x sends 100 a second from 100 s on until 200 s, and y waits as often by then."""
    found = []
    waited = 0
    for at in range(100, 201, 10):
        waited += waits.get(at, 0)
        found.append(Counted("x", at, (at - 100) * 100 + 1, 0, 0, 0, 0))
        found.append(Counted("y", at, 0, (at - 100) * y_rate, waited, waited if blocked else 0, 0))
    return found


def case(counted: list[Counted], **parts: Any) -> Known:
    plain = {
        "lanes": (replace(LANE, sent=10000),),
        "receipts": (Receipt("x", 0, "y", count=5000, newest_sent_at=200.0),),
        "totals": {"x": Totals("x", sent=10001, sent_bytes=100010)},
    }
    return known(counted=counted, **plain | parts)


def measured(
    *losses: Loss, counted: list[Counted] | None = None, gaps: tuple[Gap, ...] = (), **parts: Any
) -> Measured:
    told = case(counted or samples(), **parts)
    each = owed()
    by_lane = by_key(gaps, lambda gap: (gap.stream, gap.receiver, gap.lane))
    return pressure(told, losses, {each.key: each}, by_lane)


def of_edge(*losses: Loss, **told: Any) -> Pressure:
    return measured(*losses, **told).edges[EDGE]


def test_an_edge_that_lost_something_has_rates() -> None:
    assert of_edge(LOSS) == Pressure(
        began_at=100.0,
        last_sent_at=200.0,
        mean_rate=100.0,
        asked_rate=100.0,
        asked_bytes=10.0,
        capacity=50.0,
        loss_share=0.1,
    )


def test_an_edge_of_a_stream_of_which_nothing_was_counted_has_none() -> None:
    assert measured(LOSS, counted=[Counted("z", 1.0, 0, 0, 0, 0, 0)], totals={}).edges == {EDGE: Pressure()}


def test_rates_behind_a_proxy_are_of_the_stream_that_passes_it() -> None:
    way = Way("x", "y", (Hop("x", "p"), Hop("q", "y")))
    found = measured(replace(LOSS, from_socket="q"), ways=(way,)).edges["x", "q", "y"]
    assert (found.mean_rate, found.asked_rate, found.capacity) == (100.0, 100.0, 50.0)


def test_the_time_and_the_stretch_of_each_loss_are_told_by_its_place() -> None:
    found = measured(LATER, replace(LOSS, part="head"), LOSS)
    assert [each.lost_since for each in found.times] == [150.0, None, 110.0]
    assert found.stretch_of == [1, None, 0]


WAITED = samples(waits={140: 1})
BURSTS = {
    "it waited in between": ((LOSS, LATER), {"counted": WAITED}, True),
    "it never waited": ((LOSS, LATER), {"counted": samples()}, False),
    "it waited before": ((LATER,), {"counted": WAITED}, False),
    "losses took half of the time": ((replace(LOSS, after_sent_at=160.0),), {"counted": WAITED}, False),
    "losses took less": ((replace(LOSS, after_sent_at=159.0),), {"counted": WAITED}, True),
    "nobody knows when it lost": ((replace(LOSS, before_sent_at=None), replace(LATER, part="head")), {"counted": WAITED}, False),
    "it read at half of what it was asked to": ((LOSS,), {"counted": samples(50, {140: 1})}, True),
    "it read far less": ((LOSS,), {"counted": samples(49, {140: 1})}, False),
    "nobody knows how much it read": ((LOSS,), {"counted": samples(0, {140: 1})}, True),
}  # fmt: skip


@pytest.mark.parametrize("because", BURSTS)
def test_a_receiver_met_bursts_that_caught_up_between_losses(because: str) -> None:
    losses, told, expected = BURSTS[because]
    assert of_edge(*losses, **told).in_bursts == expected


def test_a_receiver_met_bursts_that_went_on_behind_them_however_slowly() -> None:
    gap = Gap("x", "y", 0, "gap", 1000, 1999, received=1000, after_sent_at=120.0, at=121.0)
    found = of_edge(LOSS, counted=samples(20), gaps=(gap,))
    assert found.went_on
    assert found.in_bursts
    assert not of_edge(
        replace(LOSS, after_sent_at=160.0), gaps=(gap._replace(after_sent_at=160.0),)
    ).in_bursts


UNBROKEN = replace(LOSS, begins_at_onset=True, after_sent_at=161.0)


def steadily(until: float, last: int = 1999) -> tuple[Progress, ...]:
    """Return the samples by which x had counted the first of what it lost at 110 s, and not yet the last then."""
    return tuple(Progress("x", 0, at, "sample", None, n, n) for at, n in ((110.0, 1001), (until, last)))


MOSTLY = {
    "it is proven": ((UNBROKEN,), samples(), 160.0, True),
    "it is proven for less": ((UNBROKEN,), samples(), 159.0, False),
    "it is not proven": ((replace(UNBROKEN, begins_at_onset=False),), samples(), 160.0, False),
    "it had caught up": ((UNBROKEN,), WAITED, 160.0, False),
}


@pytest.mark.parametrize("because", MOSTLY)
def test_losses_took_most_of_the_time_where_that_is_proven(because: str) -> None:
    losses, counted, until, expected = MOSTLY[because]
    assert of_edge(*losses, counted=counted, progress=steadily(until)).most_of_the_time == expected


@pytest.mark.parametrize(("seconds", "expected"), [(10, False), (11, True)])
def test_losses_no_longer_than_a_burst_are_not_most_of_the_time(seconds: int, expected: bool) -> None:
    counted = [Counted("x", at, n, 0, 0, 0, 0) for at, n in ((110.0, 1), (112.0 + seconds, 1201))]
    loss = replace(UNBROKEN, after_sent_at=112.0 + seconds)
    assert of_edge(loss, counted=counted, progress=steadily(110.0 + seconds)).most_of_the_time == expected


SLOW = replace(LOSS, begins_at_onset=True, after_sent_at=190.0, before=999, after=9000, last=8999)
NEVER_IDLE = samples(waits={110: 1, 200: 1})


def overloads(*losses: Loss, counted: list[Counted], proven_until: float = 189.0) -> list[Overload]:
    progress = steadily(proven_until, last=8999)
    return list(measured(*losses, counted=counted, progress=progress).overloads)


def test_a_receiver_is_overloaded_that_is_asked_more_than_it_reads_for_longer_than_a_burst() -> None:
    assert overloads(SLOW, counted=NEVER_IDLE) == [Overload("y", 0, 110.0, 190.0, 100.0, 50.0, clearly=True)]
    assert overloads(LOSS, counted=NEVER_IDLE) == []
    assert overloads(SLOW, counted=samples(100)) == []
    assert overloads(SLOW, counted=NEVER_IDLE, proven_until=120.0)[0].clearly is False


def test_overloads_are_told_in_the_order_of_receivers_and_stretches() -> None:
    halves = [lost(1000, 3999, since=110.0, until=140.0), lost(5000, 8999, since=151.0, until=190.0)]
    others = [replace(each, to_socket="a") for each in halves]
    ways = [Way("x", each, (Hop("x", each),)) for each in "ya"]
    told = [each._replace(socket="a") for each in samples() if each.socket == "y"]
    rows = [owed(), replace(owed(), receiver="a")]
    found = pressure(
        case([*samples(), *told], ways=ways), [*halves, *others], {each.key: each for each in rows}, {}
    )
    assert [(each.to_socket, each.stretch) for each in found.overloads] == [
        ("a", 0),
        ("a", 1),
        ("y", 0),
        ("y", 1),
    ]


def test_a_receiver_that_rested_between_its_losses_met_bursts() -> None:
    again = [lost(n, n + 999, since=at, until=at + 9.0, seen_at=at + 10.0, begins_at_onset=True)
             for n, at in ((1000, 110.0), (3000, 119.0), (5000, 128.0), (7000, 137.0), (9000, 146.0))]  # fmt: skip
    assert len(overloads(*again, counted=samples())) == 1
    assert len(overloads(*again, counted=samples(waits={130: 1}))) == 1
    assert len(overloads(*again, counted=samples(waits={130: 1, 140: 1}))) == 0
    assert len(overloads(*again, counted=samples(waits={130: 1, 140: 1}, blocked=False))) == 1
