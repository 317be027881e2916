"""Who is closed in good order takes messages along, as one does that is killed; who is refused one has not lost it on the way.

All systems of this file are analysed together, as one job costs what one of them does.
"""

from typing import Any

import pytest
from judgement import Way
from programs import Program
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)


def test_what_is_closed_with_loses_and_what_was_refused_was_never_on_its_way(system: System, judge) -> None:
    pushes = {
        "hurried": _push(system, "hurried", ("--dontwait",), ("--pause-after", 10)),
        "waiting": _push(system, "waiting", (), ("--delay", 0.002)),
    }
    _close_with_messages_queued(system)
    refused = {name: _finished(*programs) for name, programs in pushes.items()}

    truth = system.truth()
    assert not truth.missing("steady", "patient")
    assert refused["hurried"] > 0
    assert {name: len(truth.owed(name)) for name in pushes} == {
        "hurried": 800 - refused["hurried"],
        "waiting": 800,
    }
    judge(
        [
            Way("hasty", "behind"),
            Way("steady", "early"),
            Way("steady", "patient"),
            Way("hurried", "of-hurried"),
            Way("waiting", "of-waiting"),
        ],
        {
            ("hasty → behind", "closed"): len(truth.missing("hasty", "behind")),
            ("steady → early", "closed"): len(truth.missing("steady", "early")),
        },
        exact=[("hasty → behind", "closed"), ("steady → early", "closed")],
        also=lambda report: told_of_refusals(report, refused["hurried"]),
    )


def _push(
    system: System, name: str, sending: tuple[str, ...], reading: tuple[str | float, ...]
) -> tuple[Program, Program]:
    """A PUSH at work, and its worker, which is slower or stops to read for a while."""
    sender = system.sender(name, "--bind", LOOPBACK, "--sndhwm", 10, *sending, kind="PUSH")
    [endpoint] = sender.expect("ready")
    worker = system.receiver(f"of-{name}", "--connect", endpoint, *reading, *SMALL_INBOX, kind="PULL")
    worker.expect("ready")
    sender.tell("send", 800, 0.0005)
    return sender, worker


def _finished(sender: Program, worker: Program) -> int:
    """How many sends of a PUSH were refused, once its worker has all the others."""
    (refused,) = sender.expect("sent")
    worker.ask("finish", event="finished")
    sender.close()
    worker.close()
    return int(refused)


def _close_with_messages_queued(system: System) -> None:
    """A PUB without LINGER that closes before its SUB has read, and a SUB that does before it has."""
    hasty = system.sender("hasty", "--bind", LOOPBACK, "--linger", 0)
    [of_hasty] = hasty.expect("ready")
    behind = system.receiver("behind", "--connect", of_hasty, "--subscribe", "", *SMALL_INBOX)
    steady = system.sender("steady", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [of_steady] = steady.expect("ready")
    early, patient = (
        system.receiver(name, "--connect", of_steady, "--subscribe", "") for name in ("early", "patient")
    )
    hasty.ask("await-subscriptions", 2, event="subscribed")
    steady.ask("await-subscriptions", 3, event="subscribed")

    for sender in (hasty, steady):
        sender.ask("send", 100, 0.002, event="sent")
    for receiver in (behind, early):
        receiver.ask("pause", event="paused")
    for sender in (hasty, steady):
        sender.ask("send", 500, 0.001, event="sent")
    hasty.close()
    behind.ask("finish", event="finished")
    patient.ask("finish", event="finished")
    early.close()
    for program in (behind, patient, steady):
        program.close()


def told_of_refusals(report: dict[str, Any], refused: int) -> None:
    (text,) = [finding["text"] for finding in report["findings"] if finding["rule"] == "refused"]
    assert text.startswith(f"hurried had {refused} sends refused with EAGAIN")
