"""``hopwatch top`` on a real terminal, with real agents that go and come back."""

import os
import re
import signal

import pytest
from agent_process import AgentProcess, eventually
from asking_sockets import ANSWERS, QUESTIONS, asking_sockets
from console_command import Starting, hopwatch
from lossy_sockets import lossy_sockets
from ports import free_ports
from preloaded import HOPWATCH
from terminal import Terminal, on_terminal, terminal

LEFT_ALTERNATE_SCREEN = b"\x1b[?1049l"
CURSOR_SHOWN, CURSOR_HIDDEN = b"\x1b[?25h", b"\x1b[?25l"
STATES = ("losing", "pressed", "quiet", "closed")
COLOUR = re.compile(rb"[34]8;2;(\d+);(\d+);(\d+)[;m]")
"""What was read may end within one."""


def ended(shown: Terminal, status: int) -> None:
    """It has ended so, and the terminal is as it was."""
    assert shown.process.wait(60) == status
    eventually(
        lambda: (
            LEFT_ALTERNATE_SCREEN in shown.raw
            and shown.raw.rfind(CURSOR_SHOWN) > shown.raw.rfind(CURSOR_HIDDEN)
        )
    )
    assert shown.settings() == shown.before
    assert b"Traceback" not in shown.raw


def ranks_on(screen: str) -> list[int]:
    """Of the states of the rows, from the top."""
    rows = [line.split() for line in screen.splitlines()]
    return [STATES.index(row[0]) for row in rows if row and row[0] in STATES]


def test_it_shows_what_loses_first_with_rates_and_why_and_is_left_by_q(losing: AgentProcess) -> None:
    with terminal("top", "--agent", losing.url, columns=160, lines=30) as shown:
        shown.becomes(
            lambda text: bool(re.search(r"losing +slow +SUB", text)) and "in the last 10 s: " in text,
            what="why it loses",
        )
        shown.becomes(
            lambda text: len(ranks_on(text)) == 5 and ranks_on(text) == sorted(ranks_on(text)),
            what="five rows in their order",
        )
        shown.becomes(
            lambda text: "1 Sockets 5" in text and bool(re.search(r"\d losing +\d pressed +\d quiet", text)),
            what="how many there are",
        )
        shown.becomes(lambda text: bool(re.search(r"slow .*[▁▂▃▄▅▆▇█]{3}", text)), what="a sparkline")
        shown.press("q")
        ended(shown, 0)


@pytest.mark.extended("an agent for one cell of the table")
def test_of_a_socket_that_sends_and_receives_both_backlogs_are_shown(starting: Starting) -> None:
    agent = starting()
    with asking_sockets(agent.journal), terminal("top", "--agent", agent.url, columns=160) as shown:
        row = re.compile(rf"asker +DEALER .* ↑{QUESTIONS} ↓{ANSWERS} ")
        shown.becomes(lambda text: bool(row.search(text)), what=row.pattern)


def test_what_is_typed_ahead_of_the_screen_goes_where_it_is_meant_to(losing: AgentProcess) -> None:
    with terminal("top", "--agent", losing.url) as shown:
        shown.shows("losing  slow")
        shown.press("/quotes\r")
        shown.becomes(lambda text: "1 of 5: quotes" in text and "worker" not in text, what="that row alone")
        shown.press("\x1b")
        shown.becomes(lambda text: "worker" in text and "of 5" not in text, what="all rows")
        shown.press("/no such thing\r")
        shown.shows("nothing holds 'no such thing': Esc drops the filter")


@pytest.mark.extended("two agents and two lossy processes; test_watching.py has one that goes and comes")
def test_an_agent_that_is_killed_is_away_while_others_go_on_and_is_back(
    losing: AgentProcess, starting: Starting
) -> None:
    place = f"127.0.0.1:{free_ports(1)[0]}"
    agent = starting("--listen", place)
    with (
        lossy_sockets(agent.journal, HOPWATCH_NAME="second"),
        terminal("top", "--agent", agent.url, "--agent", losing.url, columns=170) as shown,
    ):
        shown.becomes(
            lambda text: (
                text.count(" live ") == 2
                and "1 Sockets 10" in text
                and re.search(r"Why +Agent", text) is not None
            ),
            what="two agents",
        )
        agent.kill()
        shown.becomes(
            lambda text: bool(re.search(rf"✗ {place} +away since \d\d:\d\d:\d\d, trying again", text)),
            what="away",
        )
        shown.shows("hopwatch agent --listen")
        # what it told of the moment is not known any more, and not counted as if it were
        shown.becomes(
            lambda text: (
                re.search(r"\d losing +\d pressed +5 unknown", text) is not None
                and re.search(r"unknown +(slow|second)", text) is not None
            ),
            what="five unknown",
        )
        other = re.compile(rf"● {losing.url.removeprefix('http://')} +live")
        shown.becomes(
            lambda text: "trying again in 2 s" in text and other.search(text) is not None,
            what="away, and the other live",
        )
        agent.start("--listen", place)
        shown.press("a")  # at once
        shown.becomes(
            lambda text: bool(re.search(rf"● {place} +back since \d\d:\d\d:\d\d, was away for \d+ s", text)),
            what="back",
        )
        shown.becomes(lambda text: "unknown" not in text, what="all known")
        shown.press("5/agent\r")
        shown.becomes(
            lambda text: f"{place} is back, after " in text and f"{place} is away: " in text,
            what="both events",
        )


@pytest.mark.parametrize(
    ("by", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_signals_leave_the_terminal_as_it_was(losing: AgentProcess, by: signal.Signals, status: int) -> None:
    with terminal("top", "--agent", losing.url) as shown:
        shown.shows("losing  slow")
        assert shown.settings() != shown.before
        shown.process.send_signal(by)
        ended(shown, status)


def test_a_signal_that_comes_before_anything_is_shown_ends_it_too(losing: AgentProcess) -> None:
    with terminal("top", "--agent", losing.url) as shown:
        eventually(lambda: b"\x1b[?1049h" in shown.raw)
        shown.process.terminate()
        ended(shown, 143)


def test_ctrl_c_is_a_way_to_leave_even_while_words_are_typed(losing: AgentProcess) -> None:
    with terminal("top", "--agent", losing.url) as shown:
        shown.shows("losing  slow")
        shown.press("/xyz")
        shown.shows("nothing holds 'xyz'")
        shown.press("\x03")
        ended(shown, 0)


def test_ctrl_z_stops_it_and_fg_brings_it_back(losing: AgentProcess) -> None:
    command = f"hopwatch top --agent {losing.url}"
    path = os.pathsep.join([str(HOPWATCH.parent), os.environ["PATH"]])
    with on_terminal(["bash", "--norc", "-i"], variables={"PATH": path, "PS1": "ready> "}) as shown:
        shown.press(f"{command}\n")
        shown.shows("losing  slow")
        shown.press("\x1a")
        shown.shows("Stopped")
        shown.press("echo still-here\n")
        shown.shows("\nstill-here")
        shown.press("fg\n")
        shown.shows("losing  slow")
        shown.press("q")
        shown.shows("ready> ")


def test_narrow_and_resized_terminals_show_what_matters_most(losing: AgentProcess) -> None:
    with terminal("top", "--agent", losing.url, columns=40, lines=12) as shown:
        screen = shown.becomes(lambda text: bool(re.search(r"losing +slow .* [\d,]+$", text, re.MULTILINE)))
        assert "Lost" in screen
        assert "Why" not in screen
        shown.resize(170, 40)
        shown.becomes(lambda text: "Why" in text and "Where" in text, what="all columns")
        assert "Agent " not in shown.text().splitlines()[3]  # there is but one
        shown.resize(20, 5)
        shown.becomes(lambda text: "losing" in text and "Why" not in text, what="the least")
        shown.resize(80, 24)
        shown.becomes(lambda text: "Backlog" in text and "Why" not in text, what="80 columns")
        assert shown.process.poll() is None


def test_without_colours_there_are_none(losing: AgentProcess) -> None:
    with terminal(
        "top", "--agent", losing.url, variables={"NO_COLOR": "1", "COLORTERM": "truecolor"}
    ) as shown:
        shown.shows("losing  slow")
        colours = COLOUR.findall(bytes(shown.raw))
    assert all(len(set(shades)) == 1 for shades in colours)
    with terminal("top", "--agent", losing.url, variables={"COLORTERM": "truecolor"}) as shown:
        shown.shows("losing  slow")
        assert b"\x1b[" in shown.raw
        assert any(len(set(shades)) > 1 for shades in COLOUR.findall(bytes(shown.raw)))


def test_where_nothing_can_be_drawn_it_points_to_the_status(losing: AgentProcess) -> None:
    run = hopwatch("top", "--agent", losing.url)
    assert (run.returncode, run.stdout) == (2, "")
    assert "needs a terminal" in run.stderr
    assert "hopwatch status" in run.stderr
    with terminal("top", variables={"TERM": "dumb"}) as shown:
        shown.shows("hopwatch status")
        assert shown.process.wait(60) == 2


def test_wrong_usage_is_said_before_anything_is_drawn() -> None:
    with terminal("top", "--agent", "ftp://box", columns=200) as shown:
        assert shown.process.wait(60) == 2
        shown.shows("begins with http:// or https://")
        assert b"\x1b[?1049h" not in shown.raw
