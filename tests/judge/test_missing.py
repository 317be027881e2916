"""Which numbers a receiver lacks, and how many more."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Link, Socket
from hopwatch_judge.events import Gap
from hopwatch_judge.expected.by_count import before_joining, unlocated
from hopwatch_judge.expected.missing import missing, told_apart
from hopwatch_judge.expected.owed import owed
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Missing, Owed
from judged import KEY, LANE, RECEIPT, RECEIVER, SENDER, WAY, known, sample, wants

OWED = Owed(
    "x", "y", 0, 1, 100, 0, 100, 0, 150.0, 150.1, 3.0, 100, False, None, 1.0, False, 100, None, 100, False
)
NOTHING = replace(OWED, count=0, next=0, newest_sent_at=None)
GAP = Gap("x", "y", 0, "gap", 40, 49, 10, 39, 50, 80.0, 81.0, 60, 81.1)


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        (OWED, []),
        (replace(OWED, first=10), [(0, 9, "head")]),
        (replace(OWED, next=80), [(80, 99, "tail")]),
        (replace(OWED, next=80, sure_end=90), [(80, 89, "tail"), (90, 99, "unsure")]),
        (NOTHING, [(0, 99, "all")]),
        (replace(NOTHING, joined_at_number=30), [(0, 29, "all"), (30, 99, "all")]),
        (replace(NOTHING, joined_at_number=200), [(0, 99, "all")]),
        (replace(NOTHING, sure_end=0), [(0, 99, "unsure")]),
        (replace(NOTHING, by_count=True), []),
    ],
)
def test_ends_of_a_lane_are_missing(each: Owed, expected: list[tuple[int, int, str]]) -> None:
    assert [(one.first, one.last, one.part) for one in missing(each, (), ())] == expected


def test_a_tail_tells_when_the_last_message_before_it_was_sent() -> None:
    tail, unsure = missing(replace(OWED, next=80, came=3, sure_end=90), (), ())
    assert (tail.before_sent_at, tail.sparse) == (150.0, True)
    assert (unsure.before_sent_at, unsure.sparse) == (150.0, False)
    assert not next(missing(replace(OWED, next=80), (), ())).sparse


def test_a_gap_is_missing_with_all_that_is_known_of_it() -> None:
    others = [GAP._replace(action=action, first=20, last=29) for action in ("late", "skipped")]
    assert list(missing(OWED, [GAP, *others], ())) == [
        Missing("x", "y", 0, 40, 49, "inner", 39, 50, 80.0, 81.0, 81.1)
    ]
    assert next(missing(OWED, [GAP._replace(sparse=True)], ())).sparse


def test_what_came_late_or_was_not_owed_is_not_missing() -> None:
    found = missing(replace(OWED, first=10), [GAP], [(5, 6), (9, 40), (45, 46)])
    assert [(one.first, one.last) for one in found] == [(0, 4), (7, 8), (41, 44), (47, 49)]


def test_what_may_not_have_been_owed_is_told_apart() -> None:
    ranges = [Missing(*KEY, 10, 29, "tail"), Missing(*KEY, 50, 59, "tail")]
    assert [(one.first, one.last, one.part) for one in told_apart(ranges, [(5, 14), (25, 40)])] == [
        (15, 24, "tail"),
        (10, 14, "unsure"),
        (25, 29, "unsure"),
        (50, 59, "tail"),
    ]


SAMPLES = (sample(5, 30), sample(9, 80), sample(9.5, 90, kind="final"))
BY_COUNT = replace(RECEIPT, count=40, next=0, by_count=True)


@pytest.mark.parametrize(
    ("count", "subscribed_at", "connected_at", "last"),
    [
        (5, 9.6, 2.0, 79),
        (40, 6.0, 2.0, 29),
        (40, 2.0, 6.0, 29),
        (40, 9.6, 2.0, 59),
        (40, 4.0, 2.0, None),
        (100, 6.0, 2.0, None),
    ],
)
def test_counts_alone_leave_out_what_was_sent_before_the_receiver_was_there(
    count: int, subscribed_at: float, connected_at: float, last: int | None
) -> None:
    case = known(
        receipts=(replace(BY_COUNT, count=count),),
        subscribed=(wants("a", subscribed_at),),
        links=(Link("x", "y", connected_at=connected_at),),
        progress=SAMPLES,
    )
    assert before_joining(case, owed(case, frozenset())).get(KEY) == (None if last is None else (0, last))


def test_numbers_that_came_are_not_held_against_the_senders_count() -> None:
    case = known(links=(Link("x", "y", connected_at=6.0),), progress=SAMPLES)
    assert before_joining(case, owed(case, frozenset())) == {}


def accounts(
    *sockets: Socket, by_count: bool = True, moved_at: float | None = 198.0, hops: int = 1
) -> dict[tuple[int | None, str], int]:
    """Return how many messages of what cause, where 15 are missing of each of two lanes."""
    lanes = tuple(replace(LANE, lane=lane) for lane in (0, 1))
    receipts = [replace(BY_COUNT, lane=lane, by_count=by_count, moved_at=moved_at) for lane in (0, 1)]
    ways = (replace(WAY, hops=WAY.hops * hops),)
    case = known(sockets=sockets, ways=ways, lanes=lanes, receipts=tuple(receipts))
    due = owed(case, frozenset())
    found = unlocated(case, due, dict.fromkeys(due, 15), {})
    return {(each.lane, each.cause): each.messages for each in found}


ALL_IN_FLIGHT = {(0, IN_FLIGHT): 15, (1, IN_FLIGHT): 15}
NONE_IN_FLIGHT = {(0, UNEXPLAINED): 15, (1, UNEXPLAINED): 15}
AS_MANY_AS_FIT = {(0, IN_FLIGHT): 15, (1, IN_FLIGHT): 5, (1, UNEXPLAINED): 10}
GONE = replace(SENDER, ended_at=199.0)


def test_as_many_as_the_queues_hold_may_be_in_flight() -> None:
    assert accounts() == AS_MANY_AS_FIT
    assert accounts(replace(SENDER, sndhwm=0)) == ALL_IN_FLIGHT
    assert accounts(replace(RECEIVER, rcvhwm=None)) == ALL_IN_FLIGHT
    assert accounts(hops=2) == ALL_IN_FLIGHT


def test_only_while_the_receiver_may_get_them() -> None:
    assert accounts(replace(RECEIVER, ended_at=199.0)) == NONE_IN_FLIGHT
    assert accounts(GONE) == AS_MANY_AS_FIT
    assert accounts(GONE, moved_at=190.0) == accounts(GONE, moved_at=None) == NONE_IN_FLIGHT
    assert accounts(moved_at=190.0) == AS_MANY_AS_FIT


def test_numbers_that_are_nowhere_are_unexplained() -> None:
    assert accounts(by_count=False) == NONE_IN_FLIGHT


def test_an_account_is_of_the_last_hop_and_what_was_not_heard_of_is_in_flight() -> None:
    case = known()
    (account,) = unlocated(case, owed(case, frozenset()), {}, {KEY: 7})
    assert (account.from_socket, account.to_socket, account.depth) == ("x", "y", 1)
    assert (account.cause, account.messages, account.mark, account.exact) == (IN_FLIGHT, 7, "y", False)
