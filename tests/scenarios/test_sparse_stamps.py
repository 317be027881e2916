"""One message in sixteen is stamped: the ledger is as exact as with all of them."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario


def test_what_a_slow_subscriber_loses_is_counted_exactly(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 500, "--stamp-every", 16)
    [endpoint] = quotes.expect("ready")
    slow = system.receiver(
        "slow", "--connect", endpoint, "--subscribe", "", "--delay", 0.004, "--rcvhwm", 10, "--rcvbuf", 4096
    )
    fast = system.receiver("fast", "--connect", endpoint, "--subscribe", "", "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 3005, 0.0005, "bonds", "stocks", event="sent")
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


def test_what_workers_of_one_pusher_got_adds_up(system: System, judge) -> None:
    jobs = system.sender("jobs", "--bind", LOOPBACK, "--stamp-every", 16, kind="PUSH")
    [endpoint] = jobs.expect("ready")
    workers = [system.receiver(name, "--connect", endpoint, kind="PULL") for name in ("one", "two")]
    jobs.ask("send", 2000, 0.0002, event="sent")
    for worker in workers:
        worker.ask("finish", event="finished")
    for program in (jobs, *workers):
        program.close()

    truth = system.truth()
    assert len(truth.got("one", "jobs")) + len(truth.got("two", "jobs")) == 2000
    judge([Way("jobs", name, lost_of_share=0) for name in ("one", "two")], {})
