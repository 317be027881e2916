"""How fast messages were sent, how many a receiver was asked to read, and how fast it was seen to read."""

from collections.abc import Iterable

import pytest
from hopwatch_judge.case import Hop, Totals, Way
from hopwatch_judge.events import Counted, Gap
from hopwatch_judge.overload.reading import Rate, Wait, rates_of, samples_of, waits_of
from hopwatch_judge.overload.sending import (
    Sending,
    Sent,
    asked_all_along,
    asked_bytes,
    asked_rate,
    sending,
    sent_of,
    shares_of,
)
from hopwatch_judge.steps import Owed
from judged import LANE, known

SENT = Sent((100.0, 110.0, 120.0), (0, 100, 400))


def counted(
    at: float, *, sent: int = 0, received: int = 0, waits: int = 0, blocked: int = 0, of: str = "y"
) -> Counted:
    return Counted(of, at, sent, received, waits, blocked, 0)


def gap(at: float | None, received: int | None, lane: int = 0, action: str = "gap") -> Gap:
    return Gap("x", "y", lane, action, 10, 19, received=received, at=at)


@pytest.mark.parametrize(
    ("moment", "number"), [(100.0, 0), (105.0, 50.0), (110.0, 100), (115.0, 250.0), (90.0, 0), (130.0, 400)]
)
def test_messages_are_taken_to_be_sent_evenly_between_known_times(moment: float, number: float) -> None:
    assert SENT.number_at(moment) == number


def test_a_stream_is_known_by_its_samples_and_by_what_receivers_saw_around_gaps() -> None:
    around = Gap("x", "y", 0, "gap", 10, 19, before=9, after=20, before_sent_at=104.0, after_sent_at=106.0)
    late, others, untold = around._replace(action="late"), around._replace(stream="z"), gap(1.0, 1)
    gaps = (around, late._replace(before=7), others, untold, untold._replace(before=3))
    samples = {"x": [counted(at, sent=sent, of="x") for at, sent in ((99.0, 0), (105.0, 9), (110.0, 30))]}
    assert sent_of(known(gaps=gaps), {"x"}, samples) == {"x": Sent((104.0, 106.0, 110.0), (9, 20, 30))}


def test_a_stream_is_sent_from_its_lowest_number_to_its_highest() -> None:
    assert sending(SENT) == Sending(100.0, 120.0, 20.0)
    assert sending(Sent((100.0, 110.0, 120.0), (400, 100, 0))) == Sending(120.0, 100.0, None)
    assert sending(Sent((100.0, 100.02), (0, 5))).rate is None
    assert sending(Sent((100.0, 100.03), (0, 6))).rate == pytest.approx(200.0)


def owed(receiver: str, sent: int, lane: int = 0, stream: str = "x") -> Owed:
    return Owed(stream, receiver, lane, 1, sent, 0, sent, 0, None, None, None, sent, False, None, None, False,
                sent, None, sent, False)  # fmt: skip


def shares(*rows: Owed) -> dict[str, dict[str, float]]:
    """Return the shares of a proxy ``p`` with y and z behind it, and of y, of 100 and 300 messages in two lanes."""
    ways = [Way("x", each, (Hop("x", "p"), Hop("q", each))) for each in ("y", "z")]
    lanes = [LANE, LANE.__class__("x", 1, sent=300), LANE.__class__("empty", 0)]
    ways.append(Way("empty", "y", (Hop("empty", "y"),)))
    return shares_of(known(ways=ways, lanes=lanes), {row.key: row for row in rows}, {"p", "y"})


def test_a_share_is_what_a_receiver_is_owed_of_all_that_its_sender_sent() -> None:
    assert shares(owed("y", 100), owed("y", 100, lane=1)) == {"p": {"x": 0.5}, "y": {"x": 0.5}}
    assert shares(owed("y", 100), owed("z", 300)) == {"p": {"x": 0.75}, "y": {"x": 0.25}}
    assert shares(owed("y", 300), owed("z", 100))["p"] == {"x": 0.75}
    assert shares(owed("y", 500))["y"] == {"x": 1.0}
    assert shares(owed("y", 5, stream="empty")) == {"p": {}, "y": {}}


def test_a_receiver_is_asked_to_read_its_share_of_each_stream() -> None:
    sent = {"x": SENT, "z": Sent((100.0, 120.0), (0, 100))}
    assert asked_rate({"x": 0.5, "z": 1.0}, sent, 110.0, 120.0) == 20.0
    assert asked_rate({"x": 0.5, "unknown": 1.0}, sent, 110.0, 120.0) == 15.0
    assert asked_rate({"unknown": 1.0}, sent, 110.0, 120.0) is None
    assert asked_rate({"x": 1.0}, sent, 110.0, 110.01) is None


def test_a_receiver_is_asked_all_along_from_its_first_streams_begin_to_its_last_ones_end() -> None:
    sent = {"x": SENT, "z": Sent((110.0, 140.0), (0, 400)), "others": Sent((0.0, 200.0), (0, 1))}
    sendings = {stream: sending(each) for stream, each in sent.items()}
    assert asked_all_along({"x": 1.0, "z": 0.5}, sent, sendings) == 15.0
    assert asked_all_along({"unknown": 1.0}, sent, sendings) is None


def test_the_size_of_a_message_is_an_average_over_streams() -> None:
    totals = {
        "x": Totals("x", sent=100, sent_bytes=1000),
        "z": Totals("z", sent=100, sent_bytes=4000),
        "unsized": Totals("unsized", sent=100),
    }
    sizes = {"x": 1.0, "z": 0.5, "unsized": 1.0}
    assert asked_bytes(known(totals=totals), sizes) == 20.0
    assert asked_bytes(known(), sizes) is None


def rates(*rows: Counted | Gap) -> list[Rate]:
    """Return the rates of y, in which another socket that is asked for has no part."""
    samples = [row for row in rows if isinstance(row, Counted)]
    gaps = [row for row in rows if isinstance(row, Gap)]
    case = known(
        counted=(*samples, counted(1.0, of="z")), gaps=(*gaps, gaps[0]._replace(receiver="z")) if gaps else ()
    )
    return rates_of(case, {"y"}, samples_of(case, {"y"}))["y"]


def test_a_receiver_reads_between_samples() -> None:
    samples = [counted(102.0, received=30), counted(100.0), counted(101.0, received=10)]
    assert rates(*samples) == [Rate(100.0, 101.0, 10.0, None), Rate(101.0, 102.0, 20.0, None)]


@pytest.mark.parametrize(("took", "messages", "counts"), [(0.02, 5, 1), (0.019, 5, 0), (0.02, 4, 0)])
def test_a_rate_is_of_some_messages_in_some_time(took: float, messages: int, counts: int) -> None:
    at = 1_772_442_009.599662
    assert len(rates(counted(at), counted(at + took, received=messages))) == counts


def waited(waits: Iterable[int]) -> list[bool | None]:
    samples = [counted(100.0 + at, received=10 * at, waits=count) for at, count in enumerate(waits)]
    return [rate.waited for rate in rates(*samples)]


def test_a_receiver_that_waited_again_and_again_shows_when_it_did_not() -> None:
    assert waited((0, 1, 1, 1)) == [None, None, None]
    assert waited((0, 1, 1, 2)) == [True, False, True]
    assert waited((1, 1, 2)) == [False, True]


def test_a_receiver_reads_a_full_queue_from_the_first_gap_of_a_run_on() -> None:
    run = [gap(100.4, 10), gap(100.0, 0), gap(100.9, 40), gap(101.5, 100), gap(101.7, 110)]
    assert rates(*run) == [
        Rate(100.0, 100.4, pytest.approx(25.0), None),
        Rate(100.0, 100.9, pytest.approx(40 / 0.9), None),
        Rate(101.5, 101.7, pytest.approx(50.0), None),
    ]


def test_gaps_of_other_lanes_of_other_kinds_and_of_unknown_times_are_no_run() -> None:
    first = gap(100.0, 0)
    others = (gap(100.4, 10, lane=1), gap(100.4, 10, action="late"), gap(None, 10), gap(100.4, None))
    assert rates(first, *others) == []


def test_a_receiver_waits_between_samples_and_rests_if_that_took_time() -> None:
    samples = [
        counted(100.0 + at, waits=waits, blocked=blocked)
        for at, (waits, blocked) in enumerate([(5, 0), (5, 0), (6, 0), (8, 1)])
    ]
    assert waits_of(samples) == [Wait(101.0, 102.0, rested=False), Wait(102.0, 103.0, rested=True)]
