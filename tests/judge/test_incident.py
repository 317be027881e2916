"""What an incident's facts come to, where several of them together say it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hopwatch_judge import evidence
from hopwatch_judge.incident import PEERS_KEPT
from plain_incidents import BURST, NOON, advised

Facts = dict[str, Any]
THROWN_AWAY: Facts = {"cause": "closed", "sender_end": "closed", "linger": 0, "transport": "tcp"}


@pytest.mark.parametrize(
    ("facts", "thrown_away"),
    [
        ({}, True),
        ({"transport": "ipc"}, True),
        ({"left_unread": False}, True),
        ({"receiver_left_first": False}, True),
        ({"cause": "sender_died"}, False),
        ({"sender_end": "died"}, False),
        ({"receiver_left_first": True}, False),
        ({"linger": 1}, False),
        ({"linger": None}, False),
        ({"transport": "inproc"}, False),
        ({"left_unread": True}, False),
    ],
)
def test_when_a_linger_of_0_threw_messages_away(facts: Facts, thrown_away: bool) -> None:
    assert replace(BURST, **THROWN_AWAY | facts).thrown_away is thrown_away


@pytest.mark.parametrize(
    ("facts", "keeps_up"),
    [
        ({"asked_rate": 999.0}, True),
        ({"asked_rate": 1000.0}, False),
        ({"asked_rate": 1001.0, "mean_rate": 1.0}, False),
        ({"asked_rate": None, "mean_rate": 999.0}, True),
        ({"asked_rate": None, "mean_rate": 1001.0}, False),
        ({"asked_rate": None, "mean_rate": None}, False),
        ({"capacity": None}, False),
    ],
)
def test_when_a_receiver_keeps_up(facts: Facts, keeps_up: bool) -> None:
    assert replace(BURST, **facts).keeps_up is keeps_up


@pytest.mark.parametrize(
    ("started_at", "took_over_at", "took_over"),
    [
        (NOON, NOON, True),
        (NOON, NOON + timedelta(seconds=1), True),
        (NOON, NOON - timedelta(seconds=1), False),
        (None, NOON, False),
        (NOON, None, False),
    ],
)
def test_when_a_proxy_came_in_anothers_place(started_at: Any, took_over_at: Any, took_over: bool) -> None:
    assert replace(BURST, started_at=started_at, took_over_at=took_over_at).took_over is took_over


@pytest.mark.parametrize(
    ("lost", "mark", "example"), [(9, 5000, False), (10, 5000, True), (50, 50, True), (51, 50, False)]
)
def test_when_a_lower_mark_has_an_example(lost: int, mark: int, example: bool) -> None:
    text = advised(cause="sender_died", sender_type="PUSH", sndhwm=mark, lost=lost)
    assert (f"at {lost // 10}, no more than {lost // 10}" in text) is example


@pytest.mark.parametrize(("sndhwm", "rcvhwm"), [(None, 5), (5, None)])
def test_one_mark_that_is_known_is_told(sndhwm: int | None, rcvhwm: int | None) -> None:
    items = evidence(replace(BURST, sndhwm=sndhwm, rcvhwm=rcvhwm))
    assert (items[-1]["kind"], items[-1]["sndhwm"], items[-1]["rcvhwm"]) == ("marks", sndhwm, rcvhwm)


def test_of_peers_one_more_is_kept_than_is_named() -> None:
    peers = tuple(f"6{number}" for number in range(PEERS_KEPT))
    shown = evidence(replace(BURST, cause="unroutable", peers=peers))[1]
    assert shown["peers"] == list(peers[:-1])
    assert shown["text"].endswith(" and others")
