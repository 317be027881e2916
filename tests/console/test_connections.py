"""Who is connected, who went and why, and how many messages wait: in a terminal, of real processes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, hopwatch
from parting_processes import Parting, parting_processes
from rich.cells import cell_len
from terminal import Terminal, terminal

SCHEMA = Path(__file__).parents[2] / "console" / "status.schema.json"
NOBODY = "tcp://127.0.0.1:1"
WAITS = re.compile(
    r"(?:at least [\d,]+, at most )?[\d,]+ messages? waits?: up to [\d,]+ in the pipe of source \(its mark: 1,000\),"
    r" about [\d,]+ in the kernel's buffers \([\d.]+ k?B\), up to [\d,]+ in the pipe of ann \(its mark: 1,000\)"
)
"""What waits for the reader that reads no further."""


@pytest.fixture(scope="module")
def parted(starting: Starting) -> Iterator[tuple[AgentProcess, Parting]]:
    """An agent of a publisher, of a reader that reads no further, of one that was killed, and of one that reaches nobody."""
    agent = starting()
    with parting_processes(agent.journal) as parting:
        [endpoint] = parting.start("source", "tcp://127.0.0.1:*").expect("ready")
        for name in ("ann", "bob"):
            parting.start(name, endpoint).expect("ready")
        parting.start("cem", NOBODY)
        eventually(lambda: len(at_source(agent)) == 2)
        parting.programs["bob"].sigkill()
        eventually(lambda: [told["ended"]["how"] for told in at_source(agent) if told["ended"]] == ["died"])
        eventually(lambda: any(told["state"] == "retrying" for told in agent.get("/v1/connections")))
        eventually(lambda: [places for told in at_source(agent) if len(places := places_of(told)) == 3])
        yield agent, parting


def at_source(agent: AgentProcess) -> list[Any]:
    return [told for told in agent.get("/v1/connections") if told["socket_name"] == "source"]


def places_of(told: Any) -> list[Any]:
    """Where what waits may be, once that anything does is known."""
    waiting = told["waiting"]
    return list(waiting["places"]) if waiting and waiting["at_most"] else []


def died(parting: Parting) -> str:
    return f"the process of bob (pid {parting.programs['bob'].pid}) died without a word"


def flat(text: str) -> str:
    """Without a details' frame and the ends of lines."""
    return " ".join(text.replace("│", " ").split())


def test_one_look_tells_who_went_and_why_and_how_many_messages_wait_and_where(
    parted: tuple[AgentProcess, Parting],
) -> None:
    agent, parting = parted
    run = hopwatch("status", "--agent", agent.url)
    assert max(map(cell_len, run.stdout.splitlines())) <= 80
    assert "CONNECTIONS THAT ARE DOWN (2)\n" in run.stdout
    assert "MESSAGES WAIT ON CONNECTIONS (1)\n" in run.stdout
    told = flat(run.stdout)
    assert re.search(r"source - bob disconnected since [-\d]+ [:\d]+ UTC: " + re.escape(died(parting)), told)
    assert re.search(rf"cem - {NOBODY} retrying since ", told)
    assert re.search(r"source - ann ready since [-\d]+ [:\d]+ UTC " + WAITS.pattern, told)
    assert told.count("ann ready") == 1
    assert "ann - source" not in told


@pytest.mark.extended("eleven processes")
def test_ten_of_each_are_told_unless_all_are_asked_for(starting: Starting) -> None:
    agent = starting()
    with parting_processes(agent.journal) as parting:
        for number in range(11):
            parting.start(f"reader-{number}", NOBODY)
        eventually(lambda: len(agent.get("/v1/connections?state=retrying")) == 11)
        shown = hopwatch("status", "--agent", agent.url).stdout
        assert "CONNECTIONS THAT ARE DOWN (11)\n" in shown
        assert shown.count(" retrying since ") == 10
        assert "  and 1 more: --all shows them\n" in shown
        assert hopwatch("status", "--agent", agent.url, "--all").stdout.count(" retrying since ") == 11


def test_programs_get_the_connections_as_the_agent_tells_them(parted: tuple[AgentProcess, Parting]) -> None:
    agent, _ = parted
    document = json.loads(hopwatch("status", "--json", "--agent", agent.url).stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    told = {(one["socket"], one["connection"]): one for one in document["agents"][0]["connections"]}
    asked = {(one["socket"], one["connection"]): one for one in agent.get("/v1/connections")}
    assert told.keys() == asked.keys()
    for key, one in told.items():
        assert (one["host"], one["ended"], one["peer"]) == (
            asked[key]["host"],
            asked[key]["ended"],
            asked[key]["peer"],
        )
    (waiting,) = [
        one["waiting"] for one in told.values() if one["socket_name"] == "source" and one["waiting"]
    ]
    assert waiting["at_least"] <= waiting["at_most"] > 0
    assert [place["place"] for place in waiting["places"]] == ["sender", "kernel", "receiver"]


def test_the_tab_of_connections_and_its_details_say_who_went_and_why(
    parted: tuple[AgentProcess, Parting],
) -> None:
    agent, parting = parted
    with terminal("top", "--agent", agent.url, columns=230) as shown:
        shown.press("2")
        shown.becomes(
            lambda text: bool(re.search(r"disconnected +source +bob .* the process of bob", text)),
            what="why it went",
        )
        open_details(shown, "source bob", "1 of 4")
        shown.becomes(lambda text: f"UTC: {died(parting)}" in flat(text), what="why, in the details")


def test_the_tab_of_connections_and_its_details_say_how_many_messages_wait_and_where(
    parted: tuple[AgentProcess, Parting],
) -> None:
    agent, _ = parted
    with terminal("top", "--agent", agent.url, columns=230) as shown:
        shown.press("2")
        shown.becomes(
            lambda text: bool(re.search(r"ready +source +ann .* [\d,]+-[\d,]+ ", text)), what="how many wait"
        )
        open_details(shown, "source ann ready", "2 of 4")
        shown.becomes(lambda text: bool(WAITS.search(flat(text))), what="where they are")


def test_a_sockets_details_have_its_connections_with_what_waits_and_why_others_went(
    parted: tuple[AgentProcess, Parting],
) -> None:
    agent, parting = parted
    with terminal("top", "--agent", agent.url, columns=160, lines=50) as shown:
        shown.shows("source")
        open_details(shown, "source pub", "1 of 4")
        shown.becomes(
            lambda text: (
                "2 connections" in text and died(parting) in flat(text) and bool(WAITS.search(flat(text)))
            ),
            what="both connections",
        )


def open_details(shown: Terminal, words: str, rows: str) -> None:
    """Of the first row that holds the words; so many do."""
    shown.press(f"/{words}\r")
    shown.shows(f"{rows}: {words}")
    shown.press("\r")
