"""An application that receives and sends on: two streams, and the loss is on the second."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario


def test_the_loss_is_found_on_the_second_of_two_hops(system: System, judge) -> None:
    raw = system.sender("raw", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [source] = raw.expect("ready")
    clean = ("--name", "clean", "--truth", system.truth_folder, "--from", source, "--bind", LOOPBACK)
    cleaner = system.start(
        "middle", "forwarder", *clean, "--sndhwm", 500, "--sndbuf", 4096, "--rcvhwm", 10_000
    )
    [endpoint] = cleaner.expect("ready")
    small_inbox = ("--rcvhwm", 10, "--rcvbuf", 4096)
    slow = system.receiver("slow", "--connect", endpoint, "--subscribe", "", "--delay", 0.004, *small_inbox)
    raw.ask("await-subscriptions", 2, event="subscribed")
    cleaner.ask("await-subscriptions", 2, event="subscribed")

    raw.ask("send", 3000, 0.0005, event="sent")
    cleaner.ask("finish", event="finished")
    slow.ask("finish", event="finished")
    for program in (raw, cleaner, slow):
        program.close()

    truth = system.truth()
    assert not truth.missing("raw", "clean-in")
    judge(
        [Way("raw", "clean-in"), Way("clean-out", "slow")],
        {("clean-out → slow", "slow_receiver"): len(truth.missing("clean-out", "slow"))},
    )
