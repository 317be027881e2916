"""Two PUBs with topics, and SUBs that asked for some of them only."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

TOPICS = ("bonds", "funds", "futures", "shares")


def test_what_nobody_asked_for_is_no_gap(system: System, judge) -> None:
    paris = system.sender("paris", "--bind", LOOPBACK, "--sndhwm", 10_000)
    tokyo = system.sender("tokyo", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [paris_endpoint], [tokyo_endpoint] = paris.expect("ready"), tokyo.expect("ready")
    both = ("--connect", paris_endpoint, "--connect", tokyo_endpoint)
    everything = system.receiver("everything", *both, "--subscribe", "")
    bonds = system.receiver("bonds", *both, "--subscribe", "bonds")
    fu = system.receiver("fu", "--connect", paris_endpoint, "--subscribe", "fu")
    paris.ask("await-subscriptions", 6, event="subscribed")
    tokyo.ask("await-subscriptions", 4, event="subscribed")

    for sender in (paris, tokyo):
        sender.tell("send", 2000, 0.0005, *TOPICS)
    for sender in (paris, tokyo):
        sender.expect("sent")
    for receiver in (everything, bonds, fu):
        receiver.ask("finish", event="finished")
    for program in (paris, tokyo, everything, bonds, fu):
        program.close()

    truth = system.truth()
    ways = [
        Way("paris", "everything"),
        Way("tokyo", "everything"),
        Way("paris", "bonds", ("bonds",)),
        Way("tokyo", "bonds", ("bonds",)),
        Way("paris", "fu", ("funds", "futures")),
    ]
    assert not any(truth.missing(way.sender, way.receiver, way.topics) for way in ways)
    judge(ways, {})


def test_a_slow_subscriber_loses_of_its_own_topics_only(system: System, judge) -> None:
    paris = system.sender("paris", "--bind", LOOPBACK, "--sndhwm", 300)
    [endpoint] = paris.expect("ready")
    small_inbox = ("--rcvhwm", 10, "--rcvbuf", 4096)
    fu = system.receiver("fu", "--connect", endpoint, "--subscribe", "fu", "--delay", 0.004, *small_inbox)
    shares = system.receiver("shares", "--connect", endpoint, "--subscribe", "shares", "--rcvhwm", 10_000)
    paris.ask("await-subscriptions", 4, event="subscribed")

    paris.ask("send", 4000, 0.0003, *TOPICS, event="sent")
    for receiver in (fu, shares):
        receiver.ask("finish", event="finished")
    for program in (paris, fu, shares):
        program.close()

    truth = system.truth()
    fu_topics = ("funds", "futures")
    assert not truth.missing("paris", "shares", ("shares",))
    judge(
        [Way("paris", "fu", fu_topics), Way("paris", "shares", ("shares",))],
        {("paris → fu", "slow_receiver"): len(truth.missing("paris", "fu", fu_topics))},
    )
