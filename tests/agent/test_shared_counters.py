"""Counters in shared memory: the agent reads what a process has counted last, and frees what a dead one leaves."""

import os
import shutil
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_process import eventually
from hopwatch.journal import shared_memory
from hosts import environment_of
from programs import Program

PIPES = Path(__file__).parents[1] / "support" / "pipe_program.py"


@pytest.fixture
def pipes(launch: Callable[..., Program]) -> Program:
    """A PUSH and a PULL that count, in a process of their own."""
    program = launch(PIPES, "PUSH", "PULL", "100")
    ask(program, "open")
    return program


def ask(program: Program, command: str) -> None:
    program.tell(command)
    program.expect("done")


def segments(folder: Path) -> list[int]:
    """The shared memory that the counters files name."""
    places = [
        struct.unpack_from("<Q", path.read_bytes(), 96)[0] - 1 for path in sorted(folder.glob("*.counters"))
    ]
    assert -1 not in places
    return places


def sent(bench: Any) -> list[int]:
    bench.tick()
    return [socket.counters["sent"] for socket in bench.view.sockets() if socket.name == "source"]


def test_counts_are_read_at_once_and_to_the_last_one_of_a_killed_process(bench: Any, pipes: Program) -> None:
    (segment,) = segments(bench.journal)
    (before,) = sent(bench)
    assert {socket.process.counts_in for socket in bench.view.sockets()} == {"shared memory"}
    ask(pipes, "send 5")
    assert sent(bench) == [before + 5]
    ask(pipes, "send 2")
    pipes.reap()
    bench.tick()
    rows = [row for row in bench.rows("counters") if row["final"] and row["sent"]]
    assert [row["sent"] for row in rows] == [before + 7]
    with pytest.raises(OSError, match="shmctl"):
        shared_memory.status(segment)
    assert list(bench.journal.iterdir()) == []


def test_a_lock_that_was_replaced_ends_nobody(bench: Any, pipes: Program) -> None:
    sent(bench)
    (lock,) = bench.journal.glob("*.lock")
    for _ in range(2):
        shutil.copy(lock, bench.journal.parent / "copy")
        (bench.journal.parent / "copy").rename(lock)
        sent(bench)
    processes = list(bench.tables.processes.values())
    assert [process.gone_at for process in processes] == [None]
    pipes.reap()
    bench.tick_until_missing_locks_are_believed()
    assert list(bench.journal.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may have a namespace of its own")
def test_of_memory_that_may_not_be_attached_the_copy_is_read(bench: Any) -> None:
    elsewhere = ["unshare", "--ipc", sys.executable, str(PIPES), "PUSH", "PULL", "100"]
    program = Program(elsewhere, environment_of("web-1", bench.journal), bench.journal.parent / "0.stderr")
    ask(program, "open")
    ask(program, "send 5")
    eventually(lambda: sent(bench) == [6])
    program.reap()
    bench.tick()
    rows = [row for row in bench.rows("counters") if row["sent"]]
    assert (rows[-1]["sent"], rows[-1]["final"]) == (6, False)
    assert {row["state"] for row in bench.rows("lane")} == {"announced", "sample"}
    (text,) = bench.faults()
    assert "shared memory that cannot be read" in text
    assert {socket.final for socket in bench.tables.sockets.values()} == {True}
