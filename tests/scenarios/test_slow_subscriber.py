"""PUB → SUB where the SUB reads slower than the PUB sends: always, or in a burst only."""

import re
from typing import Any

import pytest
from judgement import Way
from system import LOOPBACK, System, another_system

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)


def test_the_slow_of_two_subscribers_loses_and_the_fast_one_loses_nothing(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 500)
    [endpoint] = quotes.expect("ready")
    slow = system.receiver("slow", "--connect", endpoint, "--subscribe", "", "--delay", 0.004, *SMALL_INBOX)
    fast = system.receiver("fast", "--connect", endpoint, "--subscribe", "", "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 3000, 0.0005, event="sent")
    for receiver in (slow, fast):
        receiver.ask("finish", event="finished")
    for program in (quotes, slow, fast):
        program.close()

    truth = system.truth()
    assert not truth.missing("quotes", "fast")
    judge(
        [Way("quotes", "slow"), Way("quotes", "fast")],
        {("quotes → slow", "slow_receiver"): len(truth.missing("quotes", "slow"))},
    )


def test_a_subscriber_that_is_too_slow_for_longer_than_any_burst_is_so_for_certain(
    system: System, judge
) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 50)
    [endpoint] = quotes.expect("ready")
    reading = ("--connect", endpoint, "--subscribe", "", "--delay", 0.01, *SMALL_INBOX)
    slow = system.receiver("slow", *reading, host="upstream")  # between two hosts it might be the network
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.ask("send", 5000, 0.003, event="sent")
    for _ in range(3):  # by the last time, its agent has seen that it had read all
        slow.ask("finish", event="finished")
    for program in (quotes, slow):
        program.close()

    judge(
        [Way("quotes", "slow")],
        {("quotes → slow", "slow_receiver"): len(system.truth().missing("quotes", "slow"))},
        exact=[("quotes → slow", "slow_receiver")],
    )


def play_a_burst(system: System, sndhwm: int) -> set[tuple[str, int]]:
    """A receiver that keeps up with a steady pace is sent far more for a moment; what it does not get."""
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", sndhwm, "--size", 500)
    [endpoint] = quotes.expect("ready")
    steady = system.receiver(
        "steady", "--connect", endpoint, "--subscribe", "", "--delay", 0.001, *SMALL_INBOX
    )
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.ask("send", 800, 0.005, event="sent")
    quotes.ask("send", 1500, 0, event="sent")
    quotes.ask("send", 800, 0.005, event="sent")
    steady.ask("finish", event="finished")
    for program in (quotes, steady):
        program.close()
    return system.truth().missing("quotes", "steady")


def test_a_receiver_that_keeps_up_on_the_mean_loses_only_in_the_burst_and_nothing_at_the_mark_that_is_advised(
    system: System, judge
) -> None:
    lost = len(play_a_burst(system, 10))

    def with_the_advised_mark_nothing_is_lost(report: dict[str, Any]) -> None:
        (advice, *_) = report["incidents"][0]["advice"]
        raised = re.match(r"Raise SNDHWM of quotes from 10 to at least (\d+):", advice)
        assert raised is not None, advice
        with another_system(system.folder / "again") as again:
            assert play_a_burst(again, int(raised[1])) == set()

    judge(
        [Way("quotes", "steady")],
        {("quotes → steady", "hwm_too_low"): lost},
        also=with_the_advised_mark_nothing_is_lost,
    )
