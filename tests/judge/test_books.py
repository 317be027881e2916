"""What receivers got, what passed each hop, and what is told less surely."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hopwatch_judge import unreceived
from hopwatch_judge.books import Delivered, Passed, delivered, passed
from hopwatch_judge.case import Case, Hop, Lane, Receipt, Socket, Totals, Way
from hopwatch_judge.doubts import doubted
from hopwatch_judge.known import Known
from hopwatch_judge.steps import Account, Expected, Owed

OWED = Owed("x", "y", 0, 2, 6, 0, 10, 0, None, None, None, 10, False, None, None, False, 10, None, 10, False)
NOTHING_OWED = Expected({}, {}, [], [], {}, [])
THROUGH_PROXY = (Hop("x", "front"), Hop("back", "y"))
LOST = Account("x", "y", 0, "3-6", 4, 2, "back", "y", "slow_receiver", True)
SOCKETS = {
    "x": Socket("x", type="PUB"),
    "y": Socket("y", type="SUB"),
    "z": Socket("z", type="SUB"),
    "front": Socket("front", type="XSUB", passes_to="back"),
    "back": Socket("back", type="XPUB", passes_to="front"),
}


def known(
    *ways: Way,
    sockets: Mapping[str, Socket] = SOCKETS,
    lanes: tuple[Lane, ...] = (Lane("x", 0, sent=10),),
    receipts: tuple[Receipt, ...] = (),
    totals: Mapping[str, Totals] | None = None,
    window: frozenset[str] | None = None,
    unreadable: bool = False,
) -> Known:
    """Return a case of these ways: if none are told, of one to y through a proxy."""
    told = ways or (Way("x", "y", THROUGH_PROXY),)
    return Known(
        Case(
            200.0, 5.0, sockets, {}, told, lanes, receipts, totals or {}, window=window, unreadable=unreadable
        )
    )


def expected(*owed: Owed) -> Expected:
    """Return that all numbers of these lanes are owed."""
    return replace(
        NOTHING_OWED,
        owed={each.key: each for each in owed},
        ranges={each.key: [(0, each.end - 1)] for each in owed},
    )


def test_a_receiver_got_what_came_of_its_lanes() -> None:
    got = delivered(known(), expected(OWED, replace(OWED, lane=1, count=3)), {})
    assert got == [Delivered("x", "y", 9)]


def test_of_a_shared_out_stream_each_got_what_it_counted() -> None:
    pusher = SOCKETS | {"x": Socket("x", type="PUSH")}
    case = known(sockets=pusher, receipts=(Receipt("x", 0, "y", count=5, since=2),))
    assert delivered(case, NOTHING_OWED, {}) == [Delivered("x", "y", 7)]


def test_what_came_though_no_lane_tells_is_delivered() -> None:
    assert delivered(known(), expected(OWED), {("x", "y"): 4}) == [Delivered("x", "y", 10)]


def test_streams_before_the_window_are_in_no_book() -> None:
    assert delivered(known(window=frozenset()), expected(OWED), {}) == []


def test_what_was_lost_behind_a_proxy_had_passed_the_hop_before() -> None:
    rows = passed(known(), expected(OWED), [LOST], [Delivered("x", "y", 6)])
    assert set(rows) == {Passed("x", "x", "front", 10, 10, 0, 0, 0), Passed("x", "back", "y", 10, 6, 4, 0, 0)}


def test_what_was_lost_before_a_proxy_never_came_as_far_as_the_hop_behind() -> None:
    before = LOST._replace(depth=1, from_socket="x", to_socket="front")
    rows = passed(known(), expected(OWED), [before], [Delivered("x", "y", 6)])
    assert set(rows) == {Passed("x", "x", "front", 10, 6, 4, 0, 0), Passed("x", "back", "y", 6, 6, 0, 0, 0)}


def test_what_two_receivers_lack_before_a_proxy_was_lost_once() -> None:
    ways = (Way("x", "y", THROUGH_PROXY), Way("x", "z", (Hop("x", "front"), Hop("back", "z"))))
    before = LOST._replace(depth=1, from_socket="x", to_socket="front")
    rows = passed(
        known(*ways),
        expected(OWED, replace(OWED, receiver="z")),
        [before, before._replace(receiver="z")],
        [Delivered("x", "y", 6), Delivered("x", "z", 6)],
    )
    assert Passed("x", "x", "front", 10, 6, 4, 0, 0) in rows


def test_what_a_shared_out_stream_lost_before_a_proxy_was_sent_along_the_first_hop() -> None:
    pusher = SOCKETS | {"x": Socket("x", type="PUSH")}
    nobodys = LOST._replace(receiver=None, depth=1, from_socket="x", to_socket="front")
    rows = passed(known(sockets=pusher), NOTHING_OWED, [nobodys], [Delivered("x", "y", 6)])
    assert Passed("x", "x", "front", 10, 6, 4, 0, 0) in rows


@pytest.mark.parametrize("to_socket", [None, ""])
def test_what_nobody_was_there_for_is_on_a_hop_that_leads_nowhere(to_socket: str | None) -> None:
    account = LOST._replace(
        receiver=None, from_socket="x", to_socket=to_socket, cause="unexplained", exact=False
    )
    assert Passed("x", "x", to_socket, 4, 0, 0, 0, 4) in passed(known(), NOTHING_OWED, [account], [])


def with_socket(name: str, **told: object) -> dict[str, Socket]:
    """Return the sockets, of one of which more is told."""
    return SOCKETS | {name: replace(SOCKETS[name], **told)}  # type: ignore[arg-type]


BESIDE = (
    Way("x", "y", THROUGH_PROXY),
    Way("w", "z", (Hop("w", "front"), Hop("back", "z"))),
    Way("x", "z", (Hop("x", "front"), Hop("back", "z"))),
)
OTHERS = LOST._replace(stream="w", receiver="z")
UNEXPLAINED = LOST._replace(cause="unexplained", exact=False)


@pytest.mark.parametrize("name", ["x", "y", "front"])
def test_on_a_way_with_a_host_of_which_a_file_is_unreadable_nothing_is_explained(name: str) -> None:
    case = known(sockets=with_socket(name, unreadable=True), unreadable=True)
    assert doubted(case, [LOST]).accounts == [UNEXPLAINED]


def test_who_is_known_by_nobodys_word_may_be_on_that_host() -> None:
    others = {name: socket for name, socket in SOCKETS.items() if name != "y"}
    assert doubted(known(sockets=others, unreadable=True), [LOST]).accounts == [UNEXPLAINED]
    assert doubted(known(sockets=others), [LOST]).accounts == [LOST]


def test_ways_that_share_a_proxy_with_such_a_way_are_doubted_too() -> None:
    case = known(
        *BESIDE, sockets=with_socket("y", unreadable=True) | {"w": Socket("w", type="PUB")}, unreadable=True
    )
    assert doubted(case, [OTHERS]).accounts == [OTHERS._replace(cause="unexplained", exact=False)]


def test_of_a_sender_there_with_no_receiver_nothing_is_explained() -> None:
    sockets = SOCKETS | {"v": Socket("v", type="PUSH", unreadable=True)}
    nobodys = Account("v", None, 0, "nobody", 4, 1, "v", None, "closed", True)
    (told,) = doubted(known(sockets=sockets, unreadable=True), [nobodys]).accounts
    assert (told.cause, told.exact) == ("unexplained", False)


def test_what_may_be_on_its_way_stays_so() -> None:
    waits = LOST._replace(cause="in_flight", exact=False)
    assert doubted(known(sockets=with_socket("y", unreadable=True), unreadable=True), [waits]).accounts == [
        waits
    ]


def test_where_events_are_lost_nothing_is_exact() -> None:
    sockets = with_socket("y", loses_events=True) | {"w": Socket("w", type="PUB")}
    told = doubted(known(*BESIDE, sockets=sockets), [LOST, OTHERS]).accounts
    assert told == [LOST._replace(exact=False), OTHERS._replace(exact=False)]


def test_who_may_be_read_past_us_may_have_what_it_lacks() -> None:
    other = LOST._replace(receiver="z", to_socket="z")
    case = known(*BESIDE, sockets=with_socket("y", read_past=True))
    assert doubted(case, [LOST, other]).accounts == [UNEXPLAINED, other._replace(exact=False)]


def test_of_a_faulty_receiver_nothing_is_explained_and_others_are_told() -> None:
    other = LOST._replace(receiver="z", to_socket="z")
    case = known(*BESIDE, sockets=with_socket("y", faulty=True))
    assert doubted(case, [LOST, other]).accounts == [UNEXPLAINED, other._replace(exact=False)]


def test_of_a_faulty_sender_ways_that_share_its_proxy_are_doubted_too() -> None:
    sockets = with_socket("x", faulty=True) | {"w": Socket("w", type="PUB")}
    (told,) = doubted(known(*BESIDE, sockets=sockets), [OTHERS]).accounts
    assert told.cause == "unexplained"


@pytest.mark.parametrize(("received", "came"), [(10, {("x", "y"): 4}), (9, {})])
def test_what_a_faulty_receiver_lacks_came_if_its_own_count_says_so(
    received: int, came: dict[tuple[str, str], int]
) -> None:
    case = known(
        sockets=with_socket("y", faulty=True),
        receipts=(Receipt("x", 0, "y", count=5, since=1),),
        totals={"y": Totals("y", received=received)},
    )
    told = doubted(case, [LOST])
    assert told.came == came
    assert bool(told.accounts) != bool(came)


@pytest.mark.parametrize(
    ("sender", "told"),
    [
        (Socket("x", type="PUSH"), ("unexplained", False)),
        (Socket("x", type="PUSH", never_connected=True), ("in_flight", False)),
        (
            Socket("x", type="PUSH", never_connected=True, end="closed", ended_at=9.0, linger=0),
            ("closed", True),
        ),
        (
            Socket("x", type="PUSH", never_connected=True, end="closed", ended_at=9.0, linger=-1),
            ("unexplained", False),
        ),
        (Socket("x", type="PUSH", never_connected=True, end="died", ended_at=9.0), ("sender_died", False)),
        (Socket("x", type="PUB", never_connected=True), None),
        (Socket("x", type="PUB"), ("unexplained", False)),
        (Socket("x", type="ROUTER", never_connected=True), None),
    ],
)
def test_what_nobody_got_is_told_by_how_its_sender_ended(
    sender: Socket, told: tuple[str, bool] | None
) -> None:
    case = Case(200.0, 5.0, {"x": sender}, {}, (), (Lane("x", 0, sent=10, moved_at=5.0),), (), {})
    found = [(each.cause, each.exact) for each in unreceived.accounts(Known(case))]
    assert found == ([] if told is None else [told])


def test_what_somebody_is_on_the_way_of_is_not_told_so() -> None:
    assert list(unreceived.accounts(known())) == []
