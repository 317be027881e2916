"""PUB → SUB where the SUB reads slower than the PUB sends: always, or in a burst only."""

import pytest
from judgement import Way
from system import LOOPBACK, System

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


def test_a_receiver_that_keeps_up_on_the_mean_loses_only_in_the_burst(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10, "--size", 500)
    [endpoint] = quotes.expect("ready")
    steady = system.receiver(
        "steady", "--connect", endpoint, "--subscribe", "", "--delay", 0.001, *SMALL_INBOX
    )
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.ask("send", 400, 0.005, event="sent")
    quotes.ask("send", 1500, 0, event="sent")
    quotes.ask("send", 400, 0.005, event="sent")
    steady.ask("finish", event="finished")
    for program in (quotes, steady):
        program.close()

    truth = system.truth()
    judge(
        [Way("quotes", "steady")],
        {("quotes → steady", "hwm_too_low"): len(truth.missing("quotes", "steady"))},
    )
