"""Wirings beyond one sender and one receiver: trees of proxies, many into one."""

from typing import Any

import pytest
from judgement import Way
from programs import Program
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)
ROOMY = ("--rcvhwm", 10_000)


def bound(system: System, name: str, kind: str, *arguments: object) -> tuple[Program, str]:
    """A receiver that others connect to, and its endpoint."""
    receiver = system.receiver(name, "--bind", LOOPBACK, *arguments, kind=kind)
    return receiver, receiver.expect("ready")[0]


def test_in_a_tree_of_proxies_the_one_that_drops_is_told_from_those_before_and_beside_it(
    system: System, judge
) -> None:
    root, frontend, trunk = system.proxy("root", "--out-hwm", 10_000)
    leaf = ("--in-hwm", 10_000, "--upstream", trunk)
    left, _, left_end = system.proxy("left", *leaf, "--out-hwm", 1000)
    right, _, right_end = system.proxy("right", *leaf, "--out-hwm", 10_000)
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    slow = system.receiver("slow", "--connect", left_end, "--subscribe", "", "--delay", 0.004, *SMALL_INBOX)
    near = system.receiver("near", "--connect", left_end, "--subscribe", "", *ROOMY)
    far = system.receiver("far", "--connect", right_end, "--subscribe", "", *ROOMY)
    receivers = (slow, near, far)
    quotes.ask("await-subscriptions", 4, event="subscribed")

    quotes.ask("send", 5000, 0.0005, event="sent")
    for receiver in receivers:
        receiver.ask("finish", event="finished")
    for program in (quotes, *receivers):
        program.close()
    for proxy in (left, right, root):
        proxy.terminate_at_rest()

    truth = system.truth()
    assert not truth.missing("quotes", "near")
    assert not truth.missing("quotes", "far")
    judge(
        [Way("quotes", name) for name in ("slow", "near", "far")],
        {("left → slow", "slow_receiver"): len(truth.missing("quotes", "slow"))},
    )


def test_what_one_proxy_drops_for_another_is_lost_between_the_two(system: System, judge) -> None:
    root, frontend, trunk = system.proxy("root", "--out-hwm", 400)
    branch, _, end = system.proxy("branch", "--in-hwm", 10, "--upstream", trunk, "--out-hwm", 10_000)
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    near = system.receiver("near", "--connect", trunk, "--subscribe", "", *ROOMY)
    far = [system.receiver(name, "--connect", end, "--subscribe", "", *ROOMY) for name in ("far", "as-far")]
    quotes.ask("await-subscriptions", 4, event="subscribed")
    quotes.ask("send", 100, 0.001, event="sent")

    branch.freeze()
    quotes.ask("send", 2000, 0.001, event="sent")
    branch.thaw()
    quotes.ask("send", 200, 0.001, event="sent")
    for receiver in (near, *far):
        receiver.ask("finish", event="finished")
    for program in (quotes, near, *far):
        program.close()
    for proxy in (branch, root):
        proxy.terminate_at_rest()

    truth = system.truth()
    missing = truth.missing("quotes", "far")
    assert missing
    assert missing == truth.missing("quotes", "as-far")
    assert not truth.missing("quotes", "near")
    judge(
        [Way("quotes", name) for name in ("near", "far", "as-far")],
        {("root → branch", "slow_receiver"): len(missing)},
    )


@pytest.mark.parametrize(("sending", "receiving"), [("PUSH", "PULL"), ("DEALER", "ROUTER")])
def test_of_two_that_send_to_one_the_killed_one_takes_its_queue_along(
    system: System, judge, sending: str, receiving: str
) -> None:
    sink, endpoint = bound(system, "sink", receiving, *SMALL_INBOX)
    victim, survivor = (
        system.sender(name, "--connect", endpoint, kind=sending) for name in ("victim", "survivor")
    )
    for program in (victim, survivor):
        program.ask("send", 200, 0.001, event="sent")
    sink.ask("finish", event="finished")
    sink.ask("pause", event="paused")
    for program in (victim, survivor):
        program.ask("send", 600, 0.0005, event="sent")
    victim.sigkill()
    sink.ask("finish", event="finished")
    for program in (survivor, sink):
        program.close()

    truth = system.truth()
    assert not truth.missing("survivor", "sink")
    judge(
        [Way("victim", "sink"), Way("survivor", "sink")],
        {("victim → sink", "sender_died"): len(truth.missing("victim", "sink"))},
        exact=[("victim → sink", "sender_died")],
    )


def test_a_publisher_that_comes_again_at_its_place_begins_a_stream_of_its_own(system: System, judge) -> None:
    first = system.sender("first-run", "--bind", LOOPBACK, "--sndhwm", 1000)
    [endpoint] = first.expect("ready")
    desk = system.receiver("desk", "--connect", endpoint, "--subscribe", "", *SMALL_INBOX)
    first.ask("await-subscriptions", 2, event="subscribed")
    first.ask("send", 100, 0.002, event="sent")
    desk.ask("pause", event="paused")
    first.ask("send", 500, 0.001, event="sent")
    first.sigkill()
    second = system.sender("second-run", "--bind", endpoint, "--sndhwm", 1000)
    desk.ask("finish", event="finished")
    second.ask("await-subscriptions", 2, event="subscribed")
    second.ask("send", 500, 0.001, event="sent")
    desk.ask("finish", event="finished")
    for program in (second, desk):
        program.close()

    truth = system.truth()
    assert not truth.missing("second-run", "desk")
    judge(
        [Way("first-run", "desk"), Way("second-run", "desk")],
        {("first-run → desk", "sender_died"): len(truth.missing("first-run", "desk"))},
        exact=[("first-run → desk", "sender_died")],
    )


def test_one_that_two_publishers_send_more_to_than_it_can_read_is_slow_for_both(
    system: System, judge
) -> None:
    inbox = ("--rcvhwm", 10, "--rcvbuf", 65_536)  # with much less, TCP itself holds one of them back at times
    desk, endpoint = bound(system, "desk", "SUB", "--subscribe", "", "--delay", 0.004, *inbox)
    names = ("bids", "asks")
    outbox = ("--sndhwm", 20, "--sndbuf", 65_536, "--size", 2000)
    publishers = [system.sender(name, "--connect", endpoint, *outbox) for name in names]
    for publisher in publishers:
        publisher.ask("await-subscriptions", 2, event="subscribed")
    for publisher in publishers:
        publisher.tell("send", 1500, 0.005)
    for publisher in publishers:
        publisher.expect("sent")
    desk.ask("finish", event="finished")
    for program in (*publishers, desk):
        program.close()

    truth = system.truth()
    judge(
        [Way(name, "desk") for name in names],
        {(f"{name} → desk", "slow_receiver"): len(truth.missing(name, "desk")) for name in names},
    )


def test_a_proxy_that_comes_again_at_its_place_is_not_said_to_have_been_slow(
    system: System, when_told
) -> None:
    hub, frontend, backend = system.proxy("hub", "--out-hwm", 10_000)
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    desk = system.receiver("desk", "--connect", backend, "--subscribe", "", *SMALL_INBOX, host="desk")
    tape = system.receiver("tape", "--connect", backend, "--subscribe", "", *ROOMY, host="tape")
    quotes.ask("await-subscriptions", 3, event="subscribed")
    quotes.ask("send", 100, 0.002, event="sent")
    desk.ask("pause", event="paused")
    quotes.tell("send", 1900, 0.002)
    system.await_sent("quotes", 800)
    hub.sigkill()
    again, _, _ = system.proxy("hub", "--out-hwm", 10_000, "--bind", frontend, backend)
    desk.tell("resume")
    quotes.expect("sent")
    for receiver in (desk, tape):
        receiver.ask("finish", event="finished")
    for program in (quotes, desk, tape):
        program.close()
    again.terminate_at_rest()

    truth = system.truth()
    missing = {name: len(truth.missing("quotes", name)) for name in ("desk", "tape")}
    assert missing["desk"] > 0  # waited in the hub, and went with it
    assert all(("", 1999) in truth.got(name, "quotes") for name in missing)

    def was_away(report: dict[str, Any]) -> None:
        assert {row["receiver_name"]: row["lost"] + row["unexplained"] for row in report["ledger"]} == missing
        assert {incident["cause"] for incident in report["incidents"]} == {"reconnect"}
        assert {incident["certainty"] for incident in report["incidents"]} == {"inferred"}
        evidence = [item for incident in report["incidents"] for item in incident["evidence"]]
        assert any("in place of another proxy that ended" in item["text"] for item in evidence)

    when_told(was_away)
