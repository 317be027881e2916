"""PUB → SUB where the connection comes late, is cut and comes back, or ends with the PUB's process."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario


def test_a_subscriber_that_comes_late_misses_what_went_before(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = quotes.expect("ready")
    early = system.receiver("early", "--connect", endpoint, "--subscribe", "")
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.tell("send", 2000, 0.001)
    system.await_sent("quotes", 300)
    late = system.receiver("late", "--connect", endpoint, "--subscribe", "")
    late.expect("first")
    quotes.expect("sent")
    for receiver in (early, late):
        receiver.ask("finish", event="finished")
    for program in (quotes, early, late):
        program.close()

    truth = system.truth()
    assert not truth.missing("quotes", "early")
    judge(
        [Way("quotes", "early"), Way("quotes", "late")],
        {("quotes → late", "slow_joiner"): len(truth.missing("quotes", "late"))},
        advice={"slow_joiner": "Let quotes wait until late has subscribed before it sends"},
    )


def test_what_was_all_sent_before_a_subscriber_connected_was_so_for_certain(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = quotes.expect("ready")
    early = system.receiver("early", "--connect", endpoint, "--subscribe", "")
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.ask("send", 400, 0.001, event="sent")
    late = system.receiver("late", "--connect", endpoint, "--subscribe", "")
    quotes.ask("await-subscriptions", 3, event="subscribed")
    quotes.ask("send", 100, 0.001, event="sent")
    for receiver in (early, late):
        receiver.ask("finish", event="finished")
    for program in (quotes, early, late):
        program.close()

    truth = system.truth()
    assert not truth.missing("quotes", "early")
    assert len(truth.missing("quotes", "late")) == 400
    losses = {("quotes → late", "slow_joiner"): 400}
    judge([Way("quotes", "early"), Way("quotes", "late")], losses, exact=losses)


def test_what_is_sent_while_a_connection_is_cut_is_lost(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = quotes.expect("ready")
    relay = system.start("upstream", "relay", "--target-port", endpoint.rpartition(":")[2])
    [port] = relay.expect("ready")
    remote = system.receiver("remote", "--connect", f"tcp://127.0.0.1:{port}", "--subscribe", "")
    local = system.receiver("local", "--connect", endpoint, "--subscribe", "")
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.tell("send", 1000, 0.001)
    system.await_sent("quotes", 300)
    relay.ask("cut", event="cut")
    system.await_sent("quotes", 600)
    relay.ask("mend", event="mended")
    quotes.expect("sent")
    quotes.ask("await-subscriptions", 3, event="subscribed")
    quotes.ask("send", 300, 0.001, event="sent")
    for receiver in (remote, local):
        receiver.ask("finish", event="finished")
    for program in (quotes, remote, local, relay):
        program.close()

    truth = system.truth()
    assert not truth.missing("quotes", "local")
    judge(
        [Way("quotes", "remote"), Way("quotes", "local")],
        {("quotes → remote", "reconnect"): len(truth.missing("quotes", "remote"))},
        advice={"reconnect": "as quotes is bound, so is what is queued at quotes for it"},
    )


def test_what_a_killed_pub_had_not_passed_on_dies_with_it(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 1000)
    [endpoint] = quotes.expect("ready")
    slow = system.receiver("slow", "--connect", endpoint, "--subscribe", "", "--rcvhwm", 10, "--rcvbuf", 4096)
    quotes.ask("await-subscriptions", 2, event="subscribed")

    quotes.ask("send", 100, 0.002, event="sent")
    slow.ask("pause", event="paused")
    quotes.ask("send", 500, 0.001, event="sent")
    quotes.sigkill()
    slow.ask("finish", event="finished")
    slow.close()

    lost = len(system.truth().missing("quotes", "slow"))
    died = ("quotes → slow", "sender_died")
    drops = "would not have saved them: what has no room in its queue a PUB drops at once"
    judge([Way("quotes", "slow")], {died: lost}, exact=[died], advice={"sender_died": drops})
