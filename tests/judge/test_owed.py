"""What a receiver is owed: what was sent while it was there, and wanted it."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Down, Link, Receipt, Socket, Way
from hopwatch_judge.events import Progress, Subscribed
from hopwatch_judge.expected.handed_on import without_handed_on
from hopwatch_judge.expected.heard import as_heard, not_heard_of
from hopwatch_judge.expected.owed import owed
from hopwatch_judge.steps import Owed
from judged import KEY, LANE, NOTHING_CAME, RECEIPT, RECEIVER, WAY, known, leaves, sample, wants

NOBODY = frozenset[tuple[str, str, int]]()
HALF = replace(RECEIPT, count=50, next=50, newest_sent_at=40.0)
LEFT = replace(WAY, receiver_left_first=True, left_at=60.0, left_n=7)
BY_OTHER_CLOCK = replace(LEFT, left_elsewhere=True)


def ends(each: Owed) -> tuple[int, int]:
    return each.sure_end, each.end


def test_who_is_there_is_owed_all_that_was_sent() -> None:
    assert ends(owed(known(receipts=(HALF,)), NOBODY)[KEY]) == (100, 100)


@pytest.mark.parametrize(
    ("way", "readings", "expected"),
    [
        pytest.param(LEFT, (), (50, 50), id="as far as it came, if nothing is known"),
        pytest.param(LEFT, (sample(59, 70), sample(61, 90)), (70, 70), id="by the last reading before"),
        pytest.param(LEFT, (sample(59, 30),), (50, 50), id="at least as far as it came"),
        pytest.param(LEFT, (sample(60.5, 80, n=8),), (80, 80), id="by what was written when it was seen gone"),
        pytest.param(LEFT, (sample(61.5, 80, n=8),), (50, 50), id="but not if that was much later"),
        pytest.param(LEFT, (sample(60.5, 80, n=10),), (80, 80), id="a few events later"),
        pytest.param(LEFT, (sample(60.5, 80, n=11),), (50, 50), id="but not many events later"),
        pytest.param(LEFT, (sample(60.5, 80, n=7),), (50, 50), id="nor before that"),
        pytest.param(LEFT, (sample(60.2, 80, n=8), sample(60.5, 90, n=9)), (80, 80), id="nor in a later event"),
        pytest.param(replace(LEFT, left_n=None), (sample(60.5, 80, n=8),), (50, 50), id="nor if it was not seen"),
        pytest.param(replace(LEFT, left_sent=75), (), (75, 75), id="by the stream's count"),
        pytest.param(replace(LEFT, left_sent=120), (), (100, 100), id="which may have counted further"),
        pytest.param(replace(LEFT, left_unsure=True), (sample(59, 70),), (50, 100), id="not surely if it is not known when"),
        pytest.param(replace(WAY, left_unsure=True), (), (50, 100), id="nor whether it left"),
        pytest.param(BY_OTHER_CLOCK, (sample(59, 70),), (70, 70), id="by another clock, long before"),
        pytest.param(BY_OTHER_CLOCK, (sample(59.8, 70),), (50, 70), id="by another clock, shortly before"),
    ],
)  # fmt: skip
def test_who_left_is_owed_what_was_sent_until_then(
    way: Way, readings: tuple[Progress, ...], expected: tuple[int, int]
) -> None:
    each = owed(known(ways=(way,), progress=readings, receipts=(HALF,)), NOBODY)[KEY]
    assert ends(each) == expected
    assert each.owed_until == (None if way.left_unsure else way.left_at)


def test_counts_of_a_stream_are_those_of_its_only_lane_alone() -> None:
    way = replace(LEFT, left_sent=60, sent_when_joined=20)
    begun_at_10 = owed(known(ways=(way,), lanes=(replace(LANE, counted_from=10),), receipts=(HALF,)), NOBODY)
    of_several = owed(known(ways=(way,), lanes=(replace(LANE, counted_from=None),), receipts=(HALF,)), NOBODY)
    assert (begun_at_10[KEY].end, begun_at_10[KEY].joined_at_number) == (70, 30)
    assert (of_several[KEY].end, of_several[KEY].joined_at_number) == (50, None)


@pytest.mark.parametrize(
    ("subscribed", "receipt", "is_owed"),
    [
        ((), NOTHING_CAME, True),
        ((), None, False),
        ((wants("b"),), None, False),
        ((wants("a"),), None, True),
        ((wants(""),), None, True),
        ((wants("abc"),), None, False),
        ((leaves("a", 5),), None, True),
        ((wants("b"),), HALF, True),
    ],
)
def test_a_lane_is_owed_if_it_is_known_to_have_been_wanted(
    subscribed: tuple[Subscribed, ...], receipt: Receipt | None, is_owed: bool
) -> None:
    receipts = () if receipt is None else (receipt,)
    assert (KEY in owed(known(subscribed=subscribed, receipts=receipts), NOBODY)) == is_owed


def test_who_tells_of_no_subscription_has_not_unsubscribed() -> None:
    assert not owed(known(subscribed=()), NOBODY)[KEY].unsubscribed


def test_who_left_another_topic_wants_it_all_the_same() -> None:
    each = owed(known(subscribed=(wants("a"), wants("ab"), leaves("ab", 50)), receipts=(HALF,)), NOBODY)[KEY]
    assert (each.end, each.unsubscribed, each.owed_until) == (100, False, None)


@pytest.mark.parametrize(("way", "until"), [(LEFT, 50.0), (replace(LEFT, left_at=40.0), 40.0)])
def test_it_is_owed_until_the_receiver_left_or_unsubscribed(way: Way, until: float) -> None:
    assert owed(known(ways=(way,), subscribed=(wants("a"), leaves("a", 50))), NOBODY)[KEY].owed_until == until


def test_who_left_behind_its_sender_is_owed_all() -> None:
    each = owed(known(ways=(replace(WAY, left_at=60.0),), receipts=(HALF,)), NOBODY)[KEY]
    assert (each.end, each.owed_until) == (100, None)


@pytest.mark.parametrize(
    ("newest_sent_at", "readings", "expected"),
    [
        pytest.param(59.8, (sample(58, 70), sample(61, 90)), (50, 50), id="it had read all there was"),
        pytest.param(60.2, (sample(58, 70), sample(61, 90)), (50, 50), id="it had by other clocks"),
        pytest.param(40.0, (sample(58, 70), sample(61, 90)), (70, 90), id="between two readings"),
        pytest.param(None, (sample(58, 70), sample(61, 90)), (70, 90), id="nothing tells when that was sent"),
        pytest.param(40.0, (sample(58, 70),), (70, 100), id="before the last reading"),
        pytest.param(40.0, (sample(61, 90),), (50, 90), id="before the first reading"),
        pytest.param(40.0, (sample(58, 20), sample(61, 30)), (50, 50), id="at least as far as it came"),
        pytest.param(70.0, (sample(58, 70), sample(61, 90)), (50, 100), id="it got what was sent long after"),
    ],
)
def test_who_unsubscribed_is_owed_what_was_sent_until_then(
    newest_sent_at: float | None, readings: tuple[Progress, ...], expected: tuple[int, int]
) -> None:
    receipt = replace(HALF, newest_sent_at=newest_sent_at)
    case = known(subscribed=(wants("a"), leaves("a", 60.0)), progress=readings, receipts=(receipt,))
    each = owed(case, NOBODY)[KEY]
    assert ends(each) == expected
    assert (each.unsubscribed, each.owed_until) == (True, 60.0)


def test_who_is_not_known_to_have_subscribed_is_owed_what_came() -> None:
    each = owed(known(subscribed=(wants("b"),), receipts=(HALF,), progress=(sample(58, 70),)), NOBODY)[KEY]
    assert (ends(each), each.unsubscribed, each.owed_until) == ((50, 50), True, None)


def test_a_subscription_is_asked_for_once_there_is_a_connection() -> None:
    connected = replace(RECEIVER, first_up_at=8.0)
    assert owed(known(sockets=(connected,)), NOBODY)[KEY].subscribed_at == 8.0
    assert owed(known(), NOBODY)[KEY].subscribed_at == 1.0


@pytest.mark.parametrize("sender", ["PUSH", "DEALER", "REQ", "REP"])
def test_what_a_load_balancing_socket_sends_is_owed_to_nobody_in_particular(sender: str) -> None:
    assert owed(known(sockets=(Socket("x", type=sender),)), NOBODY) == {}


def test_what_cannot_be_checked_is_left_out() -> None:
    assert owed(known(not_checked=frozenset({KEY})), NOBODY) == {}


def test_a_lane_of_a_router_is_owed_to_its_peer_alone() -> None:
    sockets = (Socket("x", type="ROUTER"), Socket("y", type="DEALER"))
    lanes = tuple(replace(LANE, lane=lane) for lane in range(3))
    case = known(sockets=sockets, lanes=lanes, ways=(LEFT,), receipts=(HALF,))
    due = owed(case, frozenset({("x", "y", 2)}))
    assert {lane: ends(each) for (_, _, lane), each in due.items()} == {0: (50, 50), 2: (100, 100)}
    assert (due["x", "y", 0].owed_until, due["x", "y", 2].owed_until) == (60.0, None)


def test_what_came_behind_the_last_stamp_has_the_numbers_next_to_it() -> None:
    few = owed(known(receipts=(replace(HALF, since=20),)), NOBODY)[KEY]
    many = owed(known(receipts=(replace(HALF, since=70),)), NOBODY)[KEY]
    assert (few.came, few.count, few.next) == (20, 70, 70)
    assert (many.came, many.count, many.next) == (50, 100, 100)


def test_of_a_lane_that_is_known_by_count_no_more_is_owed_than_surely_was() -> None:
    unsure = replace(WAY, left_unsure=True)
    assert ends(owed(known(ways=(unsure,), receipts=(replace(HALF, by_count=True),)), NOBODY)[KEY]) == (
        50,
        50,
    )


OF_NEXT_ONE = Receipt("x", 0, "z", count=20, first=80, next=100)
CLOSED = replace(LEFT, left_sent=95)


@pytest.mark.parametrize(
    ("way", "receipt", "expected"),
    [
        (CLOSED, OF_NEXT_ONE, (80, 80)),
        (CLOSED, replace(OF_NEXT_ONE, first=50), (50, 50)),
        (replace(CLOSED, left_sent=70), OF_NEXT_ONE, (70, 70)),
        (WAY, OF_NEXT_ONE, (100, 100)),
        (CLOSED, replace(OF_NEXT_ONE, first=40), (95, 95)),
        (CLOSED, replace(OF_NEXT_ONE, by_count=True), (95, 95)),
        (CLOSED, replace(OF_NEXT_ONE, count=0), (95, 95)),
        (CLOSED, replace(OF_NEXT_ONE, receiver="w", first=60), (95, 95)),
        (CLOSED, replace(OF_NEXT_ONE, receiver="far", first=60), (95, 95)),
        (replace(CLOSED, hops=WAY.hops * 2), OF_NEXT_ONE, (95, 95)),
    ],
)
def test_what_the_queue_brought_to_the_next_one_is_not_owed_to_who_left(
    way: Way, receipt: Receipt, expected: tuple[int, int]
) -> None:
    hops = {"z": 1, "w": 1, "far": 2}
    case = known(
        sockets=[Socket(name, type="PULL") for name in ("y", *hops)],
        ways=(way, *(replace(WAY, receiver=name, hops=WAY.hops * length) for name, length in hops.items())),
        links=[Link("x", name, former_downs=(Down(60.0, 61.0, "y"),)) for name in ("z", "far")],
        receipts=(HALF, receipt),
    )
    assert ends(without_handed_on(case, owed(case, NOBODY))[KEY]) == expected


def test_of_several_that_came_next_the_first_number_counts() -> None:
    case = known(
        sockets=[Socket(name, type="PULL") for name in "yzw"],
        ways=(CLOSED, *(replace(WAY, receiver=name) for name in "zw")),
        links=[Link("x", name, former_downs=(Down(60.0, 61.0, "y"),)) for name in "zw"],
        receipts=(HALF, OF_NEXT_ONE, replace(OF_NEXT_ONE, receiver="w", first=90)),
    )
    assert ends(without_handed_on(case, owed(case, NOBODY))[KEY]) == (80, 80)


@pytest.mark.parametrize(
    ("heard_until", "readings", "unheard"),
    [
        (100.0, (sample(90, 70), sample(110, 90)), (70, 99)),
        (100.0, (), (50, 99)),
        (100.0, (sample(90, 100),), None),
        (150.0, (), None),
        (None, (), None),
    ],
)
def test_what_was_sent_since_its_host_told_of_anything_is_not_owed_yet(
    heard_until: float | None, readings: tuple[Progress, ...], unheard: tuple[int, int] | None
) -> None:
    case = known(sockets=(replace(RECEIVER, heard_until=heard_until),), progress=readings, receipts=(HALF,))
    due = owed(case, NOBODY)
    found = not_heard_of(case, due)
    assert found.get(KEY) == unheard
    each = as_heard(case, due, found)[KEY]
    end = 100 if unheard is None else unheard[0]
    assert (ends(each), each.heard_until) == ((end, end), heard_until)
