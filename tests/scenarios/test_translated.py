"""Neither end of a connection sees the other's address, as behind a service of Kubernetes whose nodes masquerade: hop and cause are told all the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import landed
from judgement import Way
from namespaces import GATEWAY, SENDER, SERVICE, Wire, inside, missing, wire
from system import BARE, System

pytestmark = [pytest.mark.scenario, pytest.mark.skipif(missing() is not None, reason=str(missing()))]

SERVICE_PORT = 7000


@pytest.fixture
def clean() -> Iterator[Wire]:
    with wire() as made:
        yield made


def test_a_slow_receiver_behind_translated_addresses_is_told_from_one_that_keeps_up(
    system: System, judge, clean: Wire
) -> None:
    system.host("upstream", inside(clean.sender))
    system.host("downstream", inside(clean.receiver))
    quotes = system.sender("quotes", "--bind", f"tcp://{SENDER}:*", "--sndhwm", 1000)
    [endpoint] = quotes.expect("ready")
    clean.translate(int(endpoint.rsplit(":", 1)[1]), SERVICE_PORT)
    calling = ("--connect", f"tcp://{SERVICE}:{SERVICE_PORT}", "--subscribe", "")
    slow = system.receiver("slow", *calling, "--delay", 0.004, "--rcvhwm", 10, "--rcvbuf", 4096)
    quick = system.receiver("quick", *calling, "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 6000, 0.0005, event="sent")
    for receiver in (slow, quick):
        receiver.ask("finish", event="finished")
    for program in (quotes, slow, quick):
        program.close()

    truth = system.truth()
    lost = len(truth.missing("quotes", "slow"))
    judge([Way("quotes", "slow"), Way("quotes", "quick")], {("quotes → slow", "slow_receiver"): lost})
    if not BARE:
        seen = {name: remotes(system.host(name).landed) for name in ("upstream", "downstream")}
        assert seen == {"upstream": {GATEWAY}, "downstream": {SERVICE}}


def remotes(folder: Path) -> set[str]:
    """The addresses, without ports, that the sockets of a host had connections to."""
    rows = landed(folder, "connection")
    return {row["remote"].rsplit(":", 1)[0] for row in rows if row["action"] == "connected"}
