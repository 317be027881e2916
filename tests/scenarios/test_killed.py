"""Processes that are killed with messages unread: for memory by the kernel, or by somebody."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from judgement import Way
from memory_limit import NoLimitError, limited
from programs import Program
from system import BARE, LOOPBACK, System

pytestmark = pytest.mark.scenario

LIMIT = 60_000_000
VICTIMS = ("greedy", "frugal")


@pytest.fixture
def cgroups() -> Iterator[dict[str, Path]]:
    """One each, with little memory."""
    try:
        with ExitStack() as stack:
            yield {name: stack.enter_context(limited(LIMIT)) for name in VICTIMS}
    except NoLimitError as error:
        pytest.skip(str(error))


def evidence_of_memory(report: dict[str, Any]) -> dict[str, list[int]]:
    """The limits of cgroups whose processes the kernel is said to have killed, by hop."""
    return {
        incident["hop"]: [item["limit"] for item in incident["evidence"] if item["kind"] == "oom"]
        for incident in report["incidents"]
    }


def test_who_the_kernel_killed_for_memory_is_told_from_who_was_killed_beside_it(
    system: System, judge, cgroups: dict[str, Path]
) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = quotes.expect("ready")
    connect = ("--connect", endpoint, "--subscribe", "")
    victims: dict[str, Program] = {}
    for name, cgroup in cgroups.items():
        victims[name] = system.receiver(name, *connect)
        victims[name].expect("ready")
        (cgroup / "cgroup.procs").write_text(str(victims[name].pid))
    survivor = system.receiver("survivor", *connect)
    quotes.ask("await-subscriptions", 4, event="subscribed")

    quotes.ask("send", 200, 0.001, event="sent")
    for victim in victims.values():
        victim.ask("pause", event="paused")
    quotes.ask("send", 800, 0.001, event="sent")
    if not BARE:
        for cgroup in cgroups.values():
            system.await_memory_of("downstream", cgroup.name)
    victims["frugal"].sigkill()
    victims["greedy"].tell("eat")
    victims["greedy"].wait(status=-9)
    survivor.ask("finish", event="finished")
    quotes.close()
    survivor.close()

    truth = system.truth()
    assert not truth.missing("quotes", "survivor")
    judge(
        [Way("quotes", name) for name in (*VICTIMS, "survivor")],
        {(f"quotes → {name}", "receiver_died"): len(truth.missing("quotes", name)) for name in VICTIMS},
        exact=[(f"quotes → {name}", "receiver_died") for name in VICTIMS],
        advice={"receiver_died": "is lost with it, as it is bound, up to SNDHWM (now 10000"},
        also=only_the_greedy_one_was_killed_for_memory,
    )


def only_the_greedy_one_was_killed_for_memory(report: dict[str, Any]) -> None:
    (limit,) = evidence_of_memory(report)["quotes → greedy"]
    assert LIMIT - 4096 < limit <= LIMIT
    assert evidence_of_memory(report)["quotes → frugal"] == []
