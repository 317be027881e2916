"""What the only receiver of a shared-out stream lacks at its end: by which end went first, and what was left to read then."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Down, Lane
from shared_streams import CLOSED, DIED, LANE, LEFT_SOME, READ_ALL, WENT_FIRST, Pull, died, lost

LET_GO = {**CLOSED, "linger": 0}
DIED_BEFORE = {"end": "died", "ended_at": 152.0}
LONG_AFTER = {"end": "died", "ended_at": 170.0}
SOON_AFTER = {"end": "died", "ended_at": 155.0}
READS = {"moved_at": 199.0}
CONNECTS = {"sender_connects": True}


def y(got: int = 90, reached: int | None = None, **others: Any) -> Pull:
    return Pull("y", got, reached, **others)


def test_a_stream_that_came_in_full_is_not_told_of() -> None:
    assert lost(y(100)) == []
    assert lost(y(100), sender={"type": "PUB"}) == lost(y(), sender={"type": "PUB"}) == []


@pytest.mark.parametrize(
    ("pull", "sender", "expected"),
    [
        pytest.param(y(), {}, "rest y: 10 in_flight", id="both are there"),
        pytest.param(y(), DIED, "rest y: 10 sender_died", id="the sender died"),
        pytest.param(y(), CLOSED, "rest y: 10 closed", id="the sender was closed"),
        pytest.param(y(socket=READ_ALL), DIED_BEFORE, "rest y: 10 sender_died exactly", id="the receiver had read all that came"),
        pytest.param(y(socket=READ_ALL), CLOSED, "rest y: 10 closed exactly", id="both were closed"),
        pytest.param(y(socket=READ_ALL), DIED, "rest y: 10 sender_died", id="but nobody saw which end went first"),
        pytest.param(y(socket=READ_ALL, receipt={"moved_at": 159.9}), DIED_BEFORE, "rest y: 10 sender_died", id="it may have had more to read"),
        pytest.param(y(socket=READ_ALL, receipt={"moved_at": 159.9}, link={"to_end_down_at": 159.0}), DIED, "rest y: 10 sender_died exactly", id="it saw the sender go"),
        pytest.param(y(socket=READ_ALL, receipt={"moved_at": 159.9}), CLOSED, "rest y: 10 closed exactly", id="whichever of the two had them"),
        pytest.param(y(socket=READ_ALL), {}, "rest y: 10 unexplained", id="the receiver alone was closed, with nothing left"),
        pytest.param(y(socket=SOON_AFTER), CLOSED, "rest y: 10 receiver_died", id="the receiver died soon after the sender was closed"),
        pytest.param(y(socket=SOON_AFTER), LET_GO, "rest y: 10 receiver_died", id="soon after it let go of them"),
        pytest.param(y(socket=LONG_AFTER), LET_GO, "rest y: 10 closed", id="long after it let go of them"),
        pytest.param(y(socket=LONG_AFTER), CLOSED, "rest y: 10 receiver_died", id="long after it was closed, but lingered"),
        pytest.param(y(socket=LONG_AFTER), DIED, "rest y: 10 sender_died", id="after the sender had died"),
        pytest.param(y(receipt=READS), DIED, "rest y: 10 in_flight", id="the receiver reads on"),
        pytest.param(y(receipt=READS, socket=READ_ALL), DIED, "rest y: 10 sender_died", id="unless it ended"),
        pytest.param(y(socket={"heard_until": 153.0}), DIED, "rest y: 10 in_flight", id="it read on when its host was heard last"),
        pytest.param(y(got=10, receipt={"moved_at": 180.0}), DIED, "rest y: 90 in_flight", id="it reads on slowly"),
        pytest.param(y(got=10, receipt={"moved_at": 150.9}), DIED, "rest y: 90 sender_died", id="it had none left that it may be slow with"),
        pytest.param(y(got=40, receipt={"moved_at": 180.0}), DIED, "rest y: 60 sender_died", id="it never was as slow as that"),
        pytest.param(y(got=1, receipt={"moved_at": 180.0}), DIED, "rest y: 99 sender_died", id="nobody knows how slow it is"),
    ],
)  # fmt: skip
def test_the_rest_went_with_the_sender(pull: Pull, sender: dict[str, Any], expected: str) -> None:
    assert lost(pull, sender=sender) == [expected]


@pytest.mark.parametrize(
    ("pull", "expected"),
    [
        pytest.param(died("y", 90), "left y: 10 receiver_died exactly", id="it died"),
        pytest.param(y(socket=LEFT_SOME, way=WENT_FIRST), "left y: 10 closed exactly", id="it was closed with some unread"),
        pytest.param(y(socket=CLOSED, way=WENT_FIRST), "left y: 10 closed exactly", id="it did not say whether some were"),
        pytest.param(y(way=WENT_FIRST), "left y: 10 closed", id="it was told to leave"),
        pytest.param(y(socket=READ_ALL, way=WENT_FIRST), "rest y: 10 unexplained", id="it said that nothing was left"),
        pytest.param(y(socket=READ_ALL, way={**WENT_FIRST, "left_at": 150.1}), "left y: 10 closed exactly", id="but more may have come then"),
        pytest.param(y(socket=READ_ALL, way={**WENT_FIRST, "left_elsewhere": True}), "left y: 10 closed exactly", id="or by another clock"),
        pytest.param(died("y", 90, 100), "overtaken y: 10 unexplained", id="it had the last one of all"),
    ],
)  # fmt: skip
def test_a_receiver_that_left_took_along_what_it_had_not_read(pull: Pull, expected: str) -> None:
    assert lost(pull) == [expected]


@pytest.mark.parametrize(
    ("pull", "expected"),
    [
        pytest.param(y(50, socket=LEFT_SOME), ["rest y: 40 sender_died", "unread y: 10 closed"], id="as many as it holds"),
        pytest.param(y(95, socket=LEFT_SOME), ["unread y: 5 closed"], id="no more than are missing"),
        pytest.param(y(50, socket={**LEFT_SOME, "rcvhwm": 0}), ["unread y: 50 closed"], id="without a mark all"),
        pytest.param(y(50, socket={**LEFT_SOME, "rcvhwm": None}), ["unread y: 50 closed"], id="if its mark is not known all"),
        pytest.param(y(50, socket=CLOSED), ["rest y: 50 sender_died"], id="if it did not say so none"),
    ],
)  # fmt: skip
def test_a_receiver_closed_with_messages_that_a_killed_sender_had_sent(
    pull: Pull, expected: list[str]
) -> None:
    assert lost(pull, sender=DIED) == expected


@pytest.mark.parametrize(
    ("socket", "sender", "link", "expected"),
    [
        pytest.param({}, {}, {}, ["kept y: 20 in_flight", "left y: 30 receiver_died exactly"], id="as many as it holds"),
        pytest.param({}, LONG_AFTER, {}, ["kept y: 20 unexplained", "left y: 30 receiver_died exactly"], id="until it ends itself"),
        pytest.param({"rcvhwm": 80}, {}, {}, ["kept y: 10 in_flight", "left y: 40 receiver_died"], id="and not what the inbox likely had"),
        pytest.param({"rcvhwm": 0}, {}, {}, ["left y: 50 receiver_died"], id="an inbox without a mark had all"),
        pytest.param({"rcvhwm": None}, {"sndhwm": 0}, {}, ["kept y: 50 in_flight"], id="a queue without a mark has all"),
        pytest.param({}, {"sndhwm": None}, {}, ["kept y: 45 in_flight", "left y: 5 receiver_died"], id="or one whose mark is not known"),
        pytest.param({}, {"sndhwm": 80}, {}, ["kept y: 45 in_flight", "left y: 5 receiver_died"], id="half of a full inbox was surely there"),
        pytest.param({**READ_ALL, "rcvhwm": 80}, {}, {"left_at": 150.1}, ["kept y: 20 in_flight", "left y: 30 closed exactly"], id="none was there if it said so"),
        pytest.param({}, {"immediate": 1}, {}, ["left y: 50 receiver_died exactly"], id="not with ZMQ_IMMEDIATE"),
        pytest.param({}, {}, {"sender_connects": False}, ["left y: 50 receiver_died exactly"], id="not if it is bound"),
    ],
)  # fmt: skip
def test_a_sender_that_connects_keeps_its_queue_when_its_receiver_goes(
    socket: dict[str, Any], sender: dict[str, Any], link: dict[str, Any], expected: list[str]
) -> None:
    left_at = link.get("left_at", 160.0)
    way = {**WENT_FIRST, "left_at": left_at}
    connection = {**CONNECTS, **link, "left_at": None}
    assert lost(died("y", 50, socket={**DIED, **socket}, link=connection, way=way), sender=sender) == expected


def test_what_was_in_the_queue_shows_when_a_later_receiver_gets_newer_ones() -> None:
    def after(peer: str, reached: int, **others: Any) -> list[str]:
        later = Pull(
            "z", 10, reached, socket=READ_ALL, link={**CONNECTS, "former_downs": (Down(160, 161, peer),)}
        )
        return lost(died("y", 50, link=CONNECTS), later, sender={**CLOSED, "ended_at": 180.0}, **others)

    assert after("y", 100) == ["left y: 40 receiver_died exactly"]
    assert after("w", 100) == ["kept y: 20 unexplained", "left y: 20 receiver_died exactly"]
    assert after("y", 50) == ["kept y: 20 unexplained", "left y: 20 receiver_died exactly"]
    two_lanes = (replace(LANE, sent=90), Lane("x", 1, sent=10, moved_at=150.0))
    assert after("y", 100, lanes=two_lanes) == ["kept y: 20 unexplained", "left y: 20 receiver_died exactly"]


def test_while_the_queue_is_there_the_rest_is_on_its_way() -> None:
    late = y(90, socket=READ_ALL, link=CONNECTS, way=WENT_FIRST)
    assert lost(late) == ["rest y: 10 in_flight"]
    assert lost(late, sender={**CLOSED, "end": "exited"}) == ["rest y: 10 sender_died exactly"]


@pytest.mark.parametrize(
    ("pull", "sender"),
    [
        pytest.param(y(way={"left_unsure": True}), DIED, id="which end went first"),
        pytest.param(y(), {**DIED, "has_strangers": True}, id="who else received"),
        pytest.param(y(socket={"req_relaxed": 1}), DIED, id="whether it threw them away"),
        pytest.param(y(link={"unwatched": True}), DIED, id="whether its connection was cut before"),
    ],
)  # fmt: skip
def test_nothing_is_explained_where_it_is_not_known(pull: Pull, sender: dict[str, Any]) -> None:
    assert lost(pull, sender=sender) == ["rest y: 10 unexplained"]
    reading = replace(pull, receipt=READS)
    assert lost(reading, sender=sender) == ["rest y: 10 in_flight"]


def test_what_may_wait_in_a_queue_is_not_explained_either() -> None:
    assert lost(died("y", 90, link=CONNECTS), sender={"has_strangers": True}) == [
        "kept y: 5 unexplained",
        "left y: 5 unexplained",
    ]
