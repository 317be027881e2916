"""A socket belongs to the process that opened it first: what another journal says of it is a fault, and changes nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
STREAM = "00000000000000b2"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]
Claim = Callable[[JournalWriter], object]


def opened(writer: JournalWriter) -> None:
    writer.event("opened", socket=SOCKET, name="quotes", type="PUB", slot=[0, 0])


def closed(writer: JournalWriter) -> None:
    writer.event("closed", socket=SOCKET, counters={"sent": 5_000})


def slots(writer: JournalWriter) -> None:
    writer.set_counters(SOCKET, 0, sent=5_000)
    writer.set_lane(0, SOCKET, STREAM, 0, 5_000, 0, 0, 5_000, 1_000)


def sent_of_all_series(bench: Any) -> int:
    totals = [total.counters[0] for total in bench.tables.totals.values()]
    return sum(totals) + sum(socket.counters[0] for socket in bench.tables.sockets.values())


@pytest.mark.parametrize("claims", [[opened], [closed], [slots], [opened, slots], [slots, opened, closed]])
def test_another_process_claim_to_a_socket_is_a_fault_and_changes_nothing(
    bench: Any, alive: Alive, claims: list[Claim]
) -> None:
    owner = bench.writer()
    owner.opened(SOCKET)
    owner.set_counters(SOCKET, 0, sent=7)
    owner.set_lane(0, SOCKET, STREAM, 0, 7, 0, 0, 7, 1_000)
    with alive(owner):
        bench.tick()
        other = bench.writer()
        with alive(other):
            for claim in claims:
                claim(other)
            bench.tick()
            assert bench.tables.sockets[SOCKET].process == owner.process
            assert bench.view.socket(SOCKET).counters["sent"] == sent_of_all_series(bench) == 7
        # what a process leaves is its last word, but of its own sockets alone
        bench.tick()
        assert not bench.tables.sockets[SOCKET].final
        owner.set_counters(SOCKET, 0, sent=9)
        owner.set_lane(0, SOCKET, STREAM, 0, 9, 0, 0, 9, 1_000)
        bench.tick()
        assert bench.view.socket(SOCKET).counters["sent"] == sent_of_all_series(bench) == 9
    bench.tick()
    assert [(row["process"], row["sent"], row["final"]) for row in bench.rows("counters")] == [
        (owner.process, 7, False),
        (owner.process, 9, False),
        (owner.process, 9, True),
    ]
    assert {row["process"] for kind in ("lane", "socket") for row in bench.rows(kind)} == {owner.process}
    faults = bench.faults()
    assert len(faults) == len(claims)
    assert all(f"socket {SOCKET} is process {owner.process}'s" in fault for fault in faults)


def test_a_socket_of_its_own_goes_on_beside_a_claim(bench: Any, alive: Alive) -> None:
    owner, other = bench.writer(), bench.writer()
    owner.opened(SOCKET)
    with alive(owner), alive(other):
        bench.tick()
        opened(other)
        other.opened(STREAM, slot=1)
        other.set_counters(STREAM, 1, sent=3)
        bench.tick()
        assert bench.view.socket(STREAM).counters["sent"] == 3
        assert bench.process(other).events_lost == 0
