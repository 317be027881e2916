"""What ROUTERs swallowed is lost for no other reason, and told once."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Hop, Socket, Totals, Way
from hopwatch_judge.events import Swallowed
from hopwatch_judge.known import Known
from hopwatch_judge.routers.routed import untold, without_swallowed
from hopwatch_judge.steps import Account, Missing
from judged import KEY, WAY, known

ROUTER = Socket("x", type="ROUTER", probed=True, end="died", ended_at=90.0)
LACKS = Missing(*KEY, 10, 29, "inner", seen_at=30.0)


def run(first: int, last: int, lane: int | None = 0) -> Swallowed:
    return Swallowed("x", lane, first, last, 20.0)


def told(
    *runs: Swallowed, missing: tuple[Missing, ...] = (LACKS,)
) -> tuple[list[tuple[int, int]], list[tuple[str | None, str]]]:
    """Return what is left of what is missing, and receivers with what they miss because it was swallowed."""
    ways = WAY, Way("x", "z", WAY.hops)
    left, accounts = without_swallowed(known(swallowed=runs, ways=ways), missing, {})
    return [(each.first, each.last) for each in left], [(each.receiver, each.mark) for each in accounts]


@pytest.mark.parametrize(
    ("runs", "left", "accounts"),
    [
        ([run(10, 29)], [], [("y", "10-29")]),
        ([run(15, 19)], [(10, 14), (20, 29)], [("y", "15-19")]),
        ([run(12, 13), run(15, 19)], [(10, 11), (14, 14), (20, 29)], [("y", "12-13"), ("y", "15-19")]),
        ([run(0, 14)], [(15, 29)], [("y", "10-14"), (None, "0-9")]),
        ([run(25, 40)], [(10, 24)], [("y", "25-29"), (None, "30-40")]),
        ([run(30, 40)], [(10, 29)], [(None, "30-40")]),
        ([run(10, 29, lane=1)], [(10, 29)], [(None, "10-29")]),
        ([run(10, 29, lane=None)], [(10, 29)], [(None, "10-29")]),
    ],
)
def test_missing_numbers_that_were_swallowed_are_lost_for_that_reason(
    runs: list[Swallowed], left: list[tuple[int, int]], accounts: list[tuple[str | None, str]]
) -> None:
    assert told(*runs) == (left, accounts)


def test_what_several_miss_is_missed_by_each() -> None:
    missing = LACKS, LACKS._replace(receiver="z", first=20)
    assert told(run(18, 31), missing=missing) == (
        [(10, 17)],
        [("y", "18-29"), ("z", "20-29"), (None, "30-31")],
    )


def test_what_nobody_misses_is_told_whatever_the_order_of_what_others_miss() -> None:
    missing = LACKS._replace(first=20), LACKS._replace(receiver="z", first=10, last=15)
    assert [mark for receiver, mark in told(run(8, 31), missing=missing)[1] if receiver is None] == [
        "8-9",
        "16-19",
        "30-31",
    ]


def test_the_rest_of_a_missing_range_is_as_it_was() -> None:
    (left,), _ = without_swallowed(known(swallowed=(run(10, 14),)), [LACKS], {})
    assert left == LACKS._replace(first=15)


def test_accounts_are_of_the_first_hop() -> None:
    way = Way("x", "y", (Hop("x", "proxy"), Hop("back", "y")))
    case = known(swallowed=(run(10, 29), run(7, 8, lane=None)), ways=(way,))
    assert without_swallowed(case, [LACKS], {})[1] == [
        Account(
            "x",
            "y",
            0,
            "10-29",
            20,
            1,
            "x",
            "proxy",
            "unroutable",
            exact=True,
            started_at=20.0,
            ended_at=20.0,
        ),
        Account(
            "x", None, None, "7-8", 2, 1, "x", "", "unroutable", exact=True, started_at=20.0, ended_at=20.0
        ),
    ]


def of_router(router: Socket = ROUTER, unroutable: int = 100, *runs: Swallowed) -> Known:
    totals = Totals("x", sent=1000, unroutable=unroutable)
    return known(sockets=(router,), totals={"x": totals}, swallowed=runs)


def test_what_a_router_that_died_had_counted_and_not_told_of_was_swallowed_when_it_ended() -> None:
    assert untold(of_router(), [], {}) == [Swallowed("x", None, 1000, 1099, 90.0)]
    _, (account,) = without_swallowed(of_router(), [], {})
    assert (account.messages, account.receiver, account.to_socket, account.ended_at) == (100, None, "", 90.0)


@pytest.mark.parametrize(
    ("router", "is_told"),
    [
        (replace(ROUTER, end="exited"), True),
        (replace(ROUTER, end="closed"), False),
        (replace(ROUTER, end="open"), False),
        (replace(ROUTER, probed=False), False),
        (replace(ROUTER, mandatory=True), False),
        (replace(ROUTER, type="DEALER"), False),
    ],
)
def test_only_a_router_that_probes_and_ended_with_its_process_has_not_told_of_all(
    router: Socket, is_told: bool
) -> None:
    assert bool(untold(of_router(router), [], {})) == is_told


def test_what_is_told_or_missing_otherwise_may_be_among_it() -> None:
    case = of_router(ROUTER, 100, run(0, 49), run(3, 12, lane=None))
    assert untold(case, [], {}) == [Swallowed("x", None, 1000, 1039, 90.0)]
    assert untold(case, [LACKS, LACKS._replace(stream="w")], {"x": 5, "w": 9}) == [
        Swallowed("x", None, 1000, 1014, 90.0)
    ]
    assert untold(case, [LACKS], {"x": 20}) == []


def test_what_was_swallowed_of_a_missing_range_is_not_counted_twice() -> None:
    _, accounts = without_swallowed(of_router(ROUTER, 30, run(10, 29)), [LACKS], {})
    assert [(each.receiver, each.messages) for each in accounts] == [("y", 20), (None, 10)]
