"""How many messages of a shared-out stream were sent and came."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Lane, Receipt
from hopwatch_judge.events import Gap, Progress
from shared_streams import CLOSED, LANE, READ_ALL, Pull, case, died, lost, told

OTHER_LANE = Lane("x", 1, sent=50, moved_at=140.0)
COMPLETE = {"end": "closed", "ended_at": 190.0, "unread": False}


def test_numbers_of_all_lanes_count() -> None:
    assert lost(Pull("y", 90), lanes=(LANE, OTHER_LANE)) == ["rest y: 60 in_flight"]
    both = (Receipt("x", 0, "y", count=90, next=90), Receipt("x", 1, "y", count=40, next=40, since=3))
    assert lost(Pull("y", 90), lanes=(LANE, OTHER_LANE), receipts=both) == ["rest y: 17 in_flight"]


def test_numbers_without_a_message_were_neither_sent_nor_passed() -> None:
    """Of 120 numbers 20 have no message, 12 of those before the 100th: who got 88 messages up to there had all that were sent by then."""
    skipped = (
        Gap("x", "y", 0, "skipped", 40, 49),
        Gap("x", "y", 0, "skipped", 98, 107),
        Gap("x", "y", 0, "gap", 60, 61),
    )
    unused = replace(LANE, sent=120, unused=20)
    assert lost(Pull("y", 88, 100), lanes=(unused,), gaps=skipped) == ["rest y: 12 in_flight"]
    assert lost(Pull("y", 87, 100), lanes=(unused,), gaps=skipped) == [
        "overtaken y: 1 unexplained",
        "rest y: 12 in_flight",
    ]
    without_any = (replace(LANE, sent=120),)
    assert lost(Pull("y", 88, 100), lanes=without_any, gaps=skipped) == [
        "overtaken y: 12 unexplained",
        "rest y: 20 in_flight",
    ]


@pytest.mark.parametrize(
    ("heard_until", "expected"),
    [
        pytest.param(140.0, ["rest y: 5 in_flight", "untold: 5 in_flight"], id="by the last reading before"),
        pytest.param(130.0, ["untold: 10 in_flight"], id="no fewer than came"),
        pytest.param(149.0, ["rest y: 8 in_flight", "untold: 2 in_flight"], id="by a later reading"),
        pytest.param(150.0, ["rest y: 10 in_flight"], id="none, as the last was sent before"),
        pytest.param(None, ["rest y: 10 in_flight"], id="its host is heard to the end"),
    ],
)
def test_what_was_sent_since_a_receiver_was_heard_of_may_have_come(
    heard_until: float | None, expected: list[str]
) -> None:
    readings = (
        Progress("x", 0, 120.0, "sample", 4, 50),
        Progress("x", 0, 139.0, "sample", 5, 95),
        Progress("x", 0, 141.0, "sample", 6, 98),
    )
    assert lost(Pull("y", 90, socket={"heard_until": heard_until}), progress=readings) == expected


def test_what_may_have_come_is_on_the_last_hop_to_the_only_receiver() -> None:
    open_ = {"heard_until": 130.0}
    (only,) = told(case(Pull("y", 90, socket=open_)))
    assert (only.receiver, only.depth, only.from_socket, only.to_socket) == ("y", 1, "x", "y")
    (any_,) = told(case(Pull("y", 40, socket=open_), Pull("z", 50, socket={"heard_until": 170.0})))
    assert (any_.mark, any_.messages) == ("untold", 10)
    assert (any_.receiver, any_.depth, any_.from_socket, any_.to_socket) == (None, None, None, None)


def test_numbers_that_no_message_has_were_not_sent_since() -> None:
    unused = replace(LANE, sent=110, unused=10)
    assert lost(Pull("y", 90, socket={"heard_until": 130.0}), lanes=(unused,)) == ["untold: 10 in_flight"]


@pytest.mark.parametrize(
    ("pull", "at"),
    [
        pytest.param(
            Pull("y", 90, socket={**READ_ALL, "ended_at": 170.0}), 165.0, id="the sender went first"
        ),
        pytest.param(
            Pull("y", 90, socket={**READ_ALL, "ended_at": 161.0}), 161.0, id="the receiver went first"
        ),
        pytest.param(Pull("y", 90, way={"left_at": 155.0}), 155.0, id="the receiver left"),
    ],
)
def test_the_end_was_lost_when_the_first_end_went(pull: Pull, at: float) -> None:
    (account,) = told(case(pull, sender={**CLOSED, "ended_at": 165.0}))
    assert (account.started_at, account.ended_at) == (at, at)


def test_while_nobody_is_gone_it_was_lost_since_the_last_that_came() -> None:
    (account,) = told(case(Pull("y", 90)))
    assert account.started_at == 150.1
    (of_any,) = told(case(Pull("y", 40), Pull("z", 50), sender={**CLOSED, "ended_at": 165.0}))
    assert (of_any.mark, of_any.started_at, of_any.ended_at) == ("any", 165.0, 165.0)


@pytest.mark.parametrize(
    ("transport", "has_connected", "expected"),
    [
        pytest.param("tcp", True, "left y: 10 receiver_died exactly", id="known"),
        pytest.param(
            "unknown", False, "left y: 10 receiver_died", id="unknown, and its sender tells of none"
        ),
        pytest.param("unknown", True, "left y: 10 unexplained", id="unknown, and its sender tells of one"),
    ],
)
def test_the_connection_to_the_receiver_is(transport: str, has_connected: bool, expected: str) -> None:
    hops = (replace(case(Pull("y", 90)).case.ways[0].last, transport=transport),)
    assert lost(died("y", 90, hops=hops), sender={"has_connected": has_connected}) == [expected]


def test_over_somebody_unknown_any_of_several_may_have_lost_it() -> None:
    hops = (replace(case(Pull("y", 90)).case.ways[0].last, transport="unknown"),)
    other = Pull("z", 50, 100, socket=COMPLETE)
    told_of = told(case(died("y", 30, 60, hops=hops), other, sender={"has_connected": True}))
    assert [(each.receiver, each.depth, each.mark, each.cause) for each in told_of] == [
        (None, None, "left", "unexplained")
    ]
