"""DEALERs that ask a ROUTER, and its answers to each by routing id: what one does not read costs that one alone, and no question."""

import pytest
from judgement import Way
from programs import Program
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

NARROW = ("--rcvhwm", 10, "--rcvbuf", 4096, "--delay", 0.004)
TURNS, QUESTIONS_A_TURN = 400, 6
TURNS_BEFORE_A_LOOK = 5
"""Fewer than fit into the ROUTER's pipe to one peer: who reads at once is never too slow, however busy the machine is."""


def dealer(system: System, name: str, endpoint: str, *arguments: object) -> Program:
    program = system.receiver(name, "--connect", endpoint, "--routing-id", name, *arguments, kind="DEALER")
    program.expect("ready")
    return program


def test_answers_that_one_dealer_is_too_slow_for_are_lost_and_no_question_is(system: System, judge) -> None:
    answering = ("--type", "ROUTER", "--truth", system.truth_folder, "--sndhwm", 10, "--sndbuf", 4096)
    server = system.start("upstream", "replier", "--name", "server", "--bind", LOOPBACK, *answering)
    [endpoint] = server.expect("ready")
    slow = dealer(system, "slow", endpoint, *NARROW)
    quick = dealer(system, "quick", endpoint)
    for turn in range(1, TURNS + 1):
        slow.ask("send", QUESTIONS_A_TURN, event="sent")
        quick.ask("send", 1, event="sent")
        if turn % TURNS_BEFORE_A_LOOK == 0:
            system.await_received_in_all("quick", turn)
    for program in (slow, quick):
        program.ask("finish", event="finished")
    for program in (slow, quick, server):
        program.close()

    truth = system.truth()
    assert not truth.missing("server", "quick", ("quick",))
    lost = len(truth.missing("server", "slow", ("slow",)))
    judge(
        [
            Way("slow", "server"),
            Way("quick", "server"),
            Way("server", "slow", ("slow",)),
            Way("server", "quick", ("quick",)),
        ],
        {("server → slow", "slow_receiver"): lost},
        advice={"slow_receiver": "Or set ROUTER_MANDATORY on server"},
    )
