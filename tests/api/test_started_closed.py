"""An agent that may start closed: what is wrong with its token or certificate shuts everybody out, and keeps it from nothing else."""

import os
import shutil
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import plain_http
import pytest
from agent_process import AgentProcess, eventually
from certificates import Authority

KNOWN = "correct-horse-battery"
Starting = Callable[..., AgentProcess]


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Starting]:
    started: list[AgentProcess] = []

    def start(**settings: object) -> AgentProcess:
        variables = {f"HOPWATCH_AGENT_{name.upper()}": str(value) for name, value in settings.items()}
        others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
        agent = AgentProcess(tmp_path, {**others, "HOPWATCH_AGENT_START_CLOSED": "true", **variables})
        started.append(agent)
        agent.start()
        return agent

    yield start
    for agent in started:
        agent.kill()


def status(agent: AgentProcess, token: str) -> httpx.Response:
    return plain_http.get(agent.url + "/v1/status", headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize("content", [None, "", "short"])
def test_with_a_token_that_is_none_it_answers_probes_alone_until_there_is_one(
    starting: Starting, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    agent = starting(token_file=file)
    eventually(lambda: plain_http.get(agent.url + "/readyz").status_code == 200)
    for token in (content or "x", KNOWN):
        assert status(agent, token).status_code == 401
    assert plain_http.get(agent.url + "/v1/status").status_code == 401
    file.write_text(KNOWN)
    eventually(lambda: status(agent, KNOWN).status_code == 200)
    eventually(lambda: "token" not in {one["source"] for one in status(agent, KNOWN).json()["errors"]})


def test_with_a_certificate_that_is_none_nobody_is_connected_until_there_is_one(
    starting: Starting, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    made = authority.certificate("agent")
    cert, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    agent = starting(tls_cert=cert, tls_key=key)
    url = httpx.URL(agent.url)
    with socket.create_connection((url.host, url.port), timeout=10):
        """A kubelet that asks whether it listens is content."""

    def answers() -> bool:
        try:
            return httpx.get(agent.url + "/healthz", verify=trusting).status_code == 200
        except httpx.TransportError:
            return False

    trusting = ssl.create_default_context(cafile=authority.cert)
    assert not answers()
    shutil.copy(made.key, key)
    shutil.copy(made.cert, cert)
    eventually(answers)


@pytest.mark.parametrize("setting", ["token_file", "tls_cert"])
def test_a_check_of_its_settings_tells_all_the_same(starting: Starting, tmp_path: Path, setting: str) -> None:
    agent = starting(**{setting: tmp_path / "nothing"})
    process = agent.launch("--check")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "nothing" in errors
