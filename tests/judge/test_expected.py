"""All that receivers were owed: numbers that are missing, and counts of those that are nowhere."""

from dataclasses import replace

from hopwatch_judge.case import Down, Link, Socket, Totals
from hopwatch_judge.events import Accepted, Gap, Onset, Swallowed
from hopwatch_judge.expected.expected import expected
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Expected
from judged import KEY, LANE, RECEIPT, RECEIVER, WAY, known, leaves, sample, wants

HALF = replace(RECEIPT, count=50, next=50, newest_sent_at=9.9)
ROUTER = Socket("x", type="ROUTER", sequence="stamp", probed=True)
DEALER = Socket("y", type="DEALER")


def gap(first: int, last: int, action: str = "gap", lost: int | None = None) -> Gap:
    return Gap("x", "y", 0, action, first, last, lost)


def lacks(found: Expected) -> list[tuple[int, int, str]]:
    return [(each.first, each.last, each.part) for each in found.missing]


def nowhere(found: Expected) -> list[tuple[str, int]]:
    return [(each.cause, each.messages) for each in found.unlocated]


def test_who_got_everything_lacks_nothing() -> None:
    found = expected(known())
    assert found.owed.keys() == {KEY}
    assert found.ranges == {KEY: [(0, 99)]}
    assert (lacks(found), nowhere(found), found.unheard, found.routed) == ([], [], {}, [])


def test_what_came_late_was_owed_and_what_was_skipped_was_not() -> None:
    rows = (gap(10, 19), gap(15, 15, "late"), gap(40, 49, "skipped"))
    found = expected(known(receipts=(replace(RECEIPT, count=81),), gaps=rows))
    assert found.ranges[KEY] == [(0, 39), (50, 99)]
    assert lacks(found) == [(10, 14, "inner"), (16, 19, "inner")]
    assert nowhere(found) == []


def test_what_is_neither_there_nor_known_to_be_missing_is_counted() -> None:
    found = expected(known(receipts=(replace(RECEIPT, count=70),), gaps=(gap(10, 19),)))
    assert nowhere(found) == [(UNEXPLAINED, 20)]


def test_a_gap_of_sparse_stamps_is_cut_down() -> None:
    found = expected(known(receipts=(replace(RECEIPT, count=96),), gaps=(gap(10, 19, lost=4),)))
    assert (lacks(found), nowhere(found)) == ([(10, 13, "inner")], [])


def test_what_came_last_of_all_stands_for_what_a_tail_lacks_in_its_midst() -> None:
    onsets = (Onset("x", 60, 0, 60, 50.0),)
    found = expected(known(receipts=(replace(HALF, since=20),), onsets=onsets))
    assert lacks(found) == [(60, 89, "tail")]
    assert (found.owed[KEY].next, nowhere(found)) == (60, [])


def test_of_a_pause_nothing_is_owed_but_what_came_late() -> None:
    readings = (sample(5, 40), sample(9, 50), sample(12, 55), sample(25, 70), sample(31, 75))
    rows = (wants("a"), leaves("a", 10), wants("a", 30))
    case = known(
        subscribed=rows, receipts=(replace(HALF, count=51),), gaps=(gap(60, 60, "late"),), progress=readings
    )
    found = expected(case)
    assert found.ranges[KEY] == [(0, 49), (60, 60), (70, 99)]
    assert lacks(found) == [(75, 99, "tail"), (70, 74, "unsure")]
    assert nowhere(found) == []


def test_who_joined_a_pause_later_is_subscribed_since_then() -> None:
    late = replace(RECEIPT, count=40, first=60, got_first_at=31.0)
    rows = (wants("a"), leaves("a", 10), wants("a", 30))
    assert expected(known(subscribed=rows, receipts=(late,))).owed[KEY].subscribed_at == 30.0


def test_what_was_sent_before_a_receiver_joined_is_not_among_what_counts_lack() -> None:
    by_count = replace(RECEIPT, count=40, next=0, by_count=True)
    joined = (Link("x", "y", connected_at=6.0),)
    found = expected(known(receipts=(by_count,), links=joined, progress=(sample(5, 30),)))
    assert found.ranges[KEY] == [(30, 99)]
    assert nowhere(found) == [(IN_FLIGHT, 20), (UNEXPLAINED, 10)]


def test_a_lane_of_which_more_came_than_was_sent_leaves_the_queues_as_they_are() -> None:
    lanes = (LANE, replace(LANE, lane=1))
    more, less = (
        replace(RECEIPT, lane=lane, count=count, next=0, by_count=True) for lane, count in ((0, 110), (1, 70))
    )
    assert nowhere(expected(known(lanes=lanes, receipts=(more, less)))) == [
        (IN_FLIGHT, 20),
        (UNEXPLAINED, 10),
    ]


def test_what_the_next_one_at_the_same_place_got_is_not_owed() -> None:
    next_one = replace(RECEIPT, receiver="z", count=40, first=60)
    case = known(
        sockets=[Socket(name, type="PULL") for name in "yz"],
        ways=(replace(WAY, receiver_left_first=True, left_sent=95), replace(WAY, receiver="z")),
        links=(Link("x", "z", former_downs=(Down(60.0, 61.0, "y"),)),),
        receipts=(HALF, next_one),
    )
    assert expected(case).ranges[KEY] == [(0, 59)]


def test_what_was_sent_since_a_host_fell_silent_is_in_flight() -> None:
    case = known(
        sockets=(replace(RECEIVER, heard_until=100.0),), receipts=(HALF,), progress=(sample(90, 70),)
    )
    found = expected(case)
    assert found.unheard == {KEY: [(70, 99)]}
    assert (found.ranges[KEY], lacks(found), nowhere(found)) == (
        [(0, 69)],
        [(50, 69, "tail")],
        [(IN_FLIGHT, 30)],
    )


def test_what_a_router_swallowed_is_told_by_itself() -> None:
    case = known(
        sockets=(ROUTER, DEALER),
        receipts=(replace(RECEIPT, count=90),),
        gaps=(gap(10, 19),),
        swallowed=(Swallowed("x", 0, 12, 14, 50.0),),
        totals={"x": Totals("x", sent=100, unroutable=3)},
    )
    found = expected(case)
    assert lacks(found) == [(10, 11, "inner"), (15, 19, "inner")]
    assert [(each.cause, each.messages) for each in found.routed] == [("unroutable", 3)]


def test_what_went_to_an_earlier_peer_of_a_router_is_not_owed_to_the_next() -> None:
    former, later = replace(HALF, receiver="y"), replace(RECEIPT, receiver="z", count=50, first=50, next=100)
    ways = (replace(WAY, receiver_left_first=True, left_at=20.0), replace(WAY, receiver="z"))
    found = expected(
        known(sockets=(ROUTER, DEALER, replace(DEALER, id="z")), ways=ways, receipts=(former, later))
    )
    assert found.ranges == {KEY: [(0, 49)], ("x", "z", 0): [(50, 99)]}
    assert lacks(found) == []


def test_a_routers_lane_that_nobody_got_is_nobodys() -> None:
    case = known(sockets=(ROUTER, DEALER), lanes=(LANE, replace(LANE, lane=1, sent=7)))
    assert [(each.mark, each.messages) for each in expected(case).routed] == [("unreached", 7)]


def test_unless_it_can_only_be_a_known_peers() -> None:
    case = known(
        sockets=(ROUTER, DEALER),
        lanes=(LANE, replace(LANE, lane=1, sent=7)),
        accepted=(Accepted("x", accepted=True, peer="y"),) * 2,
    )
    assert [(each.lane, each.first, each.last) for each in expected(case).missing] == [(1, 0, 6)]


def test_what_a_dead_router_had_counted_is_among_what_nobody_got() -> None:
    dead = replace(ROUTER, end="died", ended_at=160.0)
    case = known(
        sockets=(dead, DEALER),
        lanes=(LANE, replace(LANE, lane=1, sent=7)),
        totals={"x": Totals("x", sent=107, unroutable=7)},
    )
    assert [(each.cause, each.messages) for each in expected(case).routed] == [("unroutable", 7)]


def test_but_not_what_may_have_been_lost_otherwise() -> None:
    dead = replace(ROUTER, end="died", ended_at=160.0)
    case = known(
        sockets=(dead, DEALER),
        receipts=(replace(RECEIPT, count=93),),
        totals={"x": Totals("x", sent=100, unroutable=7)},
    )
    assert nowhere(expected(case)) == [(UNEXPLAINED, 7)]
    assert expected(case).routed == []
