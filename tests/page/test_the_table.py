"""A thousand sockets: found, sorted, linked to, and gone through by keys."""

import itertools
import re
from collections.abc import Iterator

import pytest
from agent_process import AgentProcess, eventually
from live_page import LivePage, in_detail
from many_sockets import ManySockets
from playwright.sync_api import expect

COUNT = 1_000


@pytest.fixture
def many(agent: AgentProcess) -> Iterator[ManySockets]:
    many = ManySockets(agent.journal, COUNT)
    many.move(1)
    eventually(lambda: agent.get("/v1/status")["sockets"] == COUNT)
    yield many
    many.close()


def test_only_rows_in_sight_are_made_and_any_can_be_scrolled_to(
    agent: AgentProcess, many: ManySockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text("1,000 sockets")
    assert live.page.locator("#table tr[data-id]").count() < 60
    live.page.locator("#table").evaluate("place => place.scrollTop = place.scrollHeight")
    expect(live.row("feed-0999")).to_be_visible()
    assert live.row("feed-0999").get_attribute("aria-rowindex") == "1001"
    assert live.page.locator("#table table").get_attribute("aria-rowcount") == "1001"


def test_what_moves_is_shown_of_all_of_them(agent: AgentProcess, many: ManySockets, open_page) -> None:
    live: LivePage = open_page(agent)
    many.move(2, losing=777)
    expect(live.verdict).to_have_text("LOSING: 1 socket of 1,000 lost messages just now: feed-0777.")
    eventually(lambda: live.names()[0] == "feed-0777")
    times = itertools.count(3)

    def is_first(name: str) -> bool:
        many.move(next(times), losing=777)
        return live.names()[0] == name

    live.page.locator("thead .col-sent button").click()
    eventually(lambda: is_first("feed-0999"))
    expect(live.page.locator("thead .col-sent")).to_have_attribute("aria-sort", "descending")
    live.page.locator("thead .col-sent button").click()
    eventually(lambda: is_first("feed-0000"))
    expect(live.page.locator("thead .col-sent")).to_have_attribute("aria-sort", "ascending")


@in_detail
def test_what_is_chosen_is_in_the_address_and_a_link_leads_back_to_it(
    agent: AgentProcess, many: ManySockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    live.page.locator("#filter").fill("web-3 feed-02")
    expect(live.page.locator("#shown")).to_have_text("56 of 1,000 sockets")
    live.page.locator("thead .col-name button").click()
    live.page.locator("thead .col-name button").click()
    names = live.names()
    assert names[0] == "feed-0255"
    assert live.page.locator("thead .col-name").get_attribute("aria-sort") == "descending"
    again: LivePage = open_page(agent, live.page.url.removeprefix(f"{agent.url}/"))
    expect(again.page.locator("#shown")).to_have_text("56 of 1,000 sockets")
    assert again.names() == names
    assert again.page.locator("#filter").input_value() == "web-3 feed-02"


@in_detail
def test_keys_alone_lead_to_a_socket_and_back(agent: AgentProcess, many: ManySockets, open_page) -> None:
    live: LivePage = open_page(agent)
    keys = live.page.keyboard
    keys.press("/")
    keys.type("feed-000")
    expect(live.page.locator("#shown")).to_have_text("10 of 1,000 sockets")
    keys.press("Escape")
    for key in ("2", "s", "ArrowDown", "ArrowDown", "ArrowDown"):
        keys.press(key)
    chosen = live.page.locator("#table tr.active")
    expect(chosen).to_contain_text("feed-0002")
    active = live.page.locator("#table table").get_attribute("aria-activedescendant")
    assert active == chosen.get_attribute("id")
    keys.press("Enter")
    panel = live.page.locator("dialog#socket")
    expect(panel.locator("h2")).to_contain_text("feed-0002")
    expect(live.page).to_have_url(re.compile(f"socket={many.id_of(2)}"))
    keys.press("Escape")
    expect(panel).to_be_hidden()
    expect(live.page).not_to_have_url(re.compile("socket="))
    keys.press("End")
    expect(chosen).to_contain_text("feed-0009")
    keys.press("?")
    expect(live.page.locator("dialog#help")).to_be_visible()
    keys.press("Escape")
    keys.press("l")
    expect(live.page.locator("#shown")).to_have_text("0 of 1,000 sockets")
    keys.press("a")
    expect(live.page.locator("#shown")).to_have_text("10 of 1,000 sockets")


@in_detail
def test_keys_can_be_switched_off_and_on_again(agent: AgentProcess, many: ManySockets, open_page) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text("1,000 sockets")
    switch = live.page.get_by_label("single keys do this")

    def turn() -> None:
        live.page.locator("#help-button").click()
        switch.click()
        live.page.keyboard.press("Escape")

    turn()
    for key in ("l", "?", "/", "3"):
        live.page.keyboard.press(key)
    live.page.reload()
    expect(live.page.locator("#shown")).to_have_text("1,000 sockets")
    live.page.keyboard.press("l")
    assert live.page.locator("dialog[open]").count() == 0
    assert "#" not in live.page.url.rstrip("#")
    turn()
    live.page.keyboard.press("l")
    expect(live.page.locator("#shown")).to_have_text("0 of 1,000 sockets")


@in_detail
def test_a_row_that_is_scrolled_out_of_sight_is_not_named(
    agent: AgentProcess, many: ManySockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text("1,000 sockets")
    for key in ("2", "s", "ArrowDown"):
        live.page.keyboard.press(key)
    table = live.page.locator("#table table")
    expect(table).to_have_attribute("aria-activedescendant", f"row-{many.id_of(0)}")
    live.page.locator("#table").evaluate("place => place.scrollTop = place.scrollHeight")
    expect(live.row("feed-0999")).to_be_visible()
    expect(table).not_to_have_attribute("aria-activedescendant", re.compile("row"))
    live.page.keyboard.press("ArrowDown")
    expect(live.page.locator("#table tr.active")).to_contain_text("feed-0001")
    expect(table).to_have_attribute("aria-activedescendant", f"row-{many.id_of(1)}")


@in_detail
def test_a_link_to_a_socket_opens_it_and_back_closes_it(
    agent: AgentProcess, many: ManySockets, open_page
) -> None:
    live: LivePage = open_page(agent, f"#socket={many.id_of(500)}")
    panel = live.page.locator("dialog#socket")
    expect(panel.locator("h2")).to_contain_text("feed-0500")
    expect(panel.locator("[data-field=count-sent]")).to_have_text("500")
    live.page.keyboard.press("Escape")
    live.cell("feed-0000", "name").locator("a").click()
    expect(panel.locator("h2")).to_contain_text("feed-0000")
    live.page.go_back()
    expect(panel).to_be_hidden()
    open_page(agent, "#socket=00000000deadbeef")
