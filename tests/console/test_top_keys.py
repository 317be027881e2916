"""The keys and the mouse of ``hopwatch top``, pressed on the application itself, which watches a real agent."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from agent_process import AgentProcess
from console_command import Starting
from hopwatch_console.addresses import address_in
from hopwatch_console.arguments import Rights
from hopwatch_console.asking.client import AgentClient
from hopwatch_console.fleet.board import Board
from hopwatch_console.fleet.watching import Watcher
from hopwatch_console.lines import Line
from hopwatch_console.top.app import TopApp
from hopwatch_console.top.details import Details
from hopwatch_console.top.table import Table
from journal_writer import JournalWriter
from textual.pilot import Pilot
from textual.widgets import Static

SOCKETS = 60
Story = Callable[["Pilot[None]"], Awaitable[None]]


@pytest.fixture(scope="module")
def steady(starting: Starting) -> Iterator[AgentProcess]:
    """An agent of sockets of which nothing moves, with a finding and an incident."""
    agent = starting()
    writer = JournalWriter(agent.journal, host="box-1")
    for number in range(SOCKETS):
        identity = f"{number + 1:016x}"
        writer.opened(identity, slot=number, kind="SUB" if number % 2 else "PUB", name=f"feed-{number:02}")
        writer.set_counters(identity, number, sent=number * 1000, lost=3 if number == 30 else 0)
    writer.event("finding", socket=f"{8:016x}", rule="some_rule", text="it is risky", advice="change it")
    numbers = {"first": 4, "last": 6, "before": 3, "after": 7, "lost": 3, "received": 1}
    writer.event("gap", socket=f"{2:016x}", stream=f"{1:016x}", lane=0, **numbers)
    yield agent
    writer.close()


def played(agent: AgentProcess, story: Story, size: tuple[int, int] = (140, 30)) -> None:
    """Plays it on an application that has the agent's sockets."""

    async def play() -> None:
        address = address_in(agent.url)
        board = Board(address, datetime.now(timezone.utc))
        app = TopApp([board], [Watcher(board, AgentClient(address, Rights(), 5.0))])
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: len(names(pilot)) == SOCKETS and len(events(app)) > SOCKETS)
            await story(pilot)

    asyncio.run(play())


async def until(pilot: "Pilot[None]", condition: Callable[[], object], seconds: float = 60.0) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not condition():
        assert loop.time() < deadline, "it has not become true in time"
        await pilot.pause(0.02)


def table(pilot: "Pilot[None]") -> Any:
    return pilot.app.screen_stack[0].query_one(Table)


def rows(pilot: "Pilot[None]") -> list[Any]:
    return list(table(pilot)._rows)  # noqa: SLF001 -- what it would draw, without the screen's bounds


def names(pilot: "Pilot[None]") -> list[str]:
    return [row.socket.name for row in rows(pilot) if hasattr(row, "standing")]


def events(app: Any) -> tuple[Any, ...]:
    return tuple(app._picture.agents[0].events)  # noqa: SLF001


def drawn(pilot: "Pilot[None]") -> str:
    """The whole screen as text."""
    screen = pilot.app.screen
    strips = screen._compositor.render_strips()  # noqa: SLF001 -- as Textual's own snapshots are made
    return "\n".join(strip.text for strip in strips)


def test_columns_are_sorted_by_forth_and_back_and_reversed(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        usual = names(pilot)
        assert usual[0] == "feed-30"  # the one that lost something
        await pilot.press("s", "s")
        await until(pilot, lambda: names(pilot) == sorted(usual))
        await until(pilot, lambda: "Socket▲" in drawn(pilot))
        await pilot.press("r")
        await until(pilot, lambda: names(pilot) == sorted(usual, reverse=True))
        await until(pilot, lambda: "Socket▼" in drawn(pilot))
        await pilot.press("S", "o")
        await until(pilot, lambda: names(pilot) == usual)

    played(steady, story)


def test_a_click_on_a_head_sorts_and_one_more_the_other_way_round(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        await pilot.click(Table, offset=(10, 0))
        await until(pilot, lambda: names(pilot) == sorted(names(pilot)))
        await pilot.click(Table, offset=(10, 0))
        await until(pilot, lambda: names(pilot) == sorted(names(pilot), reverse=True))
        await pilot.click(Table, offset=(10, 3))
        await until(pilot, lambda: table(pilot).item.socket.name == names(pilot)[2])
        await pilot.pause(0.6)  # beyond a double click's time
        await pilot.click(Table, offset=(10, 3))
        await until(pilot, lambda: isinstance(pilot.app.screen, Details))

    played(steady, story)


def test_words_filter_and_all_of_them_must_be_there(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        await pilot.press("slash", *"FEED-1 sub", "enter")
        await until(pilot, lambda: names(pilot) == [f"feed-{number}" for number in (11, 13, 15, 17, 19)])
        await pilot.press("escape")
        await until(pilot, lambda: len(names(pilot)) == SOCKETS)

    played(steady, story)


def test_the_cursor_stays_with_its_row_and_in_sight(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        await pilot.press("s", "s", "end")
        await until(pilot, lambda: table(pilot).item.socket.name == "feed-59")
        await until(pilot, lambda: "feed-59" in drawn(pilot))
        await pilot.press("r")
        await until(pilot, lambda: "feed-59" in drawn(pilot))
        await until(pilot, lambda: table(pilot).item.socket.name == "feed-59")
        await pilot.press("pagedown", "j", "k", "pageup", "home")
        await until(pilot, lambda: table(pilot).item.socket.name == "feed-59")
        await pilot.press("r")
        await until(
            pilot, lambda: table(pilot).item.socket.name == "feed-00"
        )  # at the top again, whoever is there

    played(steady, story)


def test_details_say_all_that_is_known_and_go_on_being_true(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        await pilot.press("slash", *"feed-07", "enter", "enter")
        await until(pilot, lambda: "Finding: it is risky (some_rule)" in drawn(pilot))
        shown = drawn(pilot)
        assert "→ change it" in shown
        assert "7,000" in shown
        assert "sndhwm 1000" in shown
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, Details))

    played(steady, story)


def test_a_draw_that_comes_before_details_have_their_parts_does_no_harm(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        details = Details("a row", lambda _: [Line("what is known of it")])
        composed = pilot.app.push_screen(details)
        details.show()
        await composed
        await until(pilot, lambda: "what is known of it" in drawn(pilot))

    played(steady, story)


def test_tabs_show_findings_incidents_events_and_agents(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        for key, text in (
            ("2", "no connections"),
            ("3", "it is risky"),
            ("4", "feed-00 → feed-01"),
            ("5", "misses 3 messages of feed-00: numbers 4 to 6 of lane 0"),
            ("6", "box-1"),
        ):
            await pilot.press(key)
            await until(pilot, lambda text=text: text in drawn(pilot))  # type: ignore[misc]
        for key in ("tab", "right", "shift+tab", "left", "tab"):
            await pilot.press(key)
        await until(pilot, lambda: "feed-59" in drawn(pilot) or "feed-00" in drawn(pilot))
        for key, text in (("3", "change it"), ("4", "3 messages lost"), ("5", "told by"), ("6", "journals")):
            await pilot.press(key, "enter")
            await until(pilot, lambda text=text: text in drawn(pilot))  # type: ignore[misc]
            await pilot.press("escape")

    played(steady, story)


def test_paused_it_shows_one_moment_until_it_goes_on(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        await pilot.press("p")
        await until(pilot, lambda: "PAUSED at " in drawn(pilot))
        await pilot.pause()  # until all of it is drawn
        before = drawn(pilot)
        clock = asyncio.get_running_loop().time() + 1.2
        await until(pilot, lambda: asyncio.get_running_loop().time() > clock)
        assert drawn(pilot) == before
        await pilot.press("space")
        await until(pilot, lambda: "PAUSED" not in drawn(pilot))
        await until(pilot, lambda: drawn(pilot) != before)

    played(steady, story)


def test_the_help_names_every_key_that_does_something(steady: AgentProcess) -> None:
    async def story(pilot: "Pilot[None]") -> None:
        await pilot.press("question_mark")
        await until(pilot, lambda: "Keys" in drawn(pilot))
        text = str(pilot.app.screen.query_one(Static).visual)
        for word in ("filter", "sort", "pause", "details", "end", "losing", "pressed", "Backlog"):
            assert word in text

    played(steady, story, size=(100, 50))
