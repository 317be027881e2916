"""An agent's inside, driven step by step over a real directory, database and landing folder."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess, WriterProcess, landed
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.live.views import AgentView
from hopwatch_agent.presence import MISSING_SECONDS
from hopwatch_agent.settings.sections import AgentSettings, JournalSettings, LandingSettings, ListenSettings
from hopwatch_agent.store.database import prepare
from hopwatch_agent.store.store import Store
from hopwatch_agent.tick import Ticker
from hosts import environment_of
from journal_writer import JournalWriter
from programs import Program

# a lock of the test's own process would be let go as soon as the agent's code closes the file
_HOLD = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""

PARTING = Path(__file__).parents[1] / "support" / "parting_program.py"


@contextmanager
def lock_held(path: Path) -> Iterator[None]:
    command = [sys.executable, "-S", "-E", "-c", _HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.communicate()


class Bench:
    """One agent without threads; ``reopen`` is what a new process would find after a kill."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal"
        self.data = folder / "data"
        self.landed = folder / "landed"
        self.limits = Limits()
        self.later, self.stands_at = 0.0, None
        self.journal.mkdir()
        self.data.mkdir()
        self._open()

    def _open(self) -> None:
        prepare(self.data)
        self.store = Store(self.data)
        self.tables: Tables = self.store.load()
        self.board = Board(self.tables)
        settings = JournalSettings(self.journal, "box-1", self.limits)
        self.ticker = Ticker(settings, self.store, self.tables, self.board, self.clock)
        self.batches = BatchStore(self.data)
        self.lander = Lander(self.batches, Landing(str(self.landed)))

    def set_limits(self, limits: Limits) -> None:
        """From here on, as of an agent with these settings."""
        self.ticker.close()
        settings = JournalSettings(self.journal, "box-1", limits)
        self.ticker = Ticker(settings, self.store, self.tables, self.board, self.clock)

    @property
    def view(self) -> AgentView:
        """What the agent would answer over HTTP."""
        landing, listen = LandingSettings(str(self.landed)), ListenSettings("127.0.0.1", 0)
        settings = AgentSettings(JournalSettings(self.journal, "box-1"), self.data, landing, listen)
        return AgentView(self.board, settings, "1.2.3")

    def close(self) -> None:
        self.ticker.close()
        self.store.close()
        self.lander.close()

    def reopen(self, limits: Limits | None = None) -> None:
        self.close()
        self.limits = limits or self.limits
        self._open()

    def writer(self, **options: Any) -> JournalWriter:
        return JournalWriter(self.journal, lock=False, **options)

    def clock(self) -> float:
        """Monotonic seconds."""
        return (time.monotonic() if self.stands_at is None else self.stands_at) + self.later

    def tick_until_missing_locks_are_believed(self) -> None:
        self.tick()
        self.later += MISSING_SECONDS
        self.tick()

    def tick(self) -> None:
        while self.ticker.run_once(forced=True):
            pass
        self.ticker.clean()

    def land(self) -> None:
        error = self.lander.run_once(lambda _rows: None)
        assert error is None, error

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """Rows that were landed, after landing whatever waits."""
        self.land()
        return sorted(landed(self.landed, kind), key=lambda row: (row["at"], row["n"] or 0))

    def faults(self) -> list[str]:
        return [row["text"] for row in self.rows("fault")]

    def process(self, writer: JournalWriter) -> Any:
        return self.tables.processes[writer.process]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.close()


@pytest.fixture
def alive() -> Callable[[JournalWriter], AbstractContextManager[None]]:
    """A block during which the process of a writer lives."""
    return lambda writer: lock_held(writer.path("lock"))


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    agent = AgentProcess(tmp_path, {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")})
    agent.journal.mkdir()
    yield agent
    if agent.process is not None and agent.process.poll() is None:
        agent.kill()


@pytest.fixture
def writing(agent: AgentProcess) -> Iterator[Callable[..., WriterProcess]]:
    """Starts writers of the agent's journal directory."""
    started: list[WriterProcess] = []

    def start(*arguments: str) -> WriterProcess:
        started.append(WriterProcess(agent.journal, *arguments))
        return started[-1]

    yield start
    for writer in started:
        if writer.process.poll() is None:
            writer.kill()


@pytest.fixture
def launch(bench: Bench) -> Iterator[Callable[..., Program]]:
    """Starts a program (its path, and its arguments) whose journal the bench reads."""
    started: list[Program] = []

    def run(script: Path, *arguments: str) -> Program:
        path = bench.journal.parent / f"{len(started)}.stderr"
        environment = environment_of("web-1", bench.journal)
        started.append(Program([sys.executable, str(script), *arguments], environment, path))
        return started[-1]

    yield run
    for program in started:
        program.reap()


@pytest.fixture
def start(launch: Callable[..., Program]) -> Callable[..., Program]:
    """Starts a publisher, or a subscriber of it that has got a message (parting_program.py)."""
    return partial(launch, PARTING)
