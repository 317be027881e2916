"""PAIR and DEALER: one sender, one receiver, and nothing is dropped at a full pipe."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

READ, SENT = 100, 300
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
    judge(ways, losses)
