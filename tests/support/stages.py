"""Where in its work a stopped or killed agent stands, by what it has on disk."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from agent_process import AgentProcess

STARTING = "starting"
BETWEEN = "between steps"
WRITING = "writing a file"
LANDED = "landed and not forgotten"
COMMITTED = "committed and not unlinked"
MERGED = "merged, and a part is still there"
HEAD = "within a head"


def stages(agent: AgentProcess, folder: Path) -> set[str]:
    """Every stage that holds at this moment; ``folder`` is free for copies. The agent must not run."""
    found: set[str] = set()
    if any(agent.landed.glob("kind=*/date=*/host=*/.*.tmp")):
        found.add(WRITING)
    with _database(agent, folder) as database:
        if database is None:
            return {STARTING}
        if _has_landed_batch(database, agent.landed):
            found.add(LANDED)
        if _has_read_segment(database, agent.journal):
            found.add(COMMITTED)
        if any(state.get("behind") for state in _processes(database)):
            found.add(HEAD)
        if database.execute("SELECT count(*) FROM files WHERE merged IS NOT NULL").fetchone()[0]:
            found.add(MERGED)
    return found or {BETWEEN}


@contextmanager
def _database(agent: AgentProcess, folder: Path) -> Iterator[sqlite3.Connection | None]:
    """A copy: who opens the database itself recovers it, which is for the next agent to do."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for path in agent.data.glob("agent.sqlite3*"):
        shutil.copy(path, folder / path.name)
    copy = folder / "agent.sqlite3"
    if not copy.exists():
        yield None
        return
    with closing(sqlite3.connect(copy)) as connection:
        made = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        yield connection if made else None


def _has_landed_batch(database: sqlite3.Connection, landed: Path) -> bool:
    names = {
        f"{first:012d}-{last:012d}.parquet"
        for first, last in database.execute("SELECT first, last FROM batches").fetchall()
    }
    files = landed.glob("kind=*/date=*/host=*/*.parquet") if names else ()
    return any(file.name.partition("-")[2] in names for file in files)


def _has_read_segment(database: sqlite3.Connection, journal: Path) -> bool:
    """Whether a segment is there still that a living process's state is past."""
    states = [state for state in _processes(database) if state.get("gone_at") is None]
    past = {state["process"]: state["segment"] for state in states}
    names = [path.name.split(".") for path in journal.glob("*.events")]
    return any(int(index) < past.get(process, 0) for process, index, _ in names)


def _processes(database: sqlite3.Connection) -> list[dict[str, Any]]:
    rows = database.execute("SELECT data FROM state WHERE what='process'").fetchall()
    return [msgspec.msgpack.decode(data) for (data,) in rows]
