"""SIGKILLs of the agent, and some of the applications: every event is landed once, and the last counts are the truth."""

import os
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dying_agent
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from loaded_process import Application, Truth
from stages import COMMITTED, LANDED, MERGED, STARTING, WRITING, stages

WORST = ((STARTING, 1), (LANDED, 4), (COMMITTED, 1), (WRITING, 2), (MERGED, 1))
"""In which stages an agent dies, and when it comes to them for the how many-th time."""

KILLS = 50
APPLICATION_KILLS = 8
SEED = os.environ.get("KILL_SEED", "exactly once")
SERVING = "some time after it began to serve"
# of the fifty: how many wait for a certain stage; the others come at any moment from the start on
AIMED = {LANDED: 8, COMMITTED: 5, MERGED: 5, SERVING: 12}
LONGEST_WAIT = 30.0
"""Seconds that one of the fifty waits for its stage."""
KINDS = (
    "process", "socket", "option", "endpoint", "subscription", "connection", "lane", "gap", "onset", "unroutable", "counters",
    "proxy", "finding", "fault",
)  # fmt: skip


@dataclass
class Landed:
    """Everything that was landed of one process."""

    events: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    numbers: set[int] = field(default_factory=set)
    states: Counter[str] = field(default_factory=Counter)
    final: dict[str, list[dict[str, int]]] = field(default_factory=lambda: defaultdict(list))
    final_lanes: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    events_lost: int = 0


def landed_of(agent: AgentProcess) -> dict[str, Landed]:
    found: dict[str, Landed] = defaultdict(Landed)
    for kind in KINDS:
        for row in agent.rows(kind):
            one = found[row["process"]]
            lane = (row.get("socket"), row.get("stream"), row.get("lane"))
            if row["n"] is not None:
                one.numbers.add(row["n"])
                one.events[(kind, row["n"], *lane)] += 1
            if kind == "process":
                one.states[row["state"]] += 1
                one.events_lost += row["events_lost"] or 0
            if kind == "counters" and row["final"]:
                one.final[row["socket"]].append(row)
            if kind == "lane" and row["state"] == "final":
                one.final_lanes[lane] += 1
    return found


def serves(agent: AgentProcess) -> None:
    """Returns when an agent that was launched does."""
    assert agent.process is not None
    assert agent.process.stdout is not None
    agent.url = agent.process.stdout.readline().split()[-1]


@contextmanager
def standing_still(agent: AgentProcess) -> Iterator[None]:
    """A running agent does nothing while the block runs, and then goes on as if nothing had been."""
    assert agent.process is not None
    os.kill(agent.process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, agent.process.pid, os.WSTOPPED)
    yield
    os.kill(agent.process.pid, signal.SIGCONT)


def assert_exactly_once(landed: Landed, truth: Truth) -> None:
    assert landed.numbers == set(range(1, truth.events + 1))
    assert [key for key, times in landed.events.items() if times > 1] == []
    assert (landed.states["started"], landed.states["gone"], landed.events_lost) == (1, 1, 0)
    assert [key for key, times in landed.final_lanes.items() if times > 1] == []
    assert [socket for socket, rows in landed.final.items() if len(rows) > 1] == []
    told = {socket: landed.final[socket][0] for socket in truth.counts}
    assert {
        socket: {name: told[socket][name] for name in counts} for socket, counts in truth.counts.items()
    } == truth.counts


@pytest.fixture
def launch(agent: AgentProcess) -> Iterator[Callable[[], Application]]:
    started: list[Application] = []

    def start() -> Application:
        started.append(Application(agent))
        return started[-1]

    yield start
    for application in started:
        application.reap()


@pytest.fixture
def stopped_in(agent: AgentProcess, tmp_path: Path) -> Callable[[str], None]:
    """Lets an agent that serves run until it was stopped in a certain stage, or for some seconds."""
    chance = random.Random(SEED)  # noqa: S311 -- the same each time

    def wait(stage: str) -> None:
        assert agent.process is not None
        deadline = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < deadline:
            os.kill(agent.process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, agent.process.pid, os.WSTOPPED)
            if stage in stages(agent, tmp_path / "look"):
                return
            os.kill(agent.process.pid, signal.SIGCONT)
            if stage == LANDED:
                a_file_appears(agent.landed / "kind=onset", deadline)
            elif stage == COMMITTED:
                something_is_committed(agent.data / "agent.sqlite3-wal", deadline)
            else:
                time.sleep(chance.uniform(0.005, 0.05))

    return wait


def a_file_appears(folder: Path, deadline: float) -> None:
    """Returns as soon as one is there that was not."""
    before = set(folder.glob("date=*/host=*/[!.]*"))
    while set(folder.glob("date=*/host=*/[!.]*")) == before and time.monotonic() < deadline:
        time.sleep(0.0005)


def something_is_committed(log: Path, deadline: float) -> None:
    """Returns as soon as SQLite's log of what was committed has changed."""
    before = log.stat().st_mtime_ns
    while log.stat().st_mtime_ns == before and time.monotonic() < deadline:
        time.sleep(0.0005)


def assert_all_landed_once(agent: AgentProcess, truths: list[Truth], written: int) -> None:
    """Of an agent that was just launched, once it has read all of the applications and of a writer of so many onsets."""
    serves(agent)
    eventually(lambda: agent.get("/v1/status")["processes"] == 0, 60)
    assert agent.terminate()[0] == 0
    landed = landed_of(agent)
    for truth in truths:
        assert_exactly_once(landed.pop(truth.process), truth)
    (of_writer,) = landed.values()
    (counts,) = ([row] for rows in of_writer.final.values() for row in rows)
    assert (counts[0]["sent"], of_writer.events_lost) == (written, 0)
    # opened and closed beside the onsets, and the end
    assert of_writer.numbers == set(range(1, written + 4))
    assert max(of_writer.events.values()) == 1
    assert list(agent.journal.iterdir()) == []


@pytest.fixture
def dies_in(agent: AgentProcess, tmp_path: Path) -> Callable[[str, int], None]:
    """Launches an agent that dies in a stage, and waits until it has."""

    def wait(stage: str, times: int) -> None:
        agent.before = [sys.executable, dying_agent.__file__, stage, str(times)]
        agent.process = agent.launch()
        said, errors = agent.process.communicate(timeout=120)
        assert agent.process.returncode == -signal.SIGKILL, errors
        assert said == "" if stage == STARTING else stage in stages(agent, tmp_path / "look")
        agent.before = []

    return wait


def test_kills_at_the_worst_moments_neither_lose_nor_repeat_anything(
    agent: AgentProcess,
    writing: Callable[..., WriterProcess],
    launch: Callable[[], Application],
    dies_in: Callable[[str, int], None],
    tmp_path: Path,
) -> None:
    agent.set("HOPWATCH_AGENT_MERGE_SECONDS", "0.5")
    writer = writing("--segment-limit", "20000")
    lasting, passing = launch(), launch()
    truths: list[Truth] = []
    for kill, (stage, times) in enumerate(WORST):
        dies_in(stage, times)
        if kill % 3 == 1:
            truths.append(passing.kill(tmp_path / f"killed-{kill}"))
            passing = launch()
    agent.process = agent.launch()
    truths += [passing.end(), lasting.end()]
    assert_all_landed_once(agent, truths, writer.end())


@pytest.mark.extended("fifty kills take a minute or more, and chance has to meet each stage")
@pytest.mark.timeout(900)
def test_fifty_kills_of_the_agent_and_some_of_the_applications_neither_lose_nor_repeat_anything(
    agent: AgentProcess,
    writing: Callable[..., WriterProcess],
    launch: Callable[[], Application],
    stopped_in: Callable[[str], None],
    tmp_path: Path,
) -> None:
    print(f"KILL_SEED={SEED!r}")
    agent.set("HOPWATCH_AGENT_MERGE_SECONDS", "0.5")
    chance = random.Random(SEED)  # noqa: S311 -- the same each time
    aims = [stage for stage, times in AIMED.items() for _ in range(times)]
    aims += [""] * (KILLS - len(aims))
    chance.shuffle(aims)
    application_kills = set(chance.sample(range(KILLS), APPLICATION_KILLS))
    truths: list[Truth] = []
    met: Counter[str] = Counter()

    writer = writing("--segment-limit", "20000")
    lasting, passing = launch(), launch()
    began = time.monotonic()
    agent.start()
    start_seconds = time.monotonic() - began
    agent.kill()
    agent.process = agent.launch()
    for kill, aim in enumerate(aims):
        if aim:
            serves(agent)
        if kill in application_kills and aim:
            with standing_still(agent):
                truths.append(passing.kill(tmp_path / f"killed-{kill}"))
            passing = launch()
        if aim in {LANDED, COMMITTED, MERGED}:
            stopped_in(aim)
        else:
            time.sleep(chance.uniform(0, 0.5 if aim else 1.2 * start_seconds))
        met.update([STARTING] if not agent.kill() and not aim else stages(agent, tmp_path / "look"))
        if kill in application_kills and not aim:
            truths.append(passing.kill(tmp_path / f"killed-{kill}"))
            passing = launch()
        agent.process = agent.launch()

    truths += [passing.end(), lasting.end()]
    assert_all_landed_once(agent, truths, writer.end())
    print(dict(met))
    assert all(met[stage] >= 3 for stage in (STARTING, LANDED, COMMITTED, MERGED))
