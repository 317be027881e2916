"""Files that become others while they are read: nothing is taken twice, the rest is read, and what was missed is counted."""

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]
Change = Callable[[Path, Path], None]


def onsets(writer: JournalWriter, *numbers: int) -> None:
    for number in numbers:
        writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)


def another_file_of_the_same_name(path: Path, spare: Path) -> None:
    shutil.copy(path, spare)
    path.unlink()
    shutil.copy(spare, path)


def cut(path: Path, _spare: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path, _spare: Path) -> None:
    os.truncate(path, 0)


def grown_backwards(path: Path, _spare: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, *lines[1:]]))


def rewritten_longer(path: Path, _spare: Path) -> None:
    path.write_bytes(b"z" * (path.stat().st_size + 500) + b"\n")


def link(path: Path, spare: Path) -> None:
    path.rename(spare)
    path.symlink_to(spare)


def folder(path: Path, spare: Path) -> None:
    path.rename(spare)
    path.mkdir()


def pipe(path: Path, spare: Path) -> None:
    path.rename(spare)
    os.mkfifo(path)


def gone(path: Path, spare: Path) -> None:
    path.rename(spare)


REGULAR = [another_file_of_the_same_name, cut, empty, grown_backwards, rewritten_longer]
OTHERWISE = [link, folder, pipe, gone]


@pytest.mark.parametrize("change", [*REGULAR, *OTHERWISE])
def test_a_segment_that_becomes_another_file_is_read_once_and_the_next_one_too(
    bench: Any, alive: Alive, tmp_path: Path, change: Change
) -> None:
    writer, other = bench.writer(), bench.writer()
    onsets(writer, 1, 2, 3)
    with alive(writer), alive(other):
        bench.tick()
        change(writer.path("events", 0), tmp_path / "spare.counters")
        bench.tick()
        writer.next_segment()
        onsets(writer, 4, 5)
        onsets(other, 6)
        bench.tick()
        bench.tick()
    bench.tick()
    landed = sorted((row["process"] == other.process, row["number"]) for row in bench.rows("onset"))
    assert landed == [(False, 1), (False, 2), (False, 3), (False, 4), (False, 5), (True, 6)]
    assert bench.process(writer).events_lost == 0


@pytest.mark.parametrize("change", [cut, empty])
def test_events_that_went_with_a_cut_file_before_they_were_read_are_counted(
    bench: Any, alive: Alive, tmp_path: Path, change: Change
) -> None:
    writer = bench.writer()
    with alive(writer):
        onsets(writer, *range(10))
        bench.tick()
        onsets(writer, *range(10, 20))
        change(writer.path("events", 0), tmp_path / "spare.counters")
        bench.tick()
        writer.next_segment()
        onsets(writer, 20)
        bench.tick()
    bench.tick()
    numbers = sorted(row["number"] for row in bench.rows("onset"))
    assert len(numbers) == len(set(numbers))
    assert numbers[-1] == 20
    assert bench.process(writer).events_lost == 21 - len(numbers)
    assert any("the file was cut short" in fault for fault in bench.faults())


@pytest.mark.parametrize("change", [cut, empty, rewritten_longer, *OTHERWISE])
def test_a_counters_file_that_becomes_another_leaves_the_rest_as_it_is(
    bench: Any, alive: Alive, tmp_path: Path, change: Change
) -> None:
    writer, other = bench.writer(), bench.writer()
    for each, sent in ((writer, 5), (other, 6)):
        each.opened(SOCKET if each is writer else "00000000000000b2")
        each.set_counters(SOCKET if each is writer else "00000000000000b2", 0, sent=sent)
    with alive(writer), alive(other):
        bench.tick()
        change(writer.path("counters", 0), tmp_path / "spare.counters")
        onsets(writer, 1)
        bench.tick()
        assert bench.view.socket(SOCKET).counters["sent"] == 5
    bench.tick()
    assert [row["number"] for row in bench.rows("onset")] == [1]
    finals = {row["process"]: row["sent"] for row in bench.rows("counters") if row["final"]}
    assert finals == {other.process: 6}
    assert len(bench.faults()) == (change is not gone)


def test_what_stands_in_the_way_of_one_file_keeps_no_other_from_being_unlinked(
    bench: Any, alive: Alive
) -> None:
    in_the_way, other = bench.writer(), bench.writer()
    onsets(in_the_way, 1)
    onsets(other, 2)
    bench.ticker.run_once(forced=True)
    in_the_way.path("counters", 0).unlink()
    in_the_way.path("counters", 0).mkdir()
    with pytest.raises(Exception, match="Is a directory"):
        bench.tick()
    assert not other.path("events", 0).exists()
    assert not other.path("lock").exists()
    assert not in_the_way.path("events", 0).exists()
    assert in_the_way.path("lock").exists()
    in_the_way.path("counters", 0).rmdir()
    bench.tick()
    assert list(bench.journal.iterdir()) == []


def test_a_lock_that_becomes_something_else_ends_the_process_once(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    onsets(writer, 1)
    with alive(writer):
        bench.tick()
        writer.path("lock").unlink()
        writer.path("lock").mkdir()
        bench.ticker.run_once(forced=True)
        onsets(writer, 2)
        bench.ticker.run_once(forced=True)
    assert [row["state"] for row in bench.rows("process")].count("gone") == 1
    assert [row["number"] for row in bench.rows("onset")] == [1]
