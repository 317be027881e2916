"""Every control does what it says: chips, figures, what can be ticked, and each key that the box of keys names."""

import re
from collections.abc import Iterator

import pytest
from agent_process import AgentProcess
from live_page import LivePage, in_detail
from many_sockets import ManySockets
from playwright.sync_api import expect
from written_sockets import WrittenSockets


@pytest.fixture
def sockets(agent: AgentProcess) -> Iterator[WrittenSockets]:
    """One that is quiet, and one that has ended."""
    sockets = WrittenSockets(agent.journal)
    sockets.open("quotes", "PUB")
    sockets.open("gone", "SUB")
    sockets.close_socket("gone")
    yield sockets
    sockets.close()


def focused(live: LivePage) -> str:
    """The id of what has the focus."""
    return str(live.page.evaluate("document.activeElement.id"))


def test_a_chip_shows_the_sockets_in_its_state_alone_and_then_all_again(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    shown, ended = live.page.locator("#shown"), live.page.locator(".chip", has_text="ended")
    expect(shown).to_have_text("2 sockets")
    ended.click()
    expect(shown).to_have_text("1 of 2 sockets")
    assert live.names() == ["gone"]
    live.page.reload()
    expect(shown).to_have_text("1 of 2 sockets")
    expect(ended).to_have_attribute("aria-pressed", "true")
    ended.click()
    expect(shown).to_have_text("2 sockets")
    expect(ended).to_have_attribute("aria-pressed", "false")


@in_detail
def test_a_figure_shows_all_sockets_that_it_counts_whatever_was_looked_for(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    live.page.locator("#filter").fill("gone")
    expect(live.page.locator("#shown")).to_have_text("1 of 2 sockets")
    live.page.locator("[data-figure=quiet]").click()
    expect(live.page.locator("#filter")).to_have_value("")
    expect(live.page.locator("#table tr[data-id]")).to_have_count(1)
    assert live.names() == ["quotes"]


def test_losses_alone_are_shown_of_what_happens_and_that_is_in_the_address(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    sockets.open("screen", "SUB")
    live: LivePage = open_page(agent)
    sockets.lack("screen", "quotes", 5, 9)
    gap, opened = live.page.locator("#feed [data-kind=gap]"), live.page.locator("#feed [data-kind=socket]")
    expect(gap).to_have_count(1)
    expect(opened.first).to_be_visible()
    only = live.page.get_by_label("only gaps, onsets and what was lost")
    only.check()
    expect(opened).to_have_count(0)
    live.page.reload()
    expect(gap).to_have_count(1)
    expect(opened).to_have_count(0)
    expect(only).to_be_checked()
    only.uncheck()
    expect(opened.first).to_be_visible()


def test_keys_lead_to_each_part_of_the_page(agent: AgentProcess, sockets: WrittenSockets, open_page) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text("2 sockets")
    for key, place in {"m": "map-picture", "i": "incidents", "f": "findings", "e": "feed"}.items():
        live.page.keyboard.press(key)
        assert focused(live) == place
    live.page.keyboard.press("p")
    expect(live.page.locator(".chip.pressed")).to_have_attribute("aria-pressed", "true")
    live.page.keyboard.press("a")
    expect(live.page.locator(".chip.pressed")).to_have_attribute("aria-pressed", "false")
    for number, column in enumerate(
        ("state", "name", "program", "sent", "received", "lost", "onsets", "backlog"), 1
    ):
        live.page.keyboard.press(str(number))
        expect(live.page.locator(f"thead .col-{column}")).to_have_attribute(
            "aria-sort", re.compile("cending")
        )


@in_detail
def test_a_box_is_closed_by_its_button_and_the_first_link_skips_to_the_sockets(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    live.page.keyboard.press("Tab")
    live.page.keyboard.press("Enter")
    assert focused(live) == "sockets"
    live.page.keyboard.press("?")
    live.page.get_by_role("button", name="Close").click()
    expect(live.page.locator("dialog#help")).to_be_hidden()


@in_detail
def test_pages_and_ends_of_the_table_are_reached_by_keys(agent: AgentProcess, open_page) -> None:
    many = ManySockets(agent.journal, 100)
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text("100 sockets")
    chosen = live.page.locator("#table tr.active td a")
    for key in ("2", "s", "End"):
        live.page.keyboard.press(key)
    live.page.keyboard.press("End")
    expect(chosen).to_have_text("feed-0099")
    live.page.keyboard.press("PageUp")
    expect(chosen).not_to_have_text("feed-0099")
    above = chosen.inner_text()
    assert "feed-0050" < above < "feed-0098"
    live.page.keyboard.press("Home")
    expect(chosen).to_have_text("feed-0000")
    live.page.keyboard.press("PageDown")
    expect(chosen).not_to_have_text("feed-0000")
    assert "feed-0001" < chosen.inner_text() < "feed-0050"
    many.close()
