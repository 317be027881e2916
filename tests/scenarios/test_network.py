"""PUB → SUB over links between network namespaces: a slow link, a lossy one and a slow receiver look alike to the sender, and are told apart."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from judgement import Way
from namespaces import SENDER, Wire, inside, missing, wire
from programs import Program
from system import System

pytestmark = [pytest.mark.scenario, pytest.mark.skipif(missing() is not None, reason=str(missing()))]

FAR = (("--size", 1000, "--sndbuf", 131_072), ())
LOSSY = (("--size", 5000, "--sndbuf", 131_072), ())
NEAR = ((), ("--delay", 0.003, "--rcvhwm", 10, "--rcvbuf", 4096))
"""What the sender and the receiver are given: those with the slow link, with the lossy one, and those of whom the receiver is slow."""

LONG_ENOUGH = 14_000
"""Messages: the agent has to look at the connection twice meanwhile, also where it comes to that seldom."""


@pytest.fixture
def wires() -> Iterator[dict[str, Wire]]:
    """A slow one, one that loses a tenth, and a clean one."""
    with ExitStack() as stack:
        wires = {name: stack.enter_context(wire()) for name in ("far", "lossy", "near")}
        wires["far"].slow_down("4mbit")
        wires["lossy"].lose(0.1)
        yield wires


def test_a_slow_link_and_a_lossy_one_are_told_from_a_receiver_that_is_slow(
    system: System, judge, wires: dict[str, Wire]
) -> None:
    programs: list[tuple[Program, Program]] = []
    for name, (sending, receiving) in (("far", FAR), ("lossy", LOSSY), ("near", NEAR)):
        system.host(f"{name}-upstream", inside(wires[name].sender))
        system.host(f"{name}-downstream", inside(wires[name].receiver))
        bound = ("--bind", f"tcp://{SENDER}:*", "--sndhwm", 100)
        sender = system.sender(f"{name}-quotes", *bound, *sending, host=f"{name}-upstream")
        [endpoint] = sender.expect("ready")
        connected = ("--connect", endpoint, "--subscribe", "")
        receiver = system.receiver(f"{name}-desk", *connected, *receiving, host=f"{name}-downstream")
        programs.append((sender, receiver))
    for sender, _ in programs:
        sender.ask("await-subscriptions", 2, event="subscribed")

    for (sender, _), count in zip(programs, (LONG_ENOUGH, LONG_ENOUGH, 6000), strict=True):
        sender.tell("send", count, 0.0005)
    for sender, receiver in programs:
        sender.expect("sent")
        receiver.ask("finish", event="finished")
    for sender, receiver in programs:
        sender.close()
        receiver.close()

    truth = system.truth()
    lost = {name: len(truth.missing(f"{name}-quotes", f"{name}-desk")) for name in wires}
    judge(
        [Way(f"{name}-quotes", f"{name}-desk") for name in wires],
        {
            ("far-quotes → far-desk", "network"): lost["far"],
            ("lossy-quotes → lossy-desk", "network"): lost["lossy"],
            ("near-quotes → near-desk", "slow_receiver"): lost["near"],
        },
        also=the_loss_of_packets_is_what_to_look_into,
    )


def the_loss_of_packets_is_what_to_look_into(report: dict[str, Any]) -> None:
    told = [i["advice"][0] for i in report["incidents"] if i["hop"] == "lossy-quotes → lossy-desk"]
    assert told
    assert all(
        text.startswith("Find out why the network between lossy-quotes and lossy-desk loses packets")
        for text in told
    )
