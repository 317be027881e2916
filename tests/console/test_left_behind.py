"""What a receiver had not got when it ended: in one look, and live."""

import json
import re
import time
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, hopwatch
from journal_writer import JournalWriter
from parting_processes import parting_processes
from terminal import terminal

SENDER, READER = f"{1:016x}", f"{2:016x}"


def one_that_had_not_got_four_of_ten(agent: AgentProcess) -> JournalWriter:
    """Its sender ended first."""
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(READER, slot=1, kind="SUB", name="reader")
    now = time.time_ns()
    for later, (socket, count) in enumerate(((SENDER, 10), (READER, 6))):
        writer.event("lanes", socket=socket, final=True, lanes=[[SENDER, 0, count, 0, 0, count, now]])
        writer.event("closed", t=now + later * 10**9, socket=socket, counters={}, unread=True)
    eventually(lambda: [told["left_behind"] for told in agent.get("/v1/sockets")] == [None, 4])
    return writer


def test_it_counts_as_lost_with_who_ended_so(starting: Starting) -> None:
    agent = starting()
    writer = one_that_had_not_got_four_of_ten(agent)
    run = hopwatch("status", "--agent", agent.url, "--fail-on", "lost")
    assert run.returncode == 3
    assert "ENDED WITH MESSAGES NOT READ (1)\n  reader (SUB)" in run.stdout
    assert "not read when it ended 4" in run.stdout
    whole = hopwatch("status", "--agent", agent.url, "--all").stdout
    assert "ENDED (2)\n" in whole
    told = json.loads(hopwatch("status", "--agent", agent.url, "--json").stdout)
    assert (told["totals"]["left_behind"], told["totals"]["lost"]) == (4, 0)
    with terminal("top", "--agent", agent.url, columns=120) as shown:
        shown.becomes(
            lambda text: (
                [row.split()[1] for row in rows(text)] == ["reader", "quotes"] and " 4 " in rows(text)[0]
            ),
            what="the one that lacks four first",
        )
        shown.press("\r")
        shown.becomes(lambda text: "not read when it ended" in text, what="the details")
    writer.close()


@pytest.mark.extended("an agent and three processes; test_connections.py has one that died")
def test_who_died_with_messages_on_their_way_is_told_with_how_many(starting: Starting) -> None:
    agent = starting()
    with parting_processes(agent.journal) as parting:
        (endpoint,) = parting.start("source", "tcp://127.0.0.1:*").expect("ready")
        parting.start("reader", endpoint).expect("ready")
        eventually(lambda: [told for told in agent.get("/v1/sockets") if _waits(told)])
        parting.programs["reader"].sigkill()
        (died,) = eventually(lambda: [told for told in agent.get("/v1/sockets") if told["died_with"]])
        run = hopwatch("status", "--agent", agent.url)
        messages = f"{died['died_with']:,}"
        assert "DIED WITH MESSAGES ON THEIR WAY (1)\n  reader (SUB)" in run.stdout
        assert f"died with {messages} or more on their way to it" in run.stdout
        with terminal("top", "--agent", agent.url, columns=120) as shown:
            shown.shows("reader")
            shown.press("/reader\r")
            shown.shows("1 of 2: reader")
            shown.press("\r")
            words = re.compile(f"on their way when it died +{messages} or more")
            shown.becomes(lambda text: bool(words.search(text)), what=words.pattern)


def _waits(told: dict[str, Any]) -> bool:
    return told["name"] == "reader" and (told["backlog_received"] or {"at_least": 0})["at_least"] > 10


def rows(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("closed ")]
