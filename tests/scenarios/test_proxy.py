"""PUB → XSUB/XPUB proxy → two SUBs: the loss is behind the proxy, or before it."""

import pytest
from judgement import Way
from system import System

pytestmark = pytest.mark.scenario

WAYS = [Way("quotes", "slow"), Way("quotes", "fast")]


def test_a_proxy_drops_for_the_slow_one_of_its_subscribers(system: System, judge) -> None:
    proxy = system.start("middle", "proxy", "--out-hwm", 500)
    frontend, backend = proxy.expect("ready")
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    small_inbox = ("--rcvhwm", 10, "--rcvbuf", 4096)
    slow = system.receiver("slow", "--connect", backend, "--subscribe", "", "--delay", 0.004, *small_inbox)
    fast = system.receiver("fast", "--connect", backend, "--subscribe", "", "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 3000, 0.0005, event="sent")
    for receiver in (slow, fast):
        receiver.ask("finish", event="finished")
    for program in (quotes, slow, fast):
        program.close()
    proxy.terminate_at_rest()

    truth = system.truth()
    assert not truth.missing("quotes", "fast")
    judge(WAYS, {("proxy → slow", "slow_receiver"): len(truth.missing("quotes", "slow"))})


def test_a_paused_proxy_costs_both_subscribers_the_same_messages(system: System, judge) -> None:
    proxy = system.start("middle", "proxy", "--in-hwm", 10, "--out-hwm", 10_000)
    frontend, backend = proxy.expect("ready")
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10)
    slow = system.receiver("slow", "--connect", backend, "--subscribe", "", "--rcvhwm", 10_000)
    fast = system.receiver("fast", "--connect", backend, "--subscribe", "", "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 200, 0.002, event="sent")
    proxy.freeze()
    quotes.ask("send", 600, 0.002, event="sent")
    proxy.thaw()
    quotes.ask("send", 200, 0.002, event="sent")
    for receiver in (slow, fast):
        receiver.ask("finish", event="finished")
    for program in (quotes, slow, fast):
        program.close()
    proxy.terminate_at_rest()

    truth = system.truth()
    missing = truth.missing("quotes", "slow")
    assert missing == truth.missing("quotes", "fast")
    judge(WAYS, {("quotes → proxy", "slow_receiver"): len(missing)})
