"""Real sockets, a real agent and a real analysis: the agent's preliminary word, and the analysis' in its place."""

import os
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from beside_an_agent import Beside
from hopwatch_analysis.spark.settings import QUICK_START
from truth import read_truth

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(400),
    pytest.mark.extended("Spark in a process of its own; test_incidents.py has reports written by the test"),
]

HOPWATCH = Path(sysconfig.get_path("scripts")) / "hopwatch"


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path, others, "--report", str(tmp_path / "out"))
    agent.start()
    yield agent
    agent.kill()


@pytest.fixture
def beside(agent: AgentProcess, tmp_path: Path) -> Iterator[Beside]:
    beside = Beside(agent, tmp_path)
    yield beside
    beside.reap()


def play(beside: Beside, sender: str, receiver: str) -> int:
    """A PUB whose SUB is too slow; both end in order. Gives how many messages did not come."""
    for program in beside.lossy_pair(sender, receiver):
        program.close()
    missing = len(read_truth(beside.truth).missing(sender, receiver))
    assert missing
    return missing


def told(agent: AgentProcess, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = agent.get(f"/v1/incidents{query}")
    return found


@pytest.mark.parametrize("following", [(), ("--follow", "--once")], ids=["of what there is", "as files land"])
def test_the_analysis_has_the_last_word_and_what_comes_after_it_is_the_agents(
    agent: AgentProcess, beside: Beside, tmp_path: Path, following: tuple[str, ...]
) -> None:
    missing = play(beside, "quotes", "slow")
    [own] = eventually(lambda: sum(i["lost"] for i in told(agent)) == missing and told(agent))
    assert (own["source"], own["hop"], own["preliminary"]) == ("agent", "quotes → slow", True)

    eventually(lambda: agent.get("/v1/status")["processes"] == 0)
    eventually(lambda: agent.get("/v1/status")["rows_waiting"] == 0)
    command = [str(HOPWATCH), "analyze", str(agent.landed), "--out", str(tmp_path / "out"), *following]
    quick = os.environ | {"SPARK_SUBMIT_OPTS": " ".join(QUICK_START)}
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=quick)

    found = eventually(lambda: told(agent, "?source=analysis") and told(agent))
    assert {i["source"] for i in found} == {"analysis"}
    assert sum(i["lost"] for i in found) == missing
    for incident in found:
        assert (incident["hop"], incident["preliminary"]) == ("quotes → slow", False)
        assert incident["cause"] in ("slow_receiver", "hwm_too_low")
        assert (incident["from"]["name"], incident["to"]["name"]) == ("quotes", "slow")
        assert (incident["socket"], incident["streams"]) == (own["socket"], [own["stream"]])
        assert incident["from"]["process"] == own["from"]["process"]
        assert incident["advice"]
        assert incident["evidence"]
    assert "report" not in {error["source"] for error in agent.get("/v1/status")["errors"]}

    late = play(beside, "trades", "late")
    [new] = eventually(
        lambda: sum(i["lost"] for i in told(agent, "?source=agent")) == late and told(agent, "?source=agent")
    )
    assert (new["hop"], new["preliminary"]) == ("trades → late", True)
    assert told(agent)[:-1] == found
