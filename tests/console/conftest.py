"""Real agents, asked from the command line."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from agent_process import AgentProcess, eventually
from certificates import Authority
from console_command import Starting, without_hopwatch
from lossy_sockets import lossy_sockets


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def starting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starting]:
    """Starts agents with settings of the environment, each on folders of its own."""
    begun: list[AgentProcess] = []

    def start(*arguments: str, **settings: object) -> AgentProcess:
        variables = {f"HOPWATCH_AGENT_{name.upper()}": str(value) for name, value in settings.items()}
        agent = AgentProcess(tmp_path_factory.mktemp("agent"), {**without_hopwatch(), **variables})
        begun.append(agent)
        agent.start(*arguments)
        # its authority is that of a test
        eventually(lambda: httpx.get(f"{agent.url}/readyz", verify=False).status_code == 200)  # noqa: S501
        return agent

    yield start
    for agent in begun:
        agent.kill()


@pytest.fixture(scope="module")
def plain_agent(starting: Starting) -> AgentProcess:
    """One that asks for nothing, and has nothing to tell."""
    return starting()


@pytest.fixture(scope="module")
def losing(starting: Starting) -> Iterator[AgentProcess]:
    """An agent of a process whose sockets lose messages, wait, and rest."""
    agent = starting()
    with lossy_sockets(agent.journal):
        yield agent


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "token"
