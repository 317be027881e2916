"""Who is killed or closed after its last messages were dropped at a full pipe: the end comes after the loss and is not why."""

import pytest
from judgement import Way
from programs import Program
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

SLOW = ("--delay", 0.004, "--rcvhwm", 10, "--rcvbuf", 4096)
FIRST_TO_END = {
    ("quotes-killed", "its-reader"): (0, Program.sigkill),
    ("quotes-closed", "its-last-reader"): (0, Program.close),
    ("its-quotes", "reader-killed"): (1, Program.sigkill),
    ("its-last-quotes", "reader-closed"): (1, Program.close),
}
"""Of each sender and its receiver, which one ends first (0 or 1), and how."""


def started_pair(system: System, sender_name: str, receiver_name: str) -> tuple[Program, Program]:
    """A PUB that drops at once what it still has when it is closed, and its SUB, on hosts of their own."""
    sender = system.sender(sender_name, "--bind", LOOPBACK, "--sndhwm", 20, "--linger", 0)
    [endpoint] = sender.expect("ready")
    receiver = system.receiver(receiver_name, "--connect", endpoint, "--subscribe", "", *SLOW)
    sender.ask("await-subscriptions", 2, event="subscribed")
    return sender, receiver


def test_who_ends_after_a_full_pipe_has_cost_the_last_messages_is_not_why_they_are_missing(
    system: System, judge
) -> None:
    pairs = {names: started_pair(system, *names) for names in FIRST_TO_END}
    for sender, _ in pairs.values():
        sender.tell("send", 1000, 0.0005)
    for sender, receiver in pairs.values():
        sender.expect("sent")
        receiver.ask("pause", event="paused")
        sender.ask("send", 2000, 0.0005, event="sent")
        receiver.ask("finish", event="finished")
    for names, (first, end) in FIRST_TO_END.items():
        end(pairs[names][first])
        pairs[names][1 - first].close()

    truth = system.truth()
    for names in FIRST_TO_END:
        assert ("", 2999) in truth.missing(*names)
    judge(
        [Way(*names) for names in FIRST_TO_END],
        {
            (f"{sender} → {receiver}", "slow_receiver"): len(truth.missing(sender, receiver))
            for sender, receiver in FIRST_TO_END
        },
    )
