"""A publisher that is faster than its subscriber: what waits, what is dropped, and what a mark on either side comes to."""

import pytest
from trouble_books import (
    ENDED_BY_USER,
    Report,
    balances,
    causes,
    dropped_before,
    words_on,
)
from trouble_stories import SOCKETS, Plays, Shown, Story, Told
from troubles import Trouble, address, eventually, waiting_on

pytestmark = pytest.mark.scenario

LONG = 20_000
"""Bytes of a message: the kernel holds some hundreds of them."""
SHORT = 16
FULL_PIPE = r"losing +publisher +PUB .*met a full pipe"


def at_rates_of_the_user(trouble: Trouble) -> None:
    for start in (trouble.start, trouble.start_bare):
        host = address()
        start("publisher", "fast_publisher.py", host, SHORT, 0.001)
        start("subscriber", "slow_subscriber.py", host, 0.02)


def until_it_drops(trouble: Trouble) -> None:
    for start in (trouble.start, trouble.start_bare):
        host = address()
        start("publisher", "fast_publisher.py", host, LONG, 0.0002)
        start("subscriber", "slow_subscriber.py", host, 0.002)


def with_more_room_at_the_subscriber(trouble: Trouble) -> None:
    host = address()
    trouble.start("publisher", "fast_publisher.py", host, LONG, 0.0002)
    trouble.start("subscriber", "generous_subscriber.py", host, 0.002)


STARTS = (
    at_rates_of_the_user,
    until_it_drops,
    with_more_room_at_the_subscriber,
)


def test_sent_1000_and_received_100_is_no_loss_yet_the_others_are_waiting(
    plays: Plays, told: Told, shown: Shown
) -> None:
    """The user believed that 900 of 1,000 had been dropped: nothing was."""
    trouble = plays["at_rates_of_the_user"]
    publisher, subscriber = trouble.programs["publisher"], trouble.programs["subscriber"]
    bare_publisher, bare_subscriber = trouble.programs["bare publisher"], trouble.programs["bare subscriber"]
    bare_publisher.await_sent(1000)
    assert 4 * len(bare_subscriber.received()) < len(bare_publisher.sent())
    assert dropped_before(bare_subscriber.received()) == 0
    publisher.await_sent(1000)

    def most_are_waiting() -> bool:
        received = len(subscriber.received())
        waiting = waiting_on(trouble)
        sent = len(publisher.sent())
        assert waiting is None or waiting["at_least"] <= sent - received
        return waiting is not None and waiting["at_least"] > 200

    eventually(most_are_waiting, "the agent has not said what waits")
    (lane,) = trouble.ask("/v1/lanes?role=receive")
    assert lane["lost"] == 0
    assert trouble.rules() == set()
    assert trouble.ask("/v1/incidents") == []
    nothing_lost = ("nothing lost just now", "Nothing was lost as far as this agent can tell")
    waits = ("messages to it wait, the oldest for", "in the pipe of subscriber (its mark: 1,000)")
    row = r"pressed +subscriber +SUB .*messages to it wait, the oldest for"
    shown(trouble, Story(page=nothing_lost, terminal=waits, drops=False, top=(SOCKETS, row)))

    publisher.end()
    subscriber.end()
    sent, received = publisher.sent(), subscriber.received()
    assert dropped_before(received) == 0

    def nothing_was_dropped(report: Report) -> None:
        balances(report, sent, received)
        assert set(causes(report)) <= {"slow_joiner", *ENDED_BY_USER}
        assert causes(report).get("slow_joiner", 0) <= received[0]

    told(trouble, nothing_was_dropped)


def test_a_fast_publisher_and_a_slow_subscriber_drop_at_the_publishers_full_pipe(
    plays: Plays, told: Told, shown: Shown
) -> None:
    trouble = plays["until_it_drops"]
    publisher, subscriber = trouble.programs["publisher"], trouble.programs["subscriber"]
    bare = trouble.programs["bare subscriber"]
    eventually(lambda: bare.received() and dropped_before(bare.received()) > 0, "bare, nothing was dropped")
    assert "rror" not in trouble.programs["bare publisher"].printed

    eventually(lambda: dropped_before(subscriber.received() or [0]) > 0, "nothing was dropped")
    eventually(
        lambda: [one["hop"] for one in trouble.ask("/v1/incidents")] == ["publisher → subscriber"],
        "no incident",
    )
    pub, sub = trouble.socket("publisher", "PUB"), trouble.socket("subscriber", "SUB")
    assert pub is not None
    assert sub is not None
    assert pub["counters"]["onsets"] > 0
    assert sub["counters"]["lost"] >= 1
    (incident,) = trouble.ask("/v1/incidents")
    assert "the sender's pipe was full" in incident["evidence"][0]["text"]
    (limited_by,) = (
        one["tcp"]["limited_by"]
        for one in trouble.ask("/v1/connections")
        if one["socket_name"] == "publisher"
    )
    assert limited_by in {"receiver", "unknown"}
    words = ("LOSING", "met a full pipe", "the sender's pipe was full")
    shown(trouble, Story(words, drops=True, top=(SOCKETS, FULL_PIPE)))

    for program in (publisher, subscriber):
        program.end()
    sent, received = publisher.sent(), subscriber.received()

    def the_pipe_was_full(report: Report) -> None:
        balances(report, sent, received)
        found = causes(report)
        assert found["slow_receiver"] >= dropped_before(received)
        assert set(found) <= {"slow_receiver", "slow_joiner", *ENDED_BY_USER}
        assert {one["hop"] for one in report["incidents"]} == {"publisher → subscriber"}
        words = words_on(report, "slow_receiver")
        assert "exactly at a message that met a full pipe at publisher" in words
        assert "SNDHWM of publisher is 1000, RCVHWM of subscriber is 1000" in words
        assert "Make subscriber faster, or give it less" in words
        assert "A higher mark only delays the loss" in words

    told(trouble, the_pipe_was_full)


def test_more_room_at_the_subscriber_by_the_option_for_both_marks_delays_the_loss_and_no_more(
    plays: Plays, told: Told, shown: Shown
) -> None:
    trouble = plays["with_more_room_at_the_subscriber"]
    publisher, subscriber = trouble.programs["publisher"], trouble.programs["subscriber"]
    eventually(
        lambda: (trouble.socket("publisher", "PUB") or {"counters": {"onsets": 0}})["counters"]["onsets"],
        "no full pipe",
    )
    sub = trouble.socket("subscriber", "SUB")
    assert sub is not None
    assert (sub["options"]["rcvhwm"], sub["options"]["sndhwm"]) == (2000, 2000)
    eventually(lambda: dropped_before(subscriber.received() or [0]) > 0, "nothing was dropped")
    full = ("LOSING", "met a full pipe", "the sender's pipe was full")
    marks = ("in the pipe of publisher (its mark: 1,000)", "in the pipe of subscriber (its mark: 2,000)")
    of = ("publisher", "PUB")
    shown(trouble, Story((*full, *marks), of=of, drops=True, top=(SOCKETS, FULL_PIPE)))

    for program in (publisher, subscriber):
        program.end()
    sent, received = publisher.sent(), subscriber.received()

    def it_is_the_publishers_mark(report: Report) -> None:
        balances(report, sent, received)
        words = words_on(report, "slow_receiver")
        assert "exactly at a message that met a full pipe at publisher" in words
        assert "SNDHWM of publisher is 1000, RCVHWM of subscriber is 2000" in words
        assert "A higher mark only delays the loss" in words

    told(trouble, it_is_the_publishers_mark)
