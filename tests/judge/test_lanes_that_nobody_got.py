"""What a ROUTER sent that nobody got: whose it was, and what became of it where that is not known."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Down, Hop, Lane, Link, Receipt, Socket, Totals, Way
from hopwatch_judge.events import Accepted, Swallowed
from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Ranges
from hopwatch_judge.routers.located import sole_owners
from hopwatch_judge.routers.unreached import unreached
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, LaneOfReceiver
from judged import WAY, known

ROUTER = Socket("x", type="ROUTER", sequence="stamp", probed=True, opened_at=0.0)
LANES = (Lane("x", 0, sent=30), Lane("x", 1, sent=50))
QUICK = Way("x", "quick", WAY.hops)
DOOMED = Way("x", "doomed", WAY.hops)
GOT = Receipt("x", 0, "quick", count=30, next=30)
CONNECTED = (Accepted("x", accepted=True, peer="quick"), Accepted("x", accepted=True, peer="doomed"))
SHARED = 4294967295


def broker(router: Socket = ROUTER, **parts: Any) -> Known:
    """Return a ROUTER that accepted two: "quick" got all of its lane 0, nobody got anything of lane 1."""
    plain: dict[str, Any] = {
        "ways": (QUICK, DOOMED),
        "lanes": LANES,
        "receipts": (GOT,),
        "accepted": CONNECTED,
    }
    return known(**{"sockets": (router,)} | plain | parts)


def swallowed(first: int, last: int, lane: int | None = 1) -> tuple[Swallowed, ...]:
    return (Swallowed("x", lane, first, last, 5.0),)


def test_a_lane_is_of_the_only_receiver_that_has_got_none() -> None:
    assert sole_owners(broker()) == {("x", "doomed", 1)}


def test_who_came_back_may_have_another_lane() -> None:
    twice = (CONNECTED[0], CONNECTED[0])
    assert sole_owners(broker(accepted=twice)) == {("x", "quick", 1)}


def test_two_connections_may_have_two_lanes() -> None:
    lanes = (*LANES, Lane("x", 2, sent=20))
    assert sole_owners(broker(lanes=lanes)) == frozenset()
    back = (*CONNECTED, CONNECTED[1])
    assert sole_owners(broker(lanes=lanes, accepted=back)) == {("x", "doomed", 1), ("x", "doomed", 2)}


def test_a_lane_that_was_partly_swallowed_is_somebodys() -> None:
    assert sole_owners(broker(swallowed=swallowed(0, 9))) == {("x", "doomed", 1)}


MAY_BE_ANOTHERS: dict[str, Known] = {
    "two have got none": broker(accepted=(*CONNECTED, Accepted("x", accepted=True, peer="third"))),
    "all have got theirs": broker(accepted=CONNECTED[:1]),
    "a peer is not known": broker(accepted=(*CONNECTED, Accepted("x", accepted=True, peer=None))),
    "it connected to one": broker(accepted=(CONNECTED[0], CONNECTED[1]._replace(accepted=False))),
    "it may have peers that no event tells of": broker(replace(ROUTER, calls_or_is_local=True)),
    "it was not watched": broker(replace(ROUTER, unwatched=True)),
    "it may have swallowed them": broker(replace(ROUTER, probed=False)),
    "it swallowed more than it told of": broker(totals={"x": Totals("x", unroutable=1)}),
    "it is a proxy's": broker(replace(ROUTER, passes_to="other side")),
    "there is a proxy on the way": broker(
        ways=(QUICK, replace(DOOMED, hops=(Hop("x", "p"), Hop("q", "doomed"))))
    ),
    "all of it was swallowed": broker(swallowed=swallowed(0, 49)),
    "further peers share it": broker(lanes=(LANES[0], replace(LANES[1], lane=SHARED))),
    "it is not checked": broker(not_checked=frozenset({("x", "doomed", 1)})),
    "nothing was sent": broker(lanes=(LANES[0], replace(LANES[1], sent=0))),
    "somebody got some": broker(receipts=(GOT, Receipt("x", 1, "third", count=1))),
    "it has no stamps": broker(replace(ROUTER, sequence="count")),
    "its sender is no ROUTER": broker(replace(ROUTER, type="DEALER")),
}


@pytest.mark.parametrize("why", MAY_BE_ANOTHERS)
def test_a_lane_that_may_be_anothers_is_not_located(why: str) -> None:
    assert sole_owners(MAY_BE_ANOTHERS[why]) == frozenset()


def test_what_it_told_of_is_held_against_what_it_swallowed() -> None:
    totals = {"x": Totals("x", unroutable=10)}
    assert sole_owners(broker(totals=totals, swallowed=swallowed(0, 9))) == {("x", "doomed", 1)}


GONE = replace(ROUTER, end="closed")
QUICKS: dict[LaneOfReceiver, Ranges] = {("x", "quick", 0): [(0, 29)]}


def causes(
    case: Known,
    owed: dict[LaneOfReceiver, Ranges] = QUICKS,
    unheard: dict[LaneOfReceiver, Ranges] | None = None,
    untold: tuple[Swallowed, ...] = (),
) -> dict[str, int]:
    """Return how many messages have which cause."""
    return {each.cause: each.messages for each in unreached(case, owed, unheard or {}, untold)}


@pytest.mark.parametrize(
    ("owed", "unheard", "runs", "messages"),
    [
        ({}, {}, (), 80),
        (QUICKS, {}, (), 50),
        ({**QUICKS, ("x", "other", 0): [(0, 29)]}, {}, (), 50),
        (QUICKS, {("x", "quick", 1): [(40, 49)]}, (), 40),
        (QUICKS, {}, swallowed(0, 9), 40),
        (QUICKS, {}, swallowed(0, 9, lane=None), 50),
        ({("x", "quick", 0): [(0, 9), (20, 29)]}, {}, (), 60),
    ],
)
def test_all_that_a_router_numbered_is_owed_or_swallowed_or_nobodys(
    owed: dict[LaneOfReceiver, Ranges],
    unheard: dict[LaneOfReceiver, Ranges],
    runs: tuple[Swallowed, ...],
    messages: int,
) -> None:
    assert causes(broker(GONE, swallowed=runs), owed, unheard) == {UNEXPLAINED: messages}


def test_where_all_is_somebodys_there_is_no_account() -> None:
    assert unreached(broker(GONE), {**QUICKS, ("x", "doomed", 1): [(0, 49)]}, {}, ()) == []


def test_an_account_leads_nowhere() -> None:
    (account,) = unreached(broker(GONE), QUICKS, {}, ())
    assert (account.stream, account.receiver, account.lane, account.mark) == ("x", None, 0, "unreached")
    assert (account.depth, account.from_socket, account.to_socket, account.exact) == (1, "x", None, False)


THERE = Socket("doomed", type="DEALER")
DOWN = Link("x", "doomed", is_down=True)
GOT_SOME = Receipt("x", 5, "doomed", count=1)


@pytest.mark.parametrize(
    ("sockets", "links", "receipts", "cause"),
    [
        ((ROUTER, THERE), (), (), IN_FLIGHT),
        ((GONE, THERE), (), (), UNEXPLAINED),
        ((ROUTER, replace(THERE, end="died")), (), (), UNEXPLAINED),
        ((ROUTER,), (), (), UNEXPLAINED),
        ((ROUTER, THERE), (DOWN,), (), UNEXPLAINED),
        ((ROUTER, THERE), (), (GOT_SOME,), UNEXPLAINED),
        ((ROUTER, THERE), (Link("x", "doomed", downs=(Down(3.0, 4.0),)),), (GOT_SOME,), IN_FLIGHT),
    ],
)
def test_it_is_in_flight_while_a_receiver_has_to_get_some(
    sockets: tuple[Socket, ...], links: tuple[Link, ...], receipts: tuple[Receipt, ...], cause: str
) -> None:
    case = known(sockets=sockets, links=links, ways=(QUICK, DOOMED), lanes=LANES, receipts=(GOT, *receipts))
    assert causes(case) == {cause: 50}


DIED = replace(ROUTER, end="died")
AT_THE_END = (Swallowed("x", None, 0, 19, 9.0),)


@pytest.mark.parametrize(
    ("router", "sent", "runs", "untold", "expected"),
    [
        (DIED, 80, (), AT_THE_END, {UNEXPLAINED: 30}),
        (DIED, 80, (), swallowed(0, 59, None), {}),
        (DIED, 70, (), AT_THE_END, {UNEXPLAINED: 30}),
        (DIED, 95, (), AT_THE_END, {UNEXPLAINED: 45}),
        (DIED, 95, swallowed(0, 4), AT_THE_END, {UNEXPLAINED: 40}),
        (DIED, 120, (), AT_THE_END, {UNEXPLAINED: 50}),
        (DIED, 95, swallowed(0, 11, None), AT_THE_END, {UNEXPLAINED: 33}),
        (replace(DIED, mandatory=True), 80, (), AT_THE_END, {UNEXPLAINED: 50}),
        (ROUTER, 80, (), (), {UNEXPLAINED: 30, IN_FLIGHT: 20}),
        (ROUTER, 80, swallowed(0, 4), (), {UNEXPLAINED: 30, IN_FLIGHT: 15}),
        (replace(ROUTER, end="closed"), 80, (), (), {UNEXPLAINED: 50}),
    ],
)
def test_what_was_swallowed_without_an_event_is_taken_from_what_was_in_lanes(
    router: Socket,
    sent: int,
    runs: tuple[Swallowed, ...],
    untold: tuple[Swallowed, ...],
    expected: dict[str, int],
) -> None:
    totals = {"x": Totals("x", sent=sent, unroutable=20)}
    assert causes(broker(router, totals=totals, swallowed=runs), untold=untold) == expected


def test_no_more_is_in_flight_than_is_nobodys() -> None:
    case = broker(totals={"x": Totals("x", sent=80, unroutable=20)})
    assert causes(case, {**QUICKS, ("x", "doomed", 1): [(0, 39)]}) == {IN_FLIGHT: 10}


def test_what_waits_and_what_was_counted_are_in_flight_together() -> None:
    totals = {"x": Totals("x", sent=80, unroutable=20)}
    assert causes(broker(totals=totals, sockets=(ROUTER, THERE))) == {IN_FLIGHT: 50}
