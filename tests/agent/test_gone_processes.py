"""What processes leave that are gone: it goes with the commit of what it says, and what nobody can read goes past a bound."""

from typing import Any

import pytest
from hopwatch_agent.live.limits import Limits
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
PROCESSES = 40
MOST = 5


def of_a_foreign_format(writer: JournalWriter) -> None:
    path = writer.path("events", 0)
    path.write_bytes(path.read_bytes().replace(b'"format": 2', b'"format": 9'))


def with_an_unreadable_file(writer: JournalWriter) -> None:
    writer.set_header(0, b"NOTHOPS!")


def errors(bench: Any) -> dict[str, str]:
    return {error.source: error.text for error in bench.view.status().errors}


def come_and_go(bench: Any, damage: Any = None) -> list[JournalWriter]:
    writers = []
    for number in range(PROCESSES):
        writer = bench.writer()
        writer.event("onset", socket=SOCKET, number=number)
        if damage is not None:
            damage(writer)
        writer.close()
        writers.append(writer)
        bench.tick()
    # what has gone is forgotten once its files are not listed any more
    last = bench.writer()
    for _ in range(3):
        bench.tick()
    last.close()
    return writers


def test_files_of_a_process_that_is_gone_go_with_the_commit_wherever_rows_land(bench: Any) -> None:
    bench.set_limits(Limits(processes=MOST))
    come_and_go(bench)
    assert list(bench.journal.iterdir()) == []
    assert len(bench.tables.processes) <= 3 * MOST
    bench.reopen()
    bench.tick()
    assert sorted(row["number"] for row in bench.rows("onset")) == list(range(PROCESSES))
    assert bench.faults() == []


@pytest.mark.parametrize("damage", [of_a_foreign_format, with_an_unreadable_file])
def test_what_gone_processes_left_unreadable_is_kept_up_to_a_bound_and_the_oldest_goes(
    bench: Any, damage: Any
) -> None:
    bench.set_limits(Limits(processes=MOST))
    writers = come_and_go(bench, damage)
    kept = {path.name.partition(".")[0] for path in bench.journal.iterdir()}
    assert kept == {writer.process for writer in writers[-MOST:]}
    assert len(bench.tables.processes) <= 3 * MOST
    given_up = [fault for fault in bench.faults() if "unlinked unread" in fault]
    assert len(given_up) == PROCESSES - MOST
    assert f"those of {PROCESSES - MOST} more were unlinked unread" in errors(bench)["unread"]
    for path in bench.journal.iterdir():
        path.unlink()
    bench.tick()
    assert errors(bench) == {}
