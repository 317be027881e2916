"""Losses that look like those of another cause: what is missing at the start, in bursts, or beside a connection that went down."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)
READ_BETWEEN_BURSTS = 20
"""Messages: fewer than wait for the receiver after each burst."""


def test_a_topic_whose_first_messages_met_a_full_pipe_was_not_joined_late(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 20)
    [endpoint] = quotes.expect("ready")
    topics = ("--subscribe", "old", "--subscribe", "new")
    desk = system.receiver("desk", "--connect", endpoint, *topics, "--delay", 0.004, *SMALL_INBOX)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 1000, 0.0005, "old", event="sent")
    desk.ask("pause", event="paused")
    quotes.ask("send", 2000, 0.0005, "old", event="sent")
    quotes.ask("send", 100, 0.0005, "new", "old", event="sent")
    desk.tell("resume")
    quotes.ask("send", 2400, 0.0005, "new", "old", event="sent")
    desk.ask("finish", event="finished")
    for program in (quotes, desk):
        program.close()

    truth = system.truth()
    assert ("new", 0) in truth.missing("quotes", "desk")
    judge(
        [Way("quotes", "desk")],
        {("quotes → desk", "slow_receiver"): len(truth.missing("quotes", "desk"))},
    )


def test_a_connection_that_was_cut_while_nothing_was_sent_is_not_why_a_full_pipe_drops_later(
    system: System, judge
) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 100, "--size", 20_000)
    [endpoint] = quotes.expect("ready")
    relay = system.start("upstream", "relay", "--target-port", endpoint.rpartition(":")[2])
    [port] = relay.expect("ready")
    through = ("--connect", f"tcp://127.0.0.1:{port}", "--subscribe", "")
    slow = system.receiver("slow", *through, "--delay", 0.004, *SMALL_INBOX)
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.ask("send", 20, 0.01, event="sent")
    slow.ask("finish", event="finished")
    relay.ask("cut", event="cut")
    relay.ask("mend", event="mended")
    slow.ask("subscribe", "~again", event="subscribed")
    quotes.ask("await-subscriptions", 3, event="subscribed")
    quotes.ask("send", 3000, 0.0005, event="sent")
    slow.ask("finish", event="finished")
    for program in (quotes, slow, relay):
        program.close()

    lost = len(system.truth().missing("quotes", "slow"))
    judge([Way("quotes", "slow")], {("quotes → slow", "slow_receiver"): lost})


def test_bursts_that_a_receiver_never_gets_over_are_not_a_mark_that_is_too_low(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 50, "--size", 500)
    [endpoint] = quotes.expect("ready")
    slow = system.receiver("slow", "--connect", endpoint, "--subscribe", "", "--delay", 0.02, *SMALL_INBOX)
    quotes.ask("await-subscriptions", 2, event="subscribed")

    for _ in range(10):
        quotes.ask("send", 200, 0, event="sent")
        system.await_received("slow", more=READ_BETWEEN_BURSTS)
    slow.ask("finish", event="finished")
    for program in (quotes, slow):
        program.close()

    lost = len(system.truth().missing("quotes", "slow"))
    judge([Way("quotes", "slow")], {("quotes → slow", "slow_receiver"): lost})
