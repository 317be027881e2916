"""Hosts whose clocks differ by seconds: what happened first is told by what connects them, not by what each says the time is."""

import pytest
from faked_clocks import faked_wall_clock
from judgement import Way
from system import System

pytestmark = pytest.mark.scenario

OFFSETS = {"upstream": "+0", "middle": "+7s", "downstream": "-4s"}


def clock_of(offset: str) -> list[str]:
    """What to put before a command that is to see a clock so wrong."""
    return ["env", *(f"{name}={value}" for name, value in faked_wall_clock(FAKETIME=offset).items())]


def test_clocks_that_are_seconds_apart_change_no_hop_and_no_cause(system: System, judge) -> None:
    for host, offset in OFFSETS.items():
        system.host(host, clock_of(offset))
    proxy = system.start("middle", "proxy", "--in-hwm", 10_000, "--out-hwm", 1000)
    frontend, backend = proxy.expect("ready")
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    subscribed = ("--connect", backend, "--subscribe", "")
    slow = system.receiver("slow", *subscribed, "--delay", 0.004, "--rcvhwm", 10, "--rcvbuf", 4096)
    victim = system.receiver("victim", *subscribed, "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.tell("send", 3000, 0.0005)
    system.await_sent("quotes", 500)
    late = system.receiver("late", *subscribed, "--rcvhwm", 10_000)
    late.expect("first")
    quotes.expect("sent")
    victim.ask("finish", event="finished")
    victim.ask("pause", event="paused")
    quotes.ask("send", 50, 0.002, event="sent")
    late.ask("finish", event="finished")  # so nothing was sent for longer than what the clocks leave open
    victim.sigkill()
    slow.ask("finish", event="finished")
    for program in (quotes, slow, late):
        program.close()
    proxy.terminate_at_rest()

    truth = system.truth()
    lost = {name: len(truth.missing("quotes", name)) for name in ("slow", "victim", "late")}
    judge(
        [Way("quotes", name) for name in lost],
        {
            ("proxy → slow", "slow_receiver"): lost["slow"],
            ("proxy → victim", "receiver_died"): lost["victim"],
            ("proxy → late", "slow_joiner"): lost["late"],
        },
    )
