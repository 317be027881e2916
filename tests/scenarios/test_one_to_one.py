"""PAIR and DEALER: one sender, one receiver, and nothing is dropped at a full pipe."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

READ, SENT = 100, 300
NARROW = ("--rcvhwm", 10, "--sndbuf", 4096, "--rcvbuf", 4096)
KINDS = {"PAIR": ("left", "right"), "DEALER": ("front", "back")}


def test_what_a_killed_peer_had_not_read_is_lost_with_it_and_what_its_neighbour_had_is_not(
    system: System, judge
) -> None:
    ways, losses = [], {}
    for kind, (sender_name, victim_name) in KINDS.items():
        sender = system.sender(sender_name, "--bind", LOOPBACK, kind=kind)
        [endpoint] = sender.expect("ready")
        inbox = ("--connect", endpoint, "--pause-after", READ)
        victim = system.receiver(victim_name, *inbox, kind=kind, host="edge")
        victim.expect("ready")
        sender.ask("send", SENT, 0.0005, event="sent")
        victim.expect("paused")
        victim.sigkill()

        healthy = f"healthy-{kind.lower()}"
        spare = system.sender(healthy, "--bind", LOOPBACK, kind=kind)
        [endpoint] = spare.expect("ready")
        reader = system.receiver(f"reader-of-{healthy}", "--connect", endpoint, kind=kind)
        reader.expect("ready")
        spare.ask("send", SENT, 0.0005, event="sent")
        reader.ask("finish", event="finished")
        for program in (sender, spare, reader):
            program.close()

        lost = len(system.truth().missing(sender_name, victim_name))
        assert lost == SENT - READ
        ways += [Way(sender_name, victim_name), Way(healthy, f"reader-of-{healthy}")]
        losses[f"{sender_name} → {victim_name}", "receiver_died"] = lost
    judge(ways, losses, exact=losses)


def test_of_two_that_talk_both_ways_at_once_one_is_killed_and_both_ways_lose(system: System, judge) -> None:
    left = system.receiver("left", "--bind", LOOPBACK, *NARROW, kind="DEALER", host="upstream")
    [endpoint] = left.expect("ready")
    right = system.receiver("right", "--connect", endpoint, *NARROW, kind="DEALER", host="downstream")
    peers = (left, right)
    for peer in peers:
        peer.ask("send", READ, event="sent")
    for peer in peers:
        peer.ask("finish", event="finished")
    for peer in peers:
        peer.ask("pause", event="paused")
    for peer in peers:
        peer.ask("send", SENT, event="sent")
    right.sigkill()
    left.ask("finish", event="finished")
    left.close()

    truth = system.truth()
    losses = {
        ("left → right", "receiver_died"): len(truth.missing("left", "right")),
        ("right → left", "sender_died"): len(truth.missing("right", "left")),
    }
    judge([Way("left", "right"), Way("right", "left")], losses, exact=losses)
