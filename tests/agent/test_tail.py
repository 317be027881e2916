"""Event logs: what is read, what is reported, and what is counted as gone."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


def onset(writer: JournalWriter, number: int) -> int:
    return writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)


def numbers(rows: list[dict[str, Any]]) -> list[int]:
    return sorted(row["number"] for row in rows)


def test_every_event_becomes_a_row_with_its_number_time_and_host(bench: Any, alive: Alive) -> None:
    writer = bench.writer(host="web-7")
    n = writer.event("onset", t=1_700_000_000_123_456_789, socket=SOCKET, number=5, lane=1, lane_number=4)
    with alive(writer):
        bench.tick()
    (row,) = bench.rows("onset")
    assert (row["host"], row["process"], row["n"], row["number"]) == ("web-7", writer.process, n, 5)
    assert row["at"].isoformat() == "2023-11-14T22:13:20.123456+00:00"
    (folder,) = bench.landed.glob("kind=onset/date=2023-11-14/host=web-7")
    assert len(list(folder.iterdir())) == 1


def test_half_a_line_waits_while_its_writer_lives(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    line = json.dumps(
        {"event": "onset", "n": 1, "t": 1, "socket": SOCKET, "number": 9, "lane": 0, "lane_number": 0}
    )
    writer.raw(line[:20].encode())
    with alive(writer):
        bench.tick()
        assert bench.rows("onset") == []
        writer.raw(line[20:].encode() + b"\n")
        bench.tick()
    assert numbers(bench.rows("onset")) == [9]
    assert bench.faults() == []


def test_half_a_line_of_a_dead_writer_is_a_fault_with_file_and_offset(bench: Any) -> None:
    writer = bench.writer()
    onset(writer, 1)
    offset = writer.raw(b'{"event":"on')
    bench.tick()
    assert numbers(bench.rows("onset")) == [1]
    assert bench.faults() == [
        f"{writer.path('events', 0)}, byte {offset}: half a line, 12 bytes without an end"
    ]


def test_garbage_is_one_fault_a_line_and_the_rest_goes_on(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    onset(writer, 1)
    first = writer.raw(b"\x00\xffgarbage\n")
    second = writer.raw(b'{"event":"onset","n":2,"t":1,"socket":"../../etc"}\n')
    onset(writer, 2)
    with alive(writer):
        bench.tick()
    assert numbers(bench.rows("onset")) == [1, 2]
    texts = bench.faults()
    assert len(texts) == 2
    assert f"byte {first}: " in texts[0]
    assert f"byte {second}: " in texts[1]
    assert all(str(writer.path("events", 0)) in text for text in texts)


def test_long_garbage_is_gathered(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    for _ in range(42):
        last = writer.raw(b"rubbish\n")
    onset(writer, 1)
    with alive(writer):
        bench.tick()
    texts = bench.faults()
    assert len(texts) == 6
    assert texts[-1] == f"{writer.path('events', 0)}: and 37 more unreadable lines up to byte {last}"
    assert numbers(bench.rows("onset")) == [1]


def test_megabytes_without_a_line_end_are_one_fault(bench: Any, alive: Alive) -> None:
    writer = bench.writer(segment_limit=1 << 30)
    onset(writer, 1)
    offset = writer.raw(b"x" * 9_000_000)
    with alive(writer):
        bench.tick()
        bench.reopen()
        writer.raw(b"x\n")
        onset(writer, 2)
        bench.tick()
    assert bench.faults() == [f"{writer.path('events', 0)}, byte {offset}: a line of more than 65536 bytes"]
    assert numbers(bench.rows("onset")) == [1, 2]


def test_unknown_events_and_keys_are_passed_over_without_a_fault(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.event("weather", socket=SOCKET, rain=True)
    writer.event("onset", socket=SOCKET, number=1, lane=0, lane_number=1, colour="red")
    with alive(writer):
        bench.tick()
    assert numbers(bench.rows("onset")) == [1]
    assert bench.faults() == []
    assert bench.process(writer).events_lost == 0


def test_an_unsigned_option_is_landed_whole_and_shown_if_it_fits(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    for value in (2**64 - 1, 3):
        writer.event("option", socket=SOCKET, option=f"affinity_{value}", value=value)
    writer.event("closed", socket=SOCKET, counters={})
    with alive(writer):
        bench.tick()
    assert [row["value"] for row in bench.rows("option")] == ["18446744073709551615", "3"]
    closed = next(row for row in bench.rows("socket") if row["state"] == "closed")
    assert dict(closed["options"]) == {"sndhwm": 1000, "linger": -1, "affinity_3": 3}
    assert bench.faults() == []


def test_holes_in_the_numbers_are_counted_as_events_lost(bench: Any) -> None:
    writer = bench.writer()
    onset(writer, 1)
    writer.skip(7)
    onset(writer, 2)
    bench.tick()
    (gone,) = [row for row in bench.rows("process") if row["state"] == "gone"]
    assert gone["events_lost"] == 7


def test_events_lost_by_a_process_that_lives_are_landed_too(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        for lost in (3, 2):
            writer.skip(lost)
            onset(writer, 1)
            bench.tick()
            bench.tick()
    rows = [row["events_lost"] for row in bench.rows("process") if row["state"] == "events_lost"]
    assert rows == [3, 5]


def test_events_that_could_not_be_written_at_the_end_are_counted_too(bench: Any) -> None:
    writer = bench.writer()
    onset(writer, 1)
    writer.set_header(80, (3).to_bytes(8, "little"))
    bench.tick()
    assert bench.process(writer).events_lost == 3


def test_segments_are_read_in_order_and_unlinked_once_kept(bench: Any, alive: Alive) -> None:
    writer = bench.writer(segment_limit=2000)
    with alive(writer):
        for number in range(60):
            onset(writer, number)
            if number % 13 == 0:
                bench.tick()
        bench.tick()
        assert writer.index > 2
        assert [path.name for path in bench.journal.glob("*.events")] == [
            writer.path("events", writer.index).name
        ]
    assert numbers(bench.rows("onset")) == list(range(60))
    assert bench.process(writer).events_lost == 0


def test_segments_that_their_writer_dropped_unread_are_counted(bench: Any, alive: Alive) -> None:
    writer = bench.writer(segment_limit=1500)
    with alive(writer):
        onset(writer, 0)
        bench.tick()
        for number in range(1, 40):
            onset(writer, number)
        assert writer.index >= 3
        for index in range(3):
            writer.path("events", index).unlink()
        bench.tick()
    state = bench.process(writer)
    read = numbers(bench.rows("onset"))
    assert state.segments_lost == 3
    assert read[-1] == 39
    assert state.events_lost == 40 - len(read)


def test_an_event_number_that_goes_back_is_a_fault_and_no_second_row(bench: Any) -> None:
    writer = bench.writer()
    onset(writer, 1)
    writer.next_n = 1
    onset(writer, 1)
    bench.tick()
    assert numbers(bench.rows("onset")) == [1]
    assert len(bench.faults()) == 1


def test_a_process_of_a_foreign_format_is_skipped_and_said_so(bench: Any) -> None:
    writer = bench.writer()
    path = writer.path("events", 0)
    path.write_bytes(path.read_bytes().replace(b'"format": 2', b'"format": 9'))
    onset(writer, 1)
    other = bench.writer()
    onset(other, 2)
    bench.tick()
    bench.tick()
    assert numbers(bench.rows("onset")) == [2]
    assert bench.faults() == [f"{path}: journal format 9, this agent reads format 2; the process is skipped"]
    assert path.exists()


def test_a_segment_line_that_is_none_leaves_the_events_to_the_agents_own_host(bench: Any) -> None:
    writer = bench.writer()
    writer.path("events", 0).write_bytes(b"not a segment line\n")
    onset(writer, 4)
    bench.tick()
    (row,) = bench.rows("onset")
    assert (row["number"], row["host"]) == (4, "box-1")
    assert len(bench.faults()) == 1


def test_a_host_is_never_a_path(bench: Any) -> None:
    writer = bench.writer(host="../../../etc/x y")
    onset(writer, 1)
    bench.tick()
    (row,) = bench.rows("onset")
    assert row["host"] == "../../../etc/x y"
    folders = {path.name for path in bench.landed.glob("kind=onset/date=*/*")}
    assert folders == {"host=..%2F..%2F..%2Fetc%2Fx%20y"}


@pytest.mark.parametrize("what", ["link", "folder", "pipe"])
def test_what_is_no_regular_file_is_refused(bench: Any, alive: Alive, what: str) -> None:
    import os

    writer = bench.writer()
    path = writer.path("events", 0)
    secret = bench.data / "secret"
    path.rename(secret)
    if what == "link":
        path.symlink_to(secret)
    elif what == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with alive(writer):
        bench.tick()
        bench.tick()
    (text,) = bench.faults()
    assert text.startswith(str(path))
    assert "regular file" in text


def test_reading_goes_on_where_it_was_after_a_restart(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        for number in range(10):
            onset(writer, number)
            bench.tick()
            bench.reopen()
    assert numbers(bench.rows("onset")) == list(range(10))
    assert [row["state"] for row in bench.rows("process")] == ["started"]


def test_files_that_are_no_journals_are_left_alone(bench: Any) -> None:
    (bench.journal / "notes.txt").write_text("mine")
    (bench.journal / "00.0000.events").write_text("mine")
    bench.tick()
    assert bench.rows("fault") == []
    assert len(list(bench.journal.iterdir())) == 2
