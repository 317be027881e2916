"""What is left of processes that ended before they had a journal goes; a journal that was not there yet when the files were listed stays."""

from pathlib import Path

from hopwatch_agent.cleaning import Cleaner
from hopwatch_agent.journal.directory import scan
from hopwatch_agent.live.draft import Tables
from journal_writer import JournalWriter


def begin(directory: Path, process: str) -> None:
    """As far as a process gets that is killed while it makes its journal."""
    (directory / f"{process}.lock").touch()
    (directory / f"{process}.0000.counters.new").touch()


def test_a_process_that_ended_before_it_had_a_journal_leaves_nothing(tmp_path: Path) -> None:
    begin(tmp_path, "00000000000000a1")
    Cleaner(tmp_path).unlink_read(scan(tmp_path), Tables())
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_wrote_and_ended_after_it_was_listed_keeps_its_journal_and_its_lock(
    tmp_path: Path,
) -> None:
    begin(tmp_path, "00000000000000a1")
    listed = scan(tmp_path)
    writer = JournalWriter(tmp_path, process="00000000000000a1")
    writer.close()
    left = sorted(tmp_path.iterdir())
    Cleaner(tmp_path).unlink_read(listed, Tables())
    assert sorted(tmp_path.iterdir()) == left
