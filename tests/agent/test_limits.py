"""Limits: what a journal tells is held up to them, said to be past them, and counted; and nothing else suffers."""

import struct
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hopwatch_agent.cleaning import Departures
from hopwatch_agent.journal.directory import scan
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.tail import tail_process
from journal_writer import HEADER_SIZE, JournalWriter

Alive = Callable[[JournalWriter], AbstractContextManager[None]]
MIB = 1024 * 1024


@contextmanager
def memory_at_most(size: int) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


@contextmanager
def calls_at_most(most: int) -> Iterator[None]:
    """Time that a busy machine has no part in: the calls that are made, of Python's functions and of C's."""
    made = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert made < most


def errors(bench: Any) -> dict[str, str]:
    return {error.source: error.text for error in bench.view.status().errors}


def identity(number: int) -> str:
    return f"{number + 1:016x}"


def test_processes_past_the_limit_wait_until_others_have_gone(bench: Any, alive: Alive) -> None:
    bench.set_limits(Limits(processes=2))
    first = [bench.writer() for _ in range(2)]
    with ExitStack() as living:
        for writer in first:
            writer.event("onset", socket=identity(0), number=1)
            living.enter_context(alive(writer))
        bench.tick()
        later = [bench.writer() for _ in range(3)]
        for writer in later:
            writer.event("onset", socket=identity(0), number=2)
        bench.tick()
        assert sorted(row["number"] for row in bench.rows("onset")) == [1, 1]
        assert errors(bench)["limits"].startswith("3 processes wait to be read: 2 are (max_processes)")
    for _ in range(3):
        bench.tick()
    assert sorted(row["number"] for row in bench.rows("onset")) == [1, 1, 2, 2, 2]
    assert errors(bench) == {}


def test_sockets_past_the_limit_are_landed_and_counted_and_those_of_others_are_held(
    bench: Any, alive: Alive
) -> None:
    bench.set_limits(Limits(sockets=20))
    crowd, other = bench.writer(), bench.writer()
    with alive(crowd), alive(other):
        for number in range(30):
            crowd.opened(identity(number), slot=number)
        bench.tick()
        other.opened(identity(100))
        other.set_counters(identity(100), 0, sent=7)
        bench.tick()
        assert sum(socket.process == crowd.process for socket in bench.tables.sockets.values()) == 10
        shown = bench.view.socket(identity(100))
        assert shown is not None
        assert shown.counters["sent"] == 7
        assert "20 sockets" in errors(bench)["limits"]
    assert bench.process(crowd).left_out == {"sockets": 20}
    assert len(bench.rows("socket")) == 31
    assert [fault.partition(":")[0] for fault in bench.faults() if "room" in fault] == [
        f"process {crowd.process} has more sockets than there is room for"
    ]


def test_lanes_and_connections_past_the_limit_are_landed_and_counted(bench: Any, alive: Alive) -> None:
    bench.set_limits(Limits(lanes=20))
    writer = bench.writer()
    writer.opened(identity(0))
    with alive(writer):
        for number in range(30):
            writer.event("lane", socket=identity(0), stream=identity(0), lane=number, topic="6162", slot=None)
            writer.event("connected", socket=identity(0), connection=number, endpoint="tcp://127.0.0.1:1")
        bench.tick()
        assert (len(bench.tables.lanes), len(bench.tables.connections)) == (10, 10)
        assert "20 connections, 20 lanes" in errors(bench)["limits"]
    assert len(bench.rows("lane")) == len(bench.rows("connection")) == 30


def test_sockets_that_were_closed_give_way_to_others(bench: Any, alive: Alive) -> None:
    bench.set_limits(Limits(sockets=2_200))
    writer = bench.writer()
    with alive(writer):
        for number in range(3_000):
            writer.opened(identity(number), slot=None)
            writer.event("closed", socket=identity(number), counters={})
            if number % 100 == 0:
                bench.tick()
        bench.tick()
        writer.opened(identity(5_000), slot=None)
        bench.tick()
        assert identity(5_000) in bench.tables.sockets
        assert bench.process(writer).left_out == {}


def test_a_crowd_of_living_sockets_is_looked_through_only_where_something_has_ended(
    bench: Any, alive: Alive
) -> None:
    limits = Limits(sockets=40)
    bench.set_limits(limits)
    writer, departures = bench.writer(), Departures()

    def looks(clock: float) -> bool:
        draft = Draft(bench.tables, limits)
        tail_process(
            bench.journal, scan(bench.journal)[writer.process], bench.process(writer), draft, 0, alive=True
        )
        due = departures.are_due(draft, clock)
        departures.notice(draft)
        bench.tick()
        return due

    with alive(writer):
        for number in range(20):
            writer.opened(identity(number), slot=number)
        bench.tick()
        assert [looks(clock) for clock in (0, 0.25, 0.5, 9.5, 10, 10.25)] == [
            True,
            False,
            False,
            False,
            True,
            False,
        ]
        writer.event("closed", socket=identity(3), counters={})
        # what ends with a tick may be forgotten by the next one
        assert [looks(clock) for clock in (10.5, 10.75, 11, 11.25)] == [False, True, False, False]


@pytest.mark.extended("a million sockets")
def test_a_million_sockets_and_lanes_cost_bounded_memory_and_time(bench: Any, alive: Alive) -> None:
    bench.set_limits(Limits(sockets=200, lanes=400))
    hostile, good = bench.writer(segment_limit=1 << 40), bench.writer()
    line = '{"event":"opened","n":%d,"t":1,"socket":"%016x","name":"x","type":"PUB"}\n'
    hostile.raw("".join(line % (n, n) for n in range(1, 40_001)).encode())
    hostile.raw(
        "".join(
            f'{{"event":"connected","n":{n},"t":1,"socket":"{1:016x}","connection":{n}}}\n'
            for n in range(40_001, 60_001)
        ).encode()
    )
    good.opened(identity(0xFFFFFF))
    good.set_counters(identity(0xFFFFFF), 0, sent=3)
    with alive(hostile), alive(good):
        bench.tick()
        with memory_at_most(20 * MIB), calls_at_most(20_000):  # less than one for each socket
            bench.tick()
        assert bench.view.socket(identity(0xFFFFFF)).counters["sent"] == 3
    assert len(bench.tables.sockets) <= 200
    assert len(bench.tables.connections) <= 400
    assert len(bench.rows("socket")) == 40_001


def slots_file(process: str, index: int, size: int, **header: int) -> bytes:
    """A counters file with every slot taken, of as many bytes as asked for."""
    half = (size - HEADER_SIZE) // 2
    fields = {
        "sockets_at": HEADER_SIZE,
        "sockets": half // 192,
        "lanes_at": HEADER_SIZE + half,
        "lanes": half // 64,
    }
    fields |= header
    words = [
        2, int(process, 16), index, fields["sockets_at"], fields["sockets"], fields.get("socket_size", 192),
        fields["lanes_at"], fields["lanes"], fields.get("lane_size", 64),
    ]  # fmt: skip
    data = struct.pack("<8s9Q", b"HOPWATCH", *words).ljust(HEADER_SIZE, b"\0")
    return data + struct.pack("<Q", 1) * ((size - HEADER_SIZE) // 8)


@pytest.mark.parametrize(
    ("size", "header"),
    [
        (15 * MIB, {}),
        (15 * MIB, {"sockets_at": 0, "lanes_at": 8}),
        (64 * MIB, {}),
        (90_112, {"sockets": 2**64 - 1}),
        (90_112, {"sockets_at": 2**64 - 1}),
        (90_112, {"sockets": 2**60, "socket_size": 2**60}),
        (90_112, {"sockets": 0, "lanes": 0, "sockets_at": 2**63}),
        (90_112, {"socket_size": 7}),
    ],
)
def test_a_huge_or_absurd_counters_file_costs_bounded_memory_and_time(
    bench: Any, alive: Alive, size: int, header: dict[str, int]
) -> None:
    bench.set_limits(Limits(sockets=200, lanes=400))
    hostile, good = bench.writer(), bench.writer()
    good.opened(identity(5))
    good.set_counters(identity(5), 0, sent=3)
    hostile.path("counters", 0).unlink()
    hostile.path("counters", 0).write_bytes(slots_file(hostile.process, 0, size, **header))
    with alive(hostile), alive(good):
        bench.tick()
        with (
            memory_at_most(40 * MIB),
            calls_at_most(20_000),
        ):  # less than one for each slot of a file of 15 MiB
            bench.tick()
        assert bench.view.socket(identity(5)).counters["sent"] == 3
    bench.tick()
    assert len(bench.faults()) <= 2
    assert [
        row["sent"] for row in bench.rows("counters") if row["process"] == good.process and row["final"]
    ] == [3]


def test_files_of_one_process_are_read_up_to_a_number(bench: Any, alive: Alive, tmp_path: Path) -> None:
    writer = bench.writer()
    for index in range(1, 1_200):
        path = writer.path("counters", index)
        path.write_bytes(slots_file(writer.process, index, 8_192, sockets=0, lanes=0))
    with alive(writer):
        bench.tick()
        bench.tick()
    (fault,) = bench.faults()
    assert "one of too many counters files" in fault
