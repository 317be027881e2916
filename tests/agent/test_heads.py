"""Heads of segments: what they repeat is landed once, and an agent that missed it knows it from there."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from journal_writer import JournalWriter

A, B = "00000000000000a1", "00000000000000b2"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]
PORT = "tcp://127.0.0.1:5555"


def connected(writer: JournalWriter, socket: str, number: int, *, port: int = 40_000) -> int:
    ends = {"local": "127.0.0.1:5555", "remote": f"127.0.0.1:{port + number}"}
    return writer.event("connected", socket=socket, connection=number, endpoint=PORT, accepted=True, **ends)


def socket_with_all(writer: JournalWriter, socket: str, slot: int = 0) -> list[int]:
    """Opens a socket; gives the numbers of what stands of it."""
    first = writer.next_n
    writer.opened(socket, slot=slot, name=f"quotes-{slot}")
    writer.event("option", socket=socket, option="sndhwm", value=77)
    writer.event("bind", socket=socket, endpoint=PORT)
    writer.event("subscribe", socket=socket, topic="61")
    writer.event("monitor", socket=socket, state="attached")
    connected(writer, socket, 1)
    writer.event("handshake", socket=socket, endpoint=PORT)
    writer.event("lane", socket=socket, stream=socket, lane=0, topic="61", slot=[0, slot])
    writer.event("finding", socket=socket, rule="conflate", text="t", advice="a")
    return list(range(first, writer.next_n))


def gaps(writer: JournalWriter, count: int) -> None:
    for number in range(count):
        writer.event("gap", socket=A, stream=B, lane=0, first=number, last=number)


def drop(writer: JournalWriter, *indices: int) -> None:
    for index in indices:
        writer.path("events", index).unlink()


def landed_numbers(bench: Any) -> list[int]:
    """The numbers of all rows that were landed, each as often as it was."""
    kinds = ("socket", "option", "endpoint", "subscription", "connection", "lane", "finding", "gap", "onset")
    return sorted(row["n"] for kind in kinds for row in bench.rows(kind) if row["n"] is not None)


def states(bench: Any, kind: str, key: str = "state") -> list[str]:
    return [row[key] for row in bench.rows(kind)]


def test_an_agent_that_comes_late_knows_all_that_stands(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    stands = socket_with_all(writer, A)
    gaps(writer, 10)
    writer.next_with_head(*stands, **{A: [1]})
    gaps(writer, 3)
    drop(writer, 0)
    with alive(writer):
        bench.tick()
        socket = bench.view.socket(A)
        assert (socket.name, socket.type, socket.options["sndhwm"]) == ("quotes-0", "PUB", 77)
        assert socket.endpoints == [PORT]
        assert [(peer.remote, peer.state) for peer in socket.peers] == [("127.0.0.1:40001", "ready")]
        assert [finding.rule for finding in socket.findings] == ["conflate"]
        assert [lane.topic for lane in bench.view.lanes().items] == ["61"]
        assert bench.process(writer).events_lost == 10
    assert landed_numbers(bench) == [*stands, *range(20, 23)]
    assert bench.faults() == []


def test_an_agent_that_was_there_lands_nothing_twice_and_misses_nothing(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        stands = socket_with_all(writer, A)
        for _ in range(3):
            bench.tick()
            gaps(writer, 2)
            writer.next_with_head(*stands, **{A: [1]})
        connected(writer, A, 2)
        bench.tick()
        assert bench.process(writer).events_lost == 0
    assert landed_numbers(bench) == list(range(1, writer.next_n))
    assert states(bench, "socket") == ["opened"]
    assert bench.faults() == []


def test_an_agent_that_was_away_takes_what_it_does_not_know_yet(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        known = socket_with_all(writer, A)
        bench.tick()
        gaps(writer, 5)
        fresh = socket_with_all(writer, B, slot=1)
        writer.next_with_head(*known, *fresh, **{A: [1], B: [1]})
        drop(writer, 0)
        bench.tick()
        assert bench.view.socket(B).name == "quotes-1"
        assert bench.process(writer).events_lost == 5
    assert landed_numbers(bench) == [*known, *fresh]


def test_what_ended_while_the_agent_was_away_ends_when_it_is_back(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        stands = socket_with_all(writer, A)
        other = socket_with_all(writer, B, slot=1)
        second = connected(writer, A, 2)
        writer.set_counters(B, 1, sent=8)
        bench.tick()
        writer.event("disconnected", socket=A, connection=2, endpoint=PORT)
        writer.event("closed", socket=B, counters={"sent": 9})
        writer.set_counters(B, 1)
        writer.next_with_head(*stands, **{A: [1]})
        drop(writer, 0)
        bench.tick()
        bench.reopen()
        writer.next_with_head(*stands, **{A: [1]})
        bench.tick()
        closed, left = bench.view.socket(B), bench.view.socket(A)
        assert (closed.state, closed.counters["sent"]) == ("closed", 8)
        assert {peer.remote: peer.state for peer in left.peers} == {
            "127.0.0.1:40001": "ready",
            "127.0.0.1:40002": "disconnected",
        }
        assert bench.process(writer).events_lost == 2
    assert landed_numbers(bench) == [*stands, *other, second]
    (end,) = [row for row in bench.rows("socket") if row["state"] == "closed"]
    assert (end["socket"], end["n"], end["unread"]) == (B, None, None)
    assert [row["final"] for row in bench.rows("counters") if row["socket"] == B] == [False]
    (cut,) = [row for row in bench.rows("connection") if row["action"] == "disconnected"]
    assert (cut["socket"], cut["connection"], cut["n"], cut["sent"]) == (A, 2, None, None)


def test_an_agent_that_missed_nothing_ends_nothing_whatever_a_list_says(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        stands = socket_with_all(writer, A)
        bench.tick()
        writer.next_with_head(*stands)
        bench.tick()
        assert bench.view.socket(A).closed_at is None


def test_a_list_in_several_lines_ends_what_none_of_them_has(bench: Any, alive: Alive) -> None:
    sockets = [f"{number:016x}" for number in range(1, 7)]
    writer = bench.writer()
    with alive(writer):
        opened = {socket: writer.next_n + place for place, socket in enumerate(sockets)}
        for slot, socket in enumerate(sockets):
            writer.opened(socket, slot=slot)
        for number in range(1, 5):
            connected(writer, sockets[3], number)
        bench.tick()
        gaps(writer, 1)
        writer.next_segment()
        writer.raw(b"".join(writer.lines[opened[socket]] for socket in sockets[1::2]))
        writer.standing({sockets[1]: [], sockets[3]: [1]}, last=False)
        drop(writer, 0)
        bench.tick()
        bench.reopen()
        writer.standing({sockets[3]: [4], sockets[5]: []}, after=(sockets[3], 1))
        bench.tick()
        ended = {socket for socket in sockets if bench.view.socket(socket).closed_at is not None}
        assert ended == {sockets[0], sockets[2], sockets[4]}
        up = [peer.remote for peer in bench.view.socket(sockets[3]).peers if peer.state == "connected"]
        assert up == ["127.0.0.1:40001", "127.0.0.1:40004"]


def test_what_a_writer_could_not_write_is_taken_from_the_next_head(bench: Any, alive: Alive) -> None:
    """The agent has newer events by then."""
    writer = bench.writer()
    with alive(writer):
        known = socket_with_all(writer, A)
        path = writer.path("events", 0)
        before = path.read_bytes()
        fresh = socket_with_all(writer, B, slot=1)
        path.write_bytes(before)
        gaps(writer, 2)
        bench.tick()
        assert bench.view.socket(B) is None
        assert bench.process(writer).events_lost == len(fresh)
        for _ in range(2):
            writer.next_with_head(*known, *fresh, **{A: [1], B: [1]})
            bench.tick()
            bench.reopen()
        assert bench.view.socket(B).name == "quotes-1"
    assert landed_numbers(bench) == list(range(1, writer.next_n))


def test_an_end_that_could_not_be_written_is_known_from_the_next_head(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        writer.opened(A)
        writer.skip(1)
        gaps(writer, 1)
        bench.tick()
        assert bench.view.socket(A).closed_at is None
        writer.next_with_head()
        bench.tick()
        assert bench.view.socket(A).closed_at is not None


@pytest.mark.parametrize("cut_at", range(1, 14))
def test_a_head_that_is_read_in_two_goes_is_read_as_one(bench: Any, alive: Alive, cut_at: int) -> None:
    """An agent may be killed behind any line of it; the half of a line that it read then is not lost."""
    writer = bench.writer()
    stands = socket_with_all(writer, A)
    gaps(writer, 4)
    last = writer.event("option", socket=A, option="linger", value=0)
    writer.next_with_head(*stands, last, **{A: [1]})
    gaps(writer, 2)
    drop(writer, 0)
    path = writer.path("events", 1)
    lines = path.read_bytes().splitlines(keepends=True)
    whole, first = b"".join(lines), b"".join(lines[:cut_at])
    path.write_bytes(first + b"".join(lines[cut_at : cut_at + 1])[:20])
    with alive(writer):
        bench.tick()
        bench.reopen()
        path.write_bytes(whole)
        bench.tick()
        assert bench.process(writer).events_lost == 4
        assert bench.view.socket(A).options["linger"] == 0
    assert landed_numbers(bench) == [*stands, *range(last, writer.next_n)]
    assert bench.faults() == []


def test_events_that_went_with_a_segment_are_counted_though_its_process_ended_at_the_next_ones_head(
    bench: Any,
) -> None:
    writer = bench.writer()
    stands = socket_with_all(writer, A)
    gaps(writer, 4)
    writer.next_segment()
    writer.raw(b"".join(writer.lines[n] for n in stands))
    drop(writer, 0)
    bench.tick()
    (gone,) = [row for row in bench.rows("process") if row["state"] == "gone"]
    assert gone["events_lost"] == 4


def test_a_journal_without_heads_is_read_as_ever(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        socket_with_all(writer, A)
        bench.tick()
        gaps(writer, 5)
        writer.next_segment()
        gaps(writer, 3)
        writer.next_segment()
        gaps(writer, 3)
        drop(writer, 0)
        bench.tick()
        assert bench.process(writer).events_lost == 5
        assert bench.view.socket(A).closed_at is None
    assert landed_numbers(bench) == [*range(1, 10), *range(15, 21)]
    assert bench.faults() == []


def test_a_head_that_left_something_out_is_one_fault(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        stands = socket_with_all(writer, A)
        for _ in range(2):
            writer.next_segment()
            writer.raw(b"".join(writer.lines[n] for n in stands))
            writer.standing({A: [1]}, left_out=12)
            bench.tick()
    (text,) = bench.faults()
    assert "12 events" in text


@pytest.mark.parametrize(
    "spoilt",
    [
        {"sockets": None},
        {"sockets": {"../../etc": []}},
        {"sockets": {A: [-1]}},
        {"after": [A]},
        {"t": "now"},
    ],
)
def test_an_end_of_a_head_that_is_none_is_a_fault_and_ends_nothing(
    bench: Any, alive: Alive, spoilt: dict[str, Any]
) -> None:
    writer = bench.writer()
    with alive(writer):
        stands = socket_with_all(writer, A)
        bench.tick()
        gaps(writer, 1)
        writer.next_segment()
        line = {"event": "standing", "t": 1, "after": None, "last": True, "sockets": {}, **spoilt}
        offset = writer.raw(json.dumps(line).encode() + b"\n")
        gaps(writer, 1)
        drop(writer, 0)
        bench.tick()
        assert bench.view.socket(A).closed_at is None
        assert bench.process(writer).events_lost == 1
    (text,) = bench.faults()
    assert f"byte {offset}: " in text
    assert landed_numbers(bench) == [*stands, writer.next_n - 1]
