"""Nothing is changed on the wire: how many messages are missing is as exact as with stamps, and which and why is not known."""

from typing import Any

import pytest
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

COUNT = ("--sequence", "count")
TOPICS = ("a", "b", "ab")


def row(report: dict[str, Any], receiver: str) -> dict[str, Any]:
    (found,) = [item for item in report["ledger"] if item["receiver_name"] == receiver]
    return found


def test_a_filtering_subscriber_is_owed_its_topics_and_what_it_lost_is_counted_exactly(
    system: System, when_told
) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 500, *COUNT)
    [endpoint] = quotes.expect("ready")
    small_inbox = ("--rcvhwm", 10, "--rcvbuf", 4096)
    slow = system.receiver(
        "slow", "--connect", endpoint, "--subscribe", "a", "--delay", 0.01, *small_inbox, *COUNT
    )
    fast = system.receiver("fast", "--connect", endpoint, "--subscribe", "", "--rcvhwm", 10_000, *COUNT)
    quotes.ask("await-subscriptions", 4, event="subscribed")
    quotes.ask("send", 3000, 0.0005, *TOPICS, event="sent")
    for receiver in (slow, fast):
        receiver.ask("finish", event="finished")
    for program in (quotes, slow, fast):
        program.close()

    truth = system.truth()
    missing = truth.missing("quotes", "slow", ("a", "ab"))
    assert missing
    assert not truth.missing("quotes", "fast")

    def is_counted(report: dict[str, Any]) -> None:
        lossy, whole = row(report, "slow"), row(report, "fast")
        assert (lossy["sent"], lossy["delivered"]) == (2000, len(truth.got("slow", "quotes")))
        assert lossy["causes"] == {"unexplained": len(missing)}
        assert (whole["sent"], whole["delivered"], whole["causes"]) == (3000, 3000, {})
        assert report["incidents"] == []

    when_told(is_counted)


def test_what_was_sent_before_a_late_subscription_has_no_cause(system: System, when_told) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10_000, *COUNT)
    [endpoint] = quotes.expect("ready")
    first = system.receiver("first", "--connect", endpoint, "--subscribe", "", *COUNT)
    quotes.ask("await-subscriptions", 2, event="subscribed")
    quotes.ask("send", 900, 0.0003, *TOPICS, event="sent")
    late = system.receiver("late", "--connect", endpoint, "--subscribe", "a", *COUNT)
    quotes.ask("await-subscriptions", 4, event="subscribed")
    quotes.ask("send", 900, 0.0003, *TOPICS, event="sent")
    for receiver in (first, late):
        receiver.ask("finish", event="finished")
    for program in (quotes, first, late):
        program.close()

    def is_unexplained(report: dict[str, Any]) -> None:
        assert (row(report, "first")["sent"], row(report, "first")["causes"]) == (1800, {})
        found = row(report, "late")
        assert found["delivered"] == 600
        assert found["causes"] in ({}, {"unexplained": found["unexplained"]})
        assert found["unexplained"] <= 600
        assert report["incidents"] == []

    when_told(is_unexplained)
