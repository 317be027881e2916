"""One journal directory, one agent: two would unlink what the other has not read."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess, WriterProcess, eventually

Writing = Callable[..., WriterProcess]


@pytest.fixture
def second(agent: AgentProcess, tmp_path: Path) -> Iterator[AgentProcess]:
    """An agent with data of its own on the same journal directory."""
    (tmp_path / "second").mkdir()
    second = AgentProcess(tmp_path / "second", {k: v for k, v in os.environ.items() if "HOPWATCH_" not in k})
    second.journal = agent.journal
    yield second
    if second.process is not None and second.process.poll() is None:
        second.kill()


def test_a_second_agent_on_a_journal_directory_is_refused_whatever_its_data(
    agent: AgentProcess, second: AgentProcess, writing: Writing
) -> None:
    agent.start()
    writer = writing()
    refused = second.launch()
    out, errors = refused.communicate(timeout=120)
    assert (refused.returncode, out) == (2, "")
    assert errors.count("\n") == 1
    assert f"another agent is reading the journal directory {agent.journal}" in errors
    agent.kill()
    second.start()
    written = writer.end()
    assert second.terminate()[0] == 0
    numbers = [row["number"] for row in (*agent.rows("onset"), *second.rows("onset"))]
    assert set(numbers) == set(range(written))


@pytest.mark.extended("two agents that wait for each other")
def test_a_directory_that_comes_later_is_read_by_one_of_two_agents(
    agent: AgentProcess, second: AgentProcess, writing: Writing
) -> None:
    agent.journal.rmdir()
    agent.start()
    second.start()
    writer = writing()
    both = (agent, second)

    def waiting() -> list[AgentProcess]:
        return [one for one in both if "another agent" in str(one.get("/v1/status")["errors"])]

    (refused,) = eventually(waiting)
    (reading,) = [one for one in both if one is not refused]
    (error,) = [error for error in refused.get("/v1/status")["errors"] if error["source"] == "tick"]
    assert f"another agent is reading the journal directory {agent.journal}" in error["text"]
    eventually(lambda: reading.get("/v1/sockets"))
    assert refused.get("/v1/sockets") == []
    reading.terminate()
    eventually(lambda: refused.get("/v1/sockets"))
    written = writer.end()
    refused.terminate()
    numbers = [row["number"] for one in both for row in one.rows("onset")]
    assert set(numbers) == set(range(written))


@pytest.mark.extended("two agents that wait for each other")
def test_a_directory_that_is_made_anew_is_held_anew(
    agent: AgentProcess, second: AgentProcess, writing: Writing
) -> None:
    agent.start()
    shutil.rmtree(agent.journal)
    agent.journal.mkdir()
    writer = writing()
    eventually(lambda: agent.get("/v1/sockets"))
    refused = second.launch()
    assert "another agent" in refused.communicate(timeout=120)[1]
    written = writer.end()
    assert agent.terminate()[0] == 0
    assert len(agent.rows("onset")) == written
