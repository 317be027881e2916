"""Counters files: samples, last words, and files that are none."""

import os
import struct
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from journal_writer import COUNTER_NAMES, JournalWriter

SOCKET = "00000000000000a1"
OTHER = "00000000000000b2"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


def test_a_changed_counter_is_a_sample_and_an_unchanged_one_is_not(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        bench.tick()
        writer.set_counters(SOCKET, 0, sent=5, sent_bytes=50)
        bench.tick()
        bench.tick()
    (row,) = bench.rows("counters")
    assert (row["socket"], row["final"], row["sent"], row["sent_bytes"]) == (SOCKET, False, 5, 50)


def test_samples_of_one_socket_are_a_second_apart(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    began = time.monotonic()
    with alive(writer):
        for sent in range(1, 30):
            writer.set_counters(SOCKET, 0, sent=sent)
            bench.ticker.run_once()
    took = time.monotonic() - began
    assert 1 <= len(bench.rows("counters")) <= 1 + took
    with bench.board.held() as shown:
        assert shown.counters[SOCKET][0] == 29


def test_a_proxys_counts_that_are_only_confirmed_make_no_row_but_its_last_word_says_when(
    bench: Any, alive: Alive
) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        for confirmed_at in (1, 2, 3):
            writer.set_counters(SOCKET, 0, proxied_in_frames=5, proxied_at=confirmed_at)
            bench.tick()
    bench.tick()
    rows = [(row["final"], row["proxied_in_frames"], row["proxied_at"]) for row in bench.rows("counters")]
    assert rows == [(False, 5, 1), (True, 5, 3)]


def test_counts_that_may_fall_do_not_hold_the_others_back(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        writer.set_counters(SOCKET, 0, received=10, lost=5, pending_sends=7)
        bench.tick()
        # a message arrived late after all, and nothing waits to be sent any more
        writer.set_counters(SOCKET, 0, received=11, lost=4, reordered=1, pending_sends=0)
        bench.tick()
    rows = [(row["received"], row["lost"], row["pending_sends"]) for row in bench.rows("counters")]
    assert rows == [(10, 5, 7), (11, 4, 0)]


def test_lanes_are_sampled_at_both_ends(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    writer.opened(OTHER, slot=1, kind="SUB")
    writer.event("lane", socket=SOCKET, stream=SOCKET, lane=3, topic="6162", slot=[0, 0])
    writer.set_lane(0, SOCKET, SOCKET, 3, 7, 8, 0, 7, 1_700_000_000_000_000_000)
    writer.set_lane(1, OTHER, SOCKET, 3, 4, 0, 1, 7, 1_700_000_000_000_000_000)
    with alive(writer):
        bench.tick()
    rows = {(row["role"], row["state"]): row for row in bench.rows("lane")}
    assert set(rows) == {("send", "announced"), ("send", "sample"), ("receive", "sample")}
    assert rows["send", "announced"]["topic"] == "6162"
    assert rows["send", "announced"]["count"] is None
    assert (rows["send", "sample"]["count"], rows["send", "sample"]["frames"]) == (7, 15)
    received = rows["receive", "sample"]
    assert (
        received["socket"],
        received["stream"],
        received["count"],
        received["first"],
        received["next"],
    ) == (
        OTHER,
        SOCKET,
        4,
        1,
        7,
    )


def test_what_a_killed_process_left_in_its_slots_is_its_last_word(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        bench.tick()
    writer.set_counters(SOCKET, 0, sent=12)
    writer.set_lane(0, SOCKET, SOCKET, 0, 12, 12, 0, 12, 1_000)
    bench.tick()
    bench.tick()
    bench.reopen()
    bench.tick()
    (counters,) = bench.rows("counters")
    assert (counters["final"], counters["sent"]) == (True, 12)
    (lane,) = bench.rows("lane")
    assert (lane["state"], lane["role"], lane["count"]) == ("final", "send", 12)
    assert [row["state"] for row in bench.rows("process")].count("gone") == 1


def test_a_closed_socket_speaks_for_itself(bench: Any) -> None:
    writer = bench.writer()
    writer.opened(SOCKET, name="prices")
    writer.set_lane(0, SOCKET, SOCKET, 0, 9, 9, 0, 9, 1_000)
    counters = dict.fromkeys(COUNTER_NAMES, 0) | {"sent": 9}
    writer.event("lanes", socket=SOCKET, final=True, lanes=[[SOCKET, 0, 9, 9, 0, 9, 1]])
    writer.event("closed", socket=SOCKET, counters=counters)
    writer.event("exit")
    bench.tick()
    (row,) = bench.rows("counters")
    assert (row["final"], row["sent"]) == (True, 9)
    assert len(bench.rows("lane")) == 1
    opened, closed = bench.rows("socket")
    assert (opened["state"], closed["state"]) == ("opened", "closed")
    assert (closed["name"], closed["type"], dict(closed["options"])["sndhwm"]) == ("prices", "PUB", 1000)
    assert {row["state"] for row in bench.rows("process")} == {"started", "exited", "gone"}


def test_lanes_told_when_a_peer_disconnects_are_samples(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    writer.event("lanes", t=5_000, socket=SOCKET, final=False, lanes=[[SOCKET, 0, 3, 3, 0, 3, 1]])
    with alive(writer):
        bench.tick()
    (row,) = bench.rows("lane")
    assert (row["state"], row["count"]) == ("sample", 3)


def test_a_lane_that_gave_its_slot_up_goes_on_in_another_one(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET, kind="PULL")
    further = "00000000000000c3"
    with alive(writer):
        writer.event("lane", socket=SOCKET, stream=OTHER, lane=0, topic="", slot=[0, 0])
        writer.set_lane(0, SOCKET, OTHER, 0, 4, 0, 0, 4, 1_000)
        bench.tick()
        writer.event("lanes", socket=SOCKET, final=False, lanes=[[OTHER, 0, 5, 0, 0, 5, 1_000]])
        writer.set_lane(0, SOCKET, further, 0, 1, 0, 0, 1, 2_000)
        bench.tick()
        writer.event("lane", socket=SOCKET, stream=OTHER, lane=0, topic="", slot=[0, 1])
        writer.set_lane(1, SOCKET, OTHER, 0, 6, 0, 0, 6, 3_000)
        bench.tick()
    bench.tick()
    rows = [(row["stream"], row["state"], row["count"]) for row in bench.rows("lane") if row["count"]]
    assert [row[1:] for row in rows if row[0] == OTHER] == [
        ("sample", 4),
        ("sample", 5),
        ("sample", 6),
        ("final", 6),
    ]
    assert [row[1:] for row in rows if row[0] == further] == [("sample", 1), ("final", 1)]


def test_a_slot_that_another_socket_takes_over_is_not_mixed_up(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        writer.set_counters(OTHER, 0, sent=100)
        bench.tick()
    writer.set_counters(SOCKET, 0, sent=1)
    bench.tick()
    (row,) = bench.rows("counters")
    assert (row["socket"], row["sent"]) == (SOCKET, 1)


@pytest.mark.parametrize(
    ("offset", "data", "said"),
    [
        (0, b"HOPWASH!", "HOPWATCH"),
        (8, struct.pack("<Q", 1), "format 1 at offset 8"),
        (16, b"\1" * 8, "belongs to process 0101010101010101"),
        (40, struct.pack("<Q", 2**60), "socket slots"),
        (72, struct.pack("<Q", 0), "lane slots"),
        (4096 + 64 * 192, b"\xff" * 64, "numbers that cannot be"),
    ],
)
def test_a_counters_file_that_is_none_is_one_fault_and_the_events_are_read(
    bench: Any, alive: Alive, offset: int, data: bytes, said: str
) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    writer.set_header(offset, data)
    with alive(writer):
        bench.tick()
        bench.tick()
        bench.reopen()
        bench.tick()
    bench.tick()
    (text,) = bench.faults()
    assert str(writer.path("counters", 0)) in text
    assert said in text
    assert len(bench.rows("socket")) == 1


def test_a_counters_file_of_a_foreign_version_outlives_its_process(bench: Any) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    writer.set_header(8, struct.pack("<Q", 3))
    other = bench.writer()
    bench.tick()
    bench.land()
    bench.tick()
    bench.reopen()
    bench.tick()
    assert sorted(bench.journal.iterdir()) == [writer.path("counters", 0), writer.path("lock")]
    assert not other.path("counters", 0).exists()
    assert len(bench.rows("fault")) == 1


def test_a_counters_file_cut_short_is_a_fault(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    os.truncate(writer.path("counters", 0), 10)
    with alive(writer):
        bench.tick()
    (text,) = bench.faults()
    assert "10 bytes" in text


def test_a_process_without_a_lock_file_counts_as_gone(bench: Any) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    writer.path("lock").unlink()
    bench.tick_until_missing_locks_are_believed()
    assert "gone" in {row["state"] for row in bench.rows("process")}
