"""Subscriptions, counted as libzmq does, and the pauses between them."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Lane, Receipt
from hopwatch_judge.events import Progress, Subscribed
from hopwatch_judge.expected.owed import owed
from hopwatch_judge.expected.pauses import NO_PAUSES, Pauses, pauses, since_the_first
from hopwatch_judge.expected.subscriptions import Subscription, changes_of_returner, covered, subscriptions
from judged import KEY, RECEIPT, RECEIVER, known, leaves, sample, wants

HALF = replace(RECEIPT, count=50, next=50, newest_sent_at=9.9)
LATE = replace(RECEIPT, count=40, first=60, next=100, newest_sent_at=150.0, got_first_at=31.0)
READINGS = (sample(5, 40), sample(9, 50), sample(12, 55), sample(25, 70), sample(31, 75))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((wants("a", 1), wants("a", 2)), Subscription(True, 1, None)),
        ((wants("a", 1), wants("a", 2), leaves("a", 3)), Subscription(True, 1, None)),
        ((wants("a", 1), leaves("a", 3)), Subscription(False, 1, 3)),
        ((wants("a", 1), leaves("a", 3), leaves("a", 4)), Subscription(False, 1, 3)),
        ((leaves("a", 1), wants("a", 2)), Subscription(True, 2, None)),
        ((leaves("a", 4), leaves("a", 6)), Subscription(False, None, 6)),
        ((wants("a", 1), leaves("a", 3), wants("a", 4), leaves("a", 5)), Subscription(False, 1, 5)),
        ((wants("a", 1, 1), wants("a", 1, 1), leaves("a", 3, 2)), Subscription(False, 1, 3)),
    ],
)
def test_an_unsubscription_takes_one_subscription_back(
    rows: tuple[Subscribed, ...], expected: Subscription
) -> None:
    assert subscriptions(rows, None) == {"a": expected}


def test_what_it_had_asked_for_before_its_first_connection_is_asked_for_then() -> None:
    assert subscriptions([wants("a", 1), leaves("b", 1)], 5.0) == {
        "a": Subscription(True, 5.0, None),
        "b": Subscription(False, None, 1.0),
    }


def test_a_lane_is_covered_by_all_topics_that_it_begins_with() -> None:
    topics = {
        "ab": Subscription(True, 5.0, None),
        "a": Subscription(False, 3.0, 8.0),
        "ad": Subscription(False, 2.0, 9.0),
        "b": Subscription(False, None, 4.0),
        "ba": Subscription(False, 6.0, 7.0),
    }
    lanes = [Lane("x", lane, topic) for lane, topic in enumerate(["", "a", "ab", "abc", "b", "ba"])]
    assert covered(topics, lanes) == {
        1: topics["a"],
        2: Subscription(True, 3.0, 8.0),
        3: Subscription(True, 3.0, 8.0),
        4: topics["b"],
        5: Subscription(False, 6.0, 7.0),
    }
    assert covered({"a": topics["ab"], "ab": topics["a"]}, lanes[2:3]) == {2: Subscription(True, 3.0, 8.0)}


@pytest.mark.parametrize(
    ("rows", "steps"),
    [
        ((wants("a", 1), leaves("a", 10), wants("a", 30)), [1, -1, 1]),
        ((wants("a", 1), leaves("a", 10), wants("b", 30)), [1, -1, 1]),
        ((wants("a", 1), wants("a", 2), leaves("a", 10), leaves("a", 11), wants("a", 30)), [1, -1, 1]),
        ((wants("a", 1), wants("b", 2), leaves("a", 10)), []),
        ((leaves("a", 1), wants("a", 2)), []),
    ],
)
def test_who_returned_changed_what_was_in_force(rows: tuple[Subscribed, ...], steps: list[int]) -> None:
    assert [change.step for change in changes_of_returner(rows)] == steps


def paused(
    *rows: Subscribed,
    receipt: Receipt = HALF,
    progress: tuple[Progress, ...] = READINGS,
    first_up_at: float | None = None,
) -> Pauses:
    """Return the pauses of y in the lane."""
    sockets = (replace(RECEIVER, first_up_at=first_up_at),)
    case = known(sockets=sockets, subscribed=rows, receipts=(receipt,), progress=progress)
    return pauses(case, owed(case, frozenset())).get(KEY, NO_PAUSES)


BACK = (wants("a"), leaves("a", 10), wants("a", 30))


@pytest.mark.parametrize(
    ("rows", "back_at"),
    [
        pytest.param(BACK, [30], id="to what it had left"),
        pytest.param((wants("a"), leaves("a", 10), wants("ab", 30)), [30], id="by another topic"),
        pytest.param((wants("a"), wants("ab"), leaves("a", 10), wants("a", 30)), [], id="another topic stays"),
        pytest.param((wants("a"), leaves("a", 10), wants("b", 30), wants("abc", 30)), [], id="to others"),
        pytest.param((*BACK, leaves("a", 40), wants("a", 50)), [30, 50], id="twice"),
        pytest.param((*BACK, leaves("a", 40)), [30], id="and left again"),
        pytest.param((*BACK, wants("ab", 35), leaves("ab", 40)), [30], id="and left one of two"),
        pytest.param((wants("a"), leaves("a", 10, 5), wants("ab", 10, 6), *BACK[2:]), [10], id="at once"),
        pytest.param((wants("a"), wants("ab", 10, 5), leaves("a", 10, 6), *BACK[2:]), [], id="never left"),
    ],
)  # fmt: skip
def test_a_receiver_came_back(rows: tuple[Subscribed, ...], back_at: list[float]) -> None:
    assert list(paused(*rows).back_at) == back_at


def test_numbers_sent_in_a_pause_behind_the_last_that_came_are_not_owed() -> None:
    assert paused(*BACK) == Pauses([30], skipped=[(50, 69)], unsure=[(70, 74)])


def test_who_had_caught_up_had_got_all_that_it_was_owed() -> None:
    assert paused(*BACK, receipt=replace(HALF, count=48, next=48)).skipped == [(48, 69)]
    assert paused(*BACK, receipt=replace(HALF, count=48, next=48, newest_sent_at=None)).skipped == [(50, 69)]


def test_nor_are_those_surely_owed_that_it_had_not_read_when_it_left() -> None:
    lagging = replace(HALF, count=45, next=45, newest_sent_at=7.0)
    assert paused(*BACK, receipt=lagging) == Pauses([30], skipped=[(50, 69)], unsure=[(45, 49), (70, 74)])


def test_what_was_sent_until_the_next_pause_is_owed_again() -> None:
    twice = (*BACK, leaves("a", 40), wants("a", 50))
    readings = (*READINGS, sample(39, 80), sample(45, 85), sample(51, 95))
    assert paused(*twice, progress=readings).skipped == [(50, 69), (80, 84)]
    assert paused(*twice, progress=readings).unsure == [(70, 79), (85, 94)]


def test_what_was_sent_soon_after_one_pause_may_be_of_the_next() -> None:
    soon = (*BACK, leaves("a", 30.4), wants("a", 50))
    assert paused(*soon) == Pauses([30, 50], skipped=[(50, 74)], unsure=[(75, 99)])


def test_a_message_sent_after_it_left_shows_that_it_was_back() -> None:
    assert paused(*BACK, receipt=replace(HALF, newest_sent_at=10.2)).skipped == [(50, 69)]
    assert paused(*BACK, receipt=replace(HALF, newest_sent_at=10.5)).skipped == []


def test_a_subscription_has_come_to_the_sender_a_moment_later() -> None:
    readings = (*READINGS[:-1], sample(30.2, 72), sample(31, 75))
    assert paused(*BACK, progress=readings).unsure == [(70, 74)]


def test_numbers_sent_in_a_pause_before_the_first_that_came_are_not_owed() -> None:
    late = replace(LATE, first=80)
    assert paused(*BACK, receipt=late) == Pauses([30], skipped=[(50, 74)], unsure=[(0, 49)])
    assert paused(wants("a", 6), *BACK[1:], receipt=late).unsure == [(40, 49)]
    assert paused(*BACK, receipt=late, first_up_at=6.0).unsure == [(40, 49)]
    assert paused(*BACK, receipt=replace(late, first=72)).skipped == [(50, 71)]
    assert paused(*BACK, receipt=replace(late, first=70)).skipped == [(50, 69)]
    assert paused(*BACK, receipt=replace(late, first=65)).skipped == []
    assert paused(*BACK, receipt=replace(late, got_first_at=29.0)).skipped == []


def test_before_the_first_reading_nothing_is_known_to_have_been_sent() -> None:
    assert paused(*BACK, progress=READINGS[-2:]) == Pauses([30], skipped=[(50, 69)], unsure=[(70, 74)])
    assert paused(*BACK, progress=READINGS[-1:]) == Pauses([30], unsure=[(50, 74)], skipped=[])


def test_without_readings_or_numbers_nothing_is_told_of_a_pause() -> None:
    assert paused(*BACK, progress=()) == Pauses([30])
    assert paused(*BACK, receipt=replace(HALF, by_count=True)) == NO_PAUSES


@pytest.mark.parametrize(
    ("first", "got_first_at", "subscribed_at"), [(60, 31.0, 30.0), (60, 29.0, 1.0), (0, 31.0, 1.0)]
)
def test_a_lane_that_began_to_come_after_a_pause_was_subscribed_to_since_then(
    first: int, got_first_at: float, subscribed_at: float
) -> None:
    case = known(subscribed=BACK, receipts=(replace(LATE, first=first, got_first_at=got_first_at),))
    due = owed(case, frozenset())
    assert since_the_first(due, pauses(case, due))[KEY].subscribed_at == subscribed_at
