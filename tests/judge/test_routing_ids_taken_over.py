"""Several receivers had one routing id after each other: each is owed what a ROUTER sent in its turn."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hopwatch_judge.case import Down, Link, Receipt, Socket, Way
from hopwatch_judge.events import Gap
from hopwatch_judge.ranges import Range
from hopwatch_judge.routers.turns import in_turns
from hopwatch_judge.steps import LaneOfReceiver, Owed
from judged import WAY, known

ROUTER = Socket("x", type="ROUTER", sequence="stamp", probed=True)
HANDS_OVER = replace(ROUTER, hands_over=True)


def owed(receiver: str, first: int, next_: int, *, end: int = 300, sure_end: int = 300) -> Owed:
    """Return what is owed of 300 numbers to one who got those from ``first`` on, the newest sent at 50 s."""
    count = next_ - first
    times = {"newest_sent_at": 50.0, "moved_at": None, "got_first_at": None}
    ends = {"sent": 300, "owed_until": None, "subscribed_at": None, "joined_at_number": None}
    flags = {"receiver_left_first": False, "unsubscribed": False, "by_count": False}
    got = {"count": count, "first": first, "next": next_, "came": 0, "end": end, "sure_end": sure_end}
    return Owed("x", receiver, 0, 1, **got, **times, **ends, **flags)  # type: ignore[arg-type]


def gap(receiver: str, first: int, last: int, action: str = "gap") -> Gap:
    return Gap("x", receiver, 0, action, first, last)


Turns = tuple[dict[str, Owed], dict[str, list[Range]]]


def turns(
    *lanes: Owed, gaps: Iterable[Gap] = (), router: Socket = ROUTER, located: str = "", **parts: object
) -> Turns:
    """Return by receiver what is owed, and what was not for it."""
    rows: dict[LaneOfReceiver, list[Gap]] = {}
    for each in gaps:
        rows.setdefault((each.stream, each.receiver, each.lane), []).append(each)
    case = known(sockets=(router,), **parts)
    due, others = in_turns(case, {each.key: each for each in lanes}, frozenset({("x", located, 0)}), rows)
    return {key[1]: each for key, each in due.items()}, {key[1]: each for key, each in others.items()}


def test_the_former_owner_is_owed_nothing_that_the_later_one_got() -> None:
    due, others = turns(owed("blue", 0, 100), owed("green", 100, 290))
    assert (due["blue"].end, due["blue"].sure_end, due["blue"].contested) == (100, 100, True)
    assert (due["green"].end, due["green"].sure_end, due["green"].contested) == (300, 300, False)
    assert others == {"green": [(0, 99)], "blue": [(100, 289)]}


def test_what_is_missing_between_two_turns_stays_the_former_owners() -> None:
    due, others = turns(owed("blue", 0, 90, sure_end=95), owed("green", 100, 300))
    assert (due["blue"].end, due["blue"].sure_end, due["blue"].contested) == (100, 95, True)
    assert others["green"] == [(0, 99)]


def test_who_is_owed_no_more_anyway_is_not_bounded() -> None:
    due, _ = turns(owed("blue", 0, 90, end=95, sure_end=95), owed("green", 100, 300))
    assert (due["blue"].end, due["blue"].sure_end, due["blue"].contested) == (95, 95, False)


def test_who_gets_the_routing_id_back_is_not_owed_what_was_sent_between() -> None:
    lanes = owed("left", 0, 300), owed("right", 100, 200)
    gaps = gap("left", 100, 199), gap("right", 150, 154)
    due, others = turns(*lanes, gaps=gaps)
    assert due["right"].end == 200
    assert not due["left"].contested
    assert others["right"] == [(0, 99), (200, 299)]
    assert others["left"] == [(100, 199)]


def test_what_one_lacks_within_its_own_turn_is_not_for_the_others_unless_they_got_some_of_it() -> None:
    lanes = owed("left", 0, 100), owed("right", 100, 300)
    _, others = turns(*lanes, gaps=[gap("left", 40, 49), gap("right", 150, 159)])
    assert others == {"left": [(100, 299)], "right": [(0, 99)]}
    _, others = turns(owed("left", 0, 300), owed("right", 100, 300), gaps=[gap("left", 100, 199)])
    assert others == {"left": [(100, 199)], "right": [(0, 99)]}


def test_numbers_that_came_late_are_no_gaps() -> None:
    due, _ = turns(owed("blue", 0, 100), owed("green", 90, 300), gaps=[gap("green", 90, 120, "late")])
    assert due["blue"].end == 300


ONE = owed("blue", 0, 100), owed("green", 100, 290)


@pytest.mark.parametrize(
    ("lanes", "router"),
    [
        (ONE, replace(ROUTER, sequence="count")),
        (ONE, replace(ROUTER, type="PAIR")),
        ((ONE[0], replace(ONE[1], count=0)), ROUTER),
        ((ONE[0], replace(ONE[1], length=2)), ROUTER),
        ((ONE[0], replace(ONE[1], lane=1)), ROUTER),
    ],
)
def test_only_who_got_stamped_messages_of_a_router_itself_has_a_turn(
    lanes: tuple[Owed, ...], router: Socket
) -> None:
    due, _ = turns(*lanes, router=router)
    assert (due["blue"].end, due["blue"].contested) == (300, False)


@pytest.mark.parametrize(
    ("lanes", "others"),
    [
        ([owed("blue", 0, 40, end=60), owed("green", 80, 300)], {"green": [(0, 59)]}),
        ([owed("blue", 0, 40, end=90), owed("green", 80, 300)], {"green": [(0, 79)]}),
        ([owed("blue", 0, 40, end=0), owed("green", 80, 300)], {}),
        (
            [owed("blue", 0, 40, end=60), owed("green", 80, 90, end=90), owed("red", 85, 300)],
            {"green": [(0, 59)], "red": [(0, 84)]},
        ),
        (
            [owed("blue", 0, 40, end=90), owed("green", 80, 82, end=85), owed("red", 88, 300)],
            {"green": [(0, 79)], "red": [(0, 87)]},
        ),
    ],
)
def test_what_earlier_owners_were_owed_is_not_for_the_later_one(
    lanes: list[Owed], others: dict[str, list[Range]]
) -> None:
    assert turns(*lanes, router=replace(ROUTER, sequence="count"))[1] == others
    assert turns(*lanes, router=replace(ROUTER, type="PUB"))[1] == {}


def test_they_were_owed_no_more_than_was_sent_in_their_turns() -> None:
    _, others = turns(owed("blue", 0, 40), owed("green", 80, 82, end=85, sure_end=85), owed("red", 88, 300))
    assert others["red"] == [(0, 84)]


def test_a_located_lane_may_have_been_anothers() -> None:
    due, _ = turns(owed("blue", 0, 0), owed("green", 0, 100), located="blue")
    assert (due["blue"].contested, due["green"].contested) == (True, False)
    due, _ = turns(owed("blue", 0, 100, end=100, sure_end=100), ONE[1], located="blue")
    assert due["blue"].contested


SILENT = Way("x", "silent", WAY.hops)
CAME = Link("x", "silent", connected_at=60.0)
CAME_BACK = Link("x", "silent", connected_at=10.0, downs=(Down(20.0, 60.0), Down(70.0, None)))


@pytest.mark.parametrize(
    ("link", "router", "got", "sure_end"),
    [
        (CAME, HANDS_OVER, False, 100),
        (CAME_BACK, HANDS_OVER, False, 100),
        (CAME, ROUTER, False, 300),
        (CAME, HANDS_OVER, True, 300),
        (replace(CAME, connected_at=50.0), HANDS_OVER, False, 300),
        (replace(CAME, connected_at=None), HANDS_OVER, False, 300),
    ],
)
def test_what_was_sent_since_one_who_got_nothing_came_may_have_been_for_that_one(
    link: Link, router: Socket, got: bool, sure_end: int
) -> None:
    receipts = (Receipt("x", 1, "silent", count=1),) if got else ()
    due, _ = turns(owed("y", 0, 100), router=router, ways=(WAY, SILENT), links=(link,), receipts=receipts)
    assert (due["y"].end, due["y"].sure_end, due["y"].contested) == (300, sure_end, False)


def test_the_one_who_came_last_counts_if_it_is_known_when_the_newest_message_was_sent() -> None:
    ways = WAY, SILENT, Way("x", "other", WAY.hops)
    links = CAME, Link("x", "other", connected_at=20.0)
    parts = {"ways": ways, "links": links, "receipts": (), "router": HANDS_OVER}
    assert turns(owed("y", 0, 100), **parts)[0]["y"].sure_end == 100  # type: ignore[arg-type]
    unknown = replace(owed("y", 0, 100), newest_sent_at=None)
    assert turns(unknown, **parts)[0]["y"].sure_end == 300  # type: ignore[arg-type]
