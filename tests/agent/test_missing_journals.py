"""A journal whose directory or lock is not at its place for a while: its process goes on, and is read on, exactly once."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.presence import MISSING_SECONDS
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
STREAM = "00000000000000b2"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


def write(writer: JournalWriter, number: int) -> None:
    """Sends one more message."""
    writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)
    writer.set_counters(SOCKET, 0, sent=number)
    writer.set_lane(0, SOCKET, STREAM, 0, number, 0, 1, number, 1_000)


def directory_of(writer: JournalWriter) -> Path:
    return writer.directory


def lock_of(writer: JournalWriter) -> Path:
    return writer.path("lock")


def everything_was_read_once(bench: Any, writer: JournalWriter, last: int) -> bool:
    onsets = Counter(row["number"] for row in bench.rows("onset"))
    counts = [row["sent"] for row in bench.rows("counters")]
    lanes = [row["count"] for row in bench.rows("lane") if row["count"] is not None]
    process = bench.process(writer)
    return (
        onsets == Counter(range(1, last + 1))
        and counts[-1] == lanes[-1] == last
        and (process.events_lost, process.segments_lost) == (0, 0)
    )


@pytest.mark.parametrize(
    ("away", "seconds"), [(directory_of, 2 * MISSING_SECONDS), (lock_of, MISSING_SECONDS - 0.5)]
)
def test_a_process_whose_directory_or_lock_is_away_for_a_while_is_not_gone(
    bench: Any, alive: Alive, tmp_path: Path, away: Callable[[JournalWriter], Path], seconds: float
) -> None:
    bench.stands_at = 1_000.0
    writer = bench.writer()
    writer.opened(SOCKET)
    path = away(writer)
    with alive(writer):
        write(writer, 1)
        bench.tick()
        path.rename(tmp_path / "spare")
        bench.tick()
        bench.later += seconds
        bench.tick()
        (tmp_path / "spare").rename(path)
        bench.land()
        for number in (2, 3):
            write(writer, number)
            bench.tick()
        assert bench.process(writer).gone_at is None
        assert everything_was_read_once(bench, writer, 3)
    bench.tick()
    assert sorted(row["state"] for row in bench.rows("process")) == ["gone", "started"]
    assert bench.faults() == []


def test_a_process_that_was_taken_for_gone_and_lives_is_read_on_and_said_to(
    bench: Any, alive: Alive, tmp_path: Path
) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        write(writer, 1)
        bench.tick()
        lock_of(writer).rename(tmp_path / "spare")
        bench.tick()
        bench.later += MISSING_SECONDS
        bench.ticker.run_once(forced=True)
        assert bench.process(writer).gone_at is not None
        (tmp_path / "spare").rename(lock_of(writer))
        bench.land()
        bench.ticker.clean()
        for number in (2, 3):
            write(writer, number)
            bench.tick()
        assert bench.process(writer).gone_at is None
        assert bench.view.socket(SOCKET).counters["sent"] == 3
        assert everything_was_read_once(bench, writer, 3)
        gone, lives = bench.faults()
        assert f"process {writer.process} is taken for gone" in gone
        assert f"process {writer.process} lives" in lives
    bench.tick()
    bench.land()
    bench.tick()
    assert list(bench.journal.iterdir()) == []


def test_what_has_gone_before_its_directory_is_back_is_not_read_anew(bench: Any, tmp_path: Path) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    write(writer, 1)
    bench.tick()
    bench.journal.rename(tmp_path / "spare")
    bench.tick()
    (tmp_path / "spare").rename(bench.journal)
    bench.tick()
    assert everything_was_read_once(bench, writer, 1)


def test_an_agent_whose_journal_directory_has_gone_says_that_it_knows_nothing_new(
    agent: AgentProcess, alive: Alive, tmp_path: Path
) -> None:
    writer = JournalWriter(agent.journal, lock=False)
    writer.opened(SOCKET)

    def how_it_is() -> tuple[bool, list[str]]:
        status = agent.get("/v1/status")
        return status["ready"], [error["text"] for error in status["errors"]]

    with alive(writer):
        agent.start()
        eventually(lambda: agent.get("/v1/sockets") and how_it_is() == (True, []))
        agent.journal.rename(tmp_path / "spare")
        gone = f"{agent.journal} is not there any more: of 1 process that wrote there nothing new is known"
        eventually(lambda: how_it_is() == (False, [gone]))
        (tmp_path / "spare").rename(agent.journal)
        eventually(lambda: how_it_is() == (True, []))
