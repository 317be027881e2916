"""A real agent, served over real HTTP."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    folder: Path = tmp_path_factory.mktemp("agent")
    agent = AgentProcess(folder, {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")})
    agent.start()
    yield agent
    agent.kill()
