"""A database file that is damaged: whatever is wrong with it, the agent says so in a line that names the file, or goes on."""

import contextlib
import os
import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess
from hopwatch_agent.errors import AgentError, DataDirectoryError
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.schemas import KINDS
from hopwatch_agent.store.database import FILE_NAME, prepare
from hopwatch_agent.store.store import Store
from journal_writer import JournalWriter

PAGE = 4096
SOCKET = "00000000000000a1"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


@pytest.fixture
def database(bench: Any, alive: Alive) -> bytes:
    """One that was in use, whole in one file."""
    writer = bench.writer()
    writer.opened(SOCKET)
    for number in range(200):
        writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)
        writer.event("fault", socket=SOCKET, text="x" * 200)
    with alive(writer):
        bench.tick()
    bench.close()
    data = (bench.data / FILE_NAME).read_bytes()
    assert len(data) > 20 * PAGE
    return data


def begin(data: Path) -> None:
    """What an agent asks its database before it serves."""
    with contextlib.ExitStack() as opened:
        prepare(data)
        store = Store(data)
        opened.callback(store.close)
        store.load()
        store.newest_events(10_000)
        store.totals()
        batches = BatchStore(data)
        opened.callback(batches.close)


def told(folder: Path, content: bytes) -> str | None:
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(content)
    try:
        begin(folder)
    except AgentError as error:
        return str(error)
    return None


@pytest.mark.parametrize("damage", [b"\xff", b"\0", b"\r"])
def test_each_page_may_be_damaged(bench: Any, database: bytes, tmp_path: Path, damage: bytes) -> None:
    answers = []
    for page in range(len(database) // PAGE):
        damaged = database[: page * PAGE] + damage * PAGE + database[(page + 1) * PAGE :]
        answers.append(told(tmp_path / f"page-{page}", damaged))
    assert answers[0] is not None
    for page, answer in enumerate(answers):
        assert answer is None or str(tmp_path / f"page-{page}" / FILE_NAME) in answer


@pytest.mark.parametrize("length", [99, PAGE - 1, PAGE, 3 * PAGE + 7])
def test_a_file_that_was_cut_short_is_named(bench: Any, database: bytes, tmp_path: Path, length: int) -> None:
    answer = told(tmp_path / "cut", database[:length])
    assert answer is not None
    assert str(tmp_path / "cut" / FILE_NAME) in answer


def test_garbage_beside_the_database_is_no_part_of_it(bench: Any, database: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    garbage = random.Random(7)  # noqa: S311 -- the same each time
    (folder / f"{FILE_NAME}-wal").write_bytes(garbage.randbytes(10_000))
    (folder / f"{FILE_NAME}-shm").write_bytes(garbage.randbytes(32_768))
    (folder / FILE_NAME).write_bytes(database)
    with contextlib.suppress(AgentError):
        begin(folder)


def test_a_damaged_database_ends_the_start_with_one_line(bench: Any, database: bytes, tmp_path: Path) -> None:
    (bench.data / FILE_NAME).write_bytes(database[:PAGE] + b"\xff" * (len(database) - PAGE))
    bad = AgentProcess(tmp_path, os.environ).launch()
    out, errors = bad.communicate(timeout=120)
    assert (bad.returncode, out, errors.count("\n")) == (2, "", 1)
    assert str(bench.data / FILE_NAME) in errors


def test_rows_that_wait_are_never_read_as_other_columns(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.close()
    begin(bench.data)
    columns = KINDS["option"]
    monkeypatch.setitem(KINDS, "option", dict(reversed(columns.items())))
    with pytest.raises(DataDirectoryError, match="another version of the agent"):
        begin(bench.data)
    monkeypatch.setitem(KINDS, "option", columns)
    begin(bench.data)
