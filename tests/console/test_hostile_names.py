"""What journals say is not trusted: names do nothing to a terminal, through a real agent."""

import json
from collections.abc import Iterator

import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, hopwatch
from hostile_names import HOSTILE, UNSAFE
from journal_writer import JournalWriter
from rich.cells import cell_len
from terminal import terminal

RECEIVER = "00000000000000b2"


@pytest.fixture(scope="module")
def hostile(starting: Starting) -> Iterator[AgentProcess]:
    """An agent of sockets with hostile names, all of which lose messages, with findings and incidents."""
    agent = starting()
    writer = JournalWriter(agent.journal, host="box-1")
    for slot, name in enumerate(HOSTILE.values()):
        identity = f"{slot + 1:016x}"
        writer.opened(identity, slot=slot, kind="SUB", name=name)
        finding = {"rule": name, "text": f"text {name}", "advice": f"advice {name}"}
        writer.event("finding", socket=identity, **finding)
        numbers = {"first": 4, "last": 6, "before": 3, "after": 7, "lost": 3, "received": 1}
        writer.event("gap", socket=identity, stream=identity, lane=0, **numbers)
        writer.event("connected", socket=identity, endpoint=f"tcp://{name}", connection=1)
        writer.set_counters(identity, slot, received=100, lost=3)
    eventually(lambda: len(agent.get("/v1/sockets")) == len(HOSTILE))
    eventually(lambda: len(agent.get("/v1/incidents")) == len(HOSTILE))
    yield agent
    writer.close()


def test_the_status_holds_nothing_that_a_terminal_obeys(hostile: AgentProcess) -> None:
    run = hopwatch("status", "--all", "--agent", hostile.url)
    assert (run.returncode, run.stderr) == (0, "")
    assert not UNSAFE & set(run.stdout)
    assert max(map(cell_len, run.stdout.splitlines())) <= 80
    assert "\\u001b[2J" in run.stdout
    assert "[red]loud[/red]" in run.stdout
    assert len(run.stdout) < 60_000


def test_the_document_is_ascii_and_has_names_as_they_are(hostile: AgentProcess) -> None:
    run = hopwatch("status", "--json", "--agent", hostile.url)
    assert run.stdout.isascii()
    assert not UNSAFE & set(run.stdout)
    (agent,) = json.loads(run.stdout)["agents"]
    told = {socket["name"] for socket in agent["sockets"]}
    assert told == {socket["name"] for socket in hostile.get("/v1/sockets")}
    assert HOSTILE["clears the screen"] in told


def test_the_live_screen_gets_nothing_of_it_either(hostile: AgentProcess) -> None:
    with terminal("top", "--agent", hostile.url, columns=200, lines=40) as shown:
        shown.becomes(lambda screen: "1 Sockets 10" in screen and "\\u001b[2J" in screen, what="the names")
        for key in "23456":
            shown.press(key)
            shown.becomes(lambda screen, key=key: f" {key} " in screen)  # type: ignore[misc]
        shown.press("1")
        for _ in HOSTILE:
            shown.press("j\r")
            shown.shows("Esc: back")
            shown.press("\x1b")
            shown.becomes(lambda screen: "Esc: back" not in screen)
        assert shown.process.poll() is None
        for sequence in (
            b"\x1b]0;",
            b"\x1b]8;",
            b"\x9b31m",
            b"\x1b[2J\x1b[Hgone",
            "\u202e".encode(),
            "\u2066".encode(),
        ):
            assert sequence not in shown.raw
        assert "[red]loud[/red]" in shown.text()
        assert not UNSAFE & set(shown.text())
