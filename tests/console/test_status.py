"""``hopwatch status``: one look at agents, for people and for programs."""

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, hopwatch, started
from hopwatch_console.addresses import address_in
from hopwatch_console.fleet.contact_words import NOT_COUNTED
from hopwatch_console.fleet.picture import AgentPicture, Contact, Phase, Picture
from hopwatch_console.frames import Status
from hopwatch_console.status.outcome import exit_status
from hopwatch_console.status.text import status_lines
from journal_writer import JournalWriter
from msgspec.structs import replace
from rich.cells import cell_len
from terminal import terminal

SCHEMA = Path(__file__).parents[2] / "console" / "status.schema.json"


def told(*agents: AgentProcess, status: int = 0) -> dict[str, Any]:
    """The document over these agents, which is as its schema says."""
    asked = [word for agent in agents for word in ("--agent", agent.url)]
    run = hopwatch("status", "--json", *asked)
    assert (run.returncode, run.stderr) == (status, "")
    document: dict[str, Any] = json.loads(run.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    return document


def states(document: dict[str, Any]) -> dict[str, str]:
    return {socket["name"]: socket["state"] for agent in document["agents"] for socket in agent["sockets"]}


def lossy(agent: AgentProcess) -> dict[str, Any]:
    """The document once its sockets are as they are to be."""

    def settled() -> dict[str, Any] | None:
        document = told(agent)
        sockets = {socket["name"]: socket for socket in document["agents"][0]["sockets"]}
        if states(document).get("slow") != "losing" or states(document).get("idle") != "quiet":
            return None
        # a rate takes two samples
        return document if sockets["slow"]["rates"]["lost"] else None

    return eventually(settled)


def test_the_document_says_what_the_agent_says(losing: AgentProcess) -> None:
    document = lossy(losing)
    assert document["format"] == 1
    assert (document["totals"]["agents"], document["totals"]["answered"]) == (1, 1)
    assert document["totals"]["sockets"] == 5
    assert document["totals"]["losing"] == sum(state == "losing" for state in states(document).values())
    sockets = {socket["name"]: socket for socket in document["agents"][0]["sockets"]}
    later = {socket["name"]: socket for socket in losing.get("/v1/sockets")}
    for name in ("slow", "quotes", "jobs", "idle"):
        assert sockets[name]["id"] == later[name]["id"]
        assert sockets[name]["options"] == later[name]["options"]
        assert 0 <= sockets[name]["counters"]["lost"] <= later[name]["counters"]["lost"]
    assert sockets["slow"]["counters"]["lost"] > 0
    assert isinstance(sockets["slow"]["counters"]["lost"], int)
    assert sockets["slow"]["state_text"]
    (incident,) = [i for i in document["agents"][0]["incidents"] if i["hop"] == "quotes → slow"]
    assert incident["lost"] > 0


def test_the_schema_that_is_documented_is_that_of_the_document() -> None:
    from hopwatch_console.status.document import schema

    assert json.loads(SCHEMA.read_text()) == json.loads(json.dumps(schema()))


def test_what_loses_comes_first_with_rates_and_why_and_fits_80_columns(losing: AgentProcess) -> None:
    lossy(losing)
    run = hopwatch("status", "--agent", losing.url)
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert "\x1b" not in run.stdout
    assert lines[0].startswith(f"{losing.url}: box-1, hopwatch 0.1.0, up ")
    assert "1 process, 5 open sockets: " in lines[1]
    assert run.stdout.index("LOSING (") < run.stdout.index("  slow (SUB)") < run.stdout.index("INCIDENTS (")
    assert "    why: " in run.stdout
    assert "messages/s; lost " in run.stdout
    assert "quotes → slow: " in run.stdout
    assert "idle (PULL)" not in run.stdout
    assert "idle (PULL)" in hopwatch("status", "--agent", losing.url, "--all").stdout


def test_several_agents_of_whom_one_does_not_answer(losing: AgentProcess) -> None:
    nobody = "http://127.0.0.1:1"
    run = hopwatch("status", HOPWATCH_AGENTS=f"{losing.url}, {nobody}")
    assert run.returncode == 1
    assert losing.url in run.stdout
    assert f"{nobody}: no answer" in run.stdout
    assert "Start one: hopwatch agent --listen 127.0.0.1:1" in run.stdout
    document = json.loads(hopwatch("status", "--json", HOPWATCH_AGENTS=f"{losing.url},{nobody}").stdout)
    assert [agent["answered"] for agent in document["agents"]] == [True, False]
    assert document["agents"][1]["sockets"] == []


@pytest.mark.parametrize(
    ("conditions", "status"),
    [(["losing"], 3), (["pressed"], 3), (["findings,lost"], 3), (["errors"], 0), (["errors", "losing"], 3)],
)
def test_scripts_go_by_the_exit_status(losing: AgentProcess, conditions: list[str], status: int) -> None:
    lossy(losing)
    asked = [word for condition in conditions for word in ("--fail-on", condition)]
    assert hopwatch("status", "--agent", losing.url, *asked).returncode == status


def test_what_was_seen_comes_before_what_was_not_answered(losing: AgentProcess, starting: Starting) -> None:
    lossy(losing)
    nobody = ("--agent", "http://127.0.0.1:1", "--fail-on", "losing")
    assert hopwatch("status", "--agent", losing.url, *nobody).returncode == 3
    assert hopwatch("status", "--agent", starting().url, *nobody).returncode == 1


def test_an_agent_that_cannot_land_says_so(starting: Starting, tmp_path: Path) -> None:
    agent = starting()
    (tmp_path / "file").touch()
    agent.kill()
    agent.land_at(str(tmp_path / "file" / "folder"))
    agent.start()
    eventually(lambda: "landing" in {error["source"] for error in agent.get("/v1/status")["errors"]})
    run = hopwatch("status", "--agent", agent.url, "--fail-on", "errors")
    assert run.returncode == 3
    assert "DOES NOT WORK (" in run.stdout
    assert "landing" in run.stdout


def test_an_agent_that_cannot_read_its_journals_knows_nothing_of_now(starting: Starting) -> None:
    agent = starting()
    agent.journal.touch()  # where a directory is to be
    eventually(lambda: not agent.get("/v1/status")["ready"])
    run = hopwatch("status", "--agent", agent.url, "--fail-on", "losing")
    assert run.returncode == 1
    assert "it does not read its journals at the moment" in run.stdout


def test_where_nothing_is_numbered_it_is_said_that_losses_are_not_counted(
    losing: AgentProcess, starting: Starting
) -> None:
    agent = starting()
    writer = JournalWriter(agent.journal)
    writer.opened(f"{1:016x}", name="quotes")
    eventually(lambda: agent.get("/v1/status")["sockets"] == 1)
    assert NOT_COUNTED in hopwatch("status", "--agent", agent.url).stdout
    assert told(agent)["agents"][0]["numbered"] is False
    with terminal("top", "--agent", agent.url, columns=160) as shown:
        shown.shows(NOT_COUNTED)
    writer.close()
    lossy(losing)
    assert NOT_COUNTED not in hopwatch("status", "--agent", losing.url).stdout
    assert told(losing)["agents"][0]["numbered"] is True


def test_what_an_agent_tells_that_is_behind_is_said_to_be_old() -> None:
    behind = Status("0.1.0", "/journals", 1, 1, lag_seconds=12.5)
    here = Contact(Phase.HERE, datetime.now(timezone.utc))
    for status, old in ((behind, True), (replace(behind, lag_seconds=0.5), False)):
        picture = Picture(here.since, (AgentPicture(address_in("box"), here, status),))
        lines = [line.text for line in status_lines(picture, 80, everything=False)]
        assert ("  it is behind: what follows is 12 s old" in lines) is old
        assert exit_status(picture, ["losing"]) == (1 if old else 0)


def test_colour_is_for_terminals_that_want_it(losing: AgentProcess) -> None:
    lossy(losing)
    for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        with terminal("status", "--agent", losing.url, lines=100, variables=variables) as shown:
            shown.process.wait(60)
            shown.shows("INCIDENTS (")
            assert (b"\x1b[1;31m" in shown.raw) is coloured, variables
            assert max(map(cell_len, shown.lines())) <= 80


def test_a_terminal_of_40_columns_is_kept_to(losing: AgentProcess) -> None:
    lossy(losing)
    with terminal(
        "status", "--agent", losing.url, columns=40, lines=200, variables={"TERM": "dumb"}
    ) as shown:
        shown.process.wait(60)
        shown.shows("INCIDENTS (")
        raw = eventually(lambda: (raw := bytes(shown.raw)).endswith(b"\n") and raw)
        lines = raw.decode().split("\r\n")
    assert max(map(cell_len, lines)) <= 40
    assert len(lines) > 20


def test_an_encoding_without_arrows_is_no_error(losing: AgentProcess) -> None:
    lossy(losing)
    run = hopwatch("status", "--agent", losing.url, PYTHONIOENCODING="ascii")
    assert (run.returncode, run.stderr) == (0, "")
    assert "quotes \\u2192 slow" in run.stdout


@pytest.mark.parametrize("how", [["--json"], []])
def test_who_reads_no_further_gets_no_error(losing: AgentProcess, how: list[str]) -> None:
    run = started("status", *how, "--agent", losing.url, variables={})
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.close()
    assert run.stderr.read() == ""
    assert run.wait(30) == 141
    run.stderr.close()
