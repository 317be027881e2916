"""Where a process runs in Kubernetes is landed once, and shown with its sockets."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from journal_writer import JournalWriter

PLACE = {
    "namespace": "trading",
    "pod": "feed-0",
    "container": "app",
    "node": "n1",
    "owner": "StatefulSet/feed",
}
SOCKET = "a" * 16
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


def places(bench: Any) -> list[dict[str, Any]]:
    return [{name: row[name] for name in PLACE} for row in bench.rows("place")]


def test_a_place_is_landed_once_however_many_segments_tell_of_it(bench: Any, alive: Alive) -> None:
    writer = bench.writer(place=PLACE)
    with alive(writer):
        for _ in range(3):
            writer.opened(SOCKET)
            bench.tick()
            bench.reopen()
            writer.next_segment()
        bench.tick()
    assert places(bench) == [PLACE]


def test_it_is_shown_with_the_sockets_of_the_process_after_a_restart_too(bench: Any, alive: Alive) -> None:
    writer = bench.writer(place=PLACE)
    with alive(writer):
        writer.opened(SOCKET)
        bench.tick()
        bench.reopen()
        bench.tick()
        (socket,) = bench.view.sockets()
    assert {name: getattr(socket.process.place, name) for name in PLACE} == PLACE


@pytest.mark.parametrize("known", [{}, {"pod": "feed-0"}])
def test_what_is_not_known_is_null_and_nothing_is_landed_where_nothing_is(
    bench: Any, known: dict[str, str]
) -> None:
    bench.writer(place=known).opened(SOCKET)
    bench.tick()
    assert places(bench) == ([dict.fromkeys(PLACE) | known] if known else [])


@pytest.mark.parametrize("place", ["feed-0", {"pod": 7}, ["feed-0"]])
def test_a_place_that_is_none_is_a_fault_of_that_journal(bench: Any, place: Any) -> None:
    bench.writer(place=place).opened(SOCKET)
    bench.tick()
    (fault,) = bench.faults()
    assert "place" in fault
