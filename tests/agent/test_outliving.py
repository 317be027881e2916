"""An agent that is told to end together with the applications lands what they say to the last."""

from collections import Counter
from collections.abc import Callable

import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from hopwatch_agent.agent import Agent
from hopwatch_agent.loop import TickLoop
from hopwatch_agent.settings.sections import settings_from
from hopwatch_agent.settings.sources import options_from

Writing = Callable[..., WriterProcess]


def begun(agent: AgentProcess, writing: Writing) -> WriterProcess:
    agent.start()
    writer = writing()
    eventually(lambda: agent.get("/v1/sockets"))
    return writer


def told_to_end(agent: AgentProcess) -> None:
    assert agent.process is not None
    agent.process.terminate()


@pytest.mark.parametrize("end", ["in order", "killed"])
def test_it_ends_behind_the_last_process_that_it_reads(
    agent: AgentProcess, writing: Writing, end: str
) -> None:
    agent.set("HOPWATCH_AGENT_OUTLIVE", "true")
    writer = begun(agent, writing)
    told_to_end(agent)
    before = len(agent.rows("onset"))
    eventually(lambda: len(agent.rows("onset")) > before + 50)
    assert agent.process is not None
    assert agent.process.poll() is None
    written = writer.end() if end == "in order" else None
    if written is None:
        writer.kill()
    agent.process.communicate(timeout=120)
    assert agent.process.returncode == 0
    assert list(agent.journal.iterdir()) == []
    assert Counter(row["state"] for row in agent.rows("process"))["gone"] == 1
    if written is not None:
        assert sorted(row["number"] for row in agent.rows("onset")) == list(range(written))


def test_it_waits_no_longer_than_it_may_and_lands_in_the_rest_of_the_time(
    agent: AgentProcess, writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    outlive = TickLoop.outlive

    def outlive_for_a_moment(ticks: TickLoop, seconds: float) -> None:
        waited.append(seconds)
        outlive(ticks, 0.5)

    monkeypatch.setattr(TickLoop, "outlive", outlive_for_a_moment)
    writing()  # it writes on
    folders = {"dir": str(agent.journal), "data": str(agent.data), "land": str(agent.landed)}
    agent.data.mkdir()
    settings = options_from({}, {**folders, "listen": "127.0.0.1:0", "outlive": "true"})
    here = Agent(settings_from(settings, {}))
    here.start()
    eventually(lambda: here.board.progress.processes)
    assert here.stop(200)
    assert waited == [195]
    assert agent.rows("onset")


def test_with_nobody_to_wait_for_it_ends_at_once(agent: AgentProcess, writing: Writing) -> None:
    agent.set("HOPWATCH_AGENT_OUTLIVE", "true")
    agent.set("HOPWATCH_AGENT_STOP_SECONDS", "600")
    writer = begun(agent, writing)
    writer.end()
    eventually(lambda: agent.get("/v1/status")["processes"] == 0)
    assert agent.terminate() == (0, "")
