"""Incidents in the terminal: what an agent knows so far, and what an analysis has found, with what to change."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, hopwatch
from hopwatch_console.records import Incident
from hopwatch_console.told_by import lost_of
from journal_writer import JournalWriter
from reports import end, hop, incident, now, report, write
from terminal import terminal

SENDER, RECEIVER = f"{1:016x}", f"{2:016x}"
FROM, TO = end("quotes", SENDER, "PUB"), end("slow", RECEIVER, "SUB")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an analysis writes its report."""
    return tmp_path_factory.mktemp("report") / "out"


@pytest.fixture(scope="module")
def agent(starting: Starting, folder: Path) -> Iterator[AgentProcess]:
    """One that knows a loss of just now, and is told of another one later."""
    agent = starting(report=folder)
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
    numbers = {"first": 4, "last": 6, "before": 3, "after": 7, "lost": 3, "received": 1}
    writer.event("gap", socket=RECEIVER, stream=SENDER, lane=0, **numbers)
    eventually(lambda: agent.get("/v1/incidents"))
    yield agent
    writer.close()


def test_what_an_analysis_finds_while_somebody_looks_comes_with_its_cause_and_advice(
    agent: AgentProcess, folder: Path
) -> None:
    with terminal("top", "--agent", agent.url, columns=160) as shown:
        shown.press("4")
        shown.shows("cause not known yet")
        early = now(-7200), now(-7100)
        found = [incident("quotes → slow", SENDER, *early)]
        write(folder, report(*early, hops=[hop(FROM, TO)], incidents=found))
        wanted = ("slow_receiver (inferred)", "Make it faster.", "cause not known yet")
        shown.becomes(lambda text: all(each in text for each in wanted), what=str(wanted))
        shown.press("/slow_receiver\r")
        shown.shows("1 of 2: slow_receiver")
        shown.press("\r")
        shown.shows("told by the analysis of ")
        shown.shows("→ Make it faster.")

    said = hopwatch("status", "--agent", agent.url).stdout
    told = " ".join(said.split())
    assert "INCIDENTS (2)" in said
    assert "quotes → slow: 10 messages lost, slow_receiver (inferred)" in told
    assert "told by the analysis of " in told
    assert "- it reads more slowly than it is sent → Make it faster." in told
    assert "quotes → slow: at least 3 messages lost, cause not known yet" in told
    assert "told by the agent, which is preliminary" in told


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({"source": "agent"}, "at least 3 messages lost"),
        ({"source": "agent", "cause": "unroutable", "certainty": "exact"}, "3 messages lost"),
        ({"source": "analysis", "cause": "slow_receiver", "certainty": "inferred"}, "3 messages lost"),
    ],
)
def test_what_an_agent_has_of_gaps_is_told_as_the_least_and_what_is_counted_as_it_is(
    known: dict[str, str], told: str
) -> None:
    assert lost_of(Incident("quotes → slow", 3, **known)) == told  # type: ignore[arg-type]
