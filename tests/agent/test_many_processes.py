"""Hundreds of processes that come and go: the agent's memory, descriptors and files are as before, and its books are right."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually

PROCESSES = 500
AT_ONCE = 50
EVENTS = 8
CROWD = Path(__file__).parents[1] / "support" / "crowd.py"
MOST_MEMORY_KIB = 48 * 1024


def come_and_go(agent: AgentProcess, processes: int) -> int:
    """Gives how many onsets they wrote."""
    command = [sys.executable, str(CROWD), str(agent.journal), str(processes), str(AT_ONCE), str(EVENTS)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def is_quiet(agent: AgentProcess) -> bool:
    status = agent.get("/v1/status")
    return status["processes"] == 0 and status["rows_waiting"] == 0 and not list(agent.journal.iterdir())


def memory(agent: AgentProcess) -> int:
    """Resident, in KiB."""
    assert agent.process is not None
    status = Path(f"/proc/{agent.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def descriptors(agent: AgentProcess) -> int:
    assert agent.process is not None
    return len(list(Path(f"/proc/{agent.process.pid}/fd").iterdir()))


@pytest.mark.extended("five hundred processes")
def test_five_hundred_processes_that_come_and_go_leave_nothing_but_their_rows(agent: AgentProcess) -> None:
    agent.start()
    written = come_and_go(agent, AT_ONCE)
    eventually(lambda: is_quiet(agent), 60)
    memory_before, descriptors_before = memory(agent), descriptors(agent)
    written += come_and_go(agent, PROCESSES - AT_ONCE)
    eventually(lambda: is_quiet(agent), 60)
    assert memory(agent) - memory_before < MOST_MEMORY_KIB
    eventually(lambda: descriptors(agent) <= descriptors_before + 2)
    status = agent.get("/v1/status")
    assert (status["recent_faults"], status["errors"]) == ([], [])
    assert (status["processes"], status["sockets"], status["events_lost"], status["faults"]) == (0, 0, 0, 0)
    assert agent.terminate() == (0, "")
    states = Counter(row["state"] for row in agent.rows("process"))
    assert (states["started"], states["gone"]) == (PROCESSES, PROCESSES)
    onsets = Counter((row["process"], row["number"]) for row in agent.rows("onset"))
    assert len(onsets) == sum(onsets.values()) == written
    finals = Counter(row["socket"] for row in agent.rows("counters") if row["final"])
    assert set(finals.values()) == {1}
    assert len(finals) == PROCESSES + states["exited"]
    assert {row["sent"] for row in agent.rows("counters") if row["final"]} == {EVENTS}
