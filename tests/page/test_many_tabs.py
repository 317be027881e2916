"""A browser has six connections to an agent for all its tabs: those that nobody sees leave them to others."""

from collections.abc import Iterator

import pytest
from agent_process import AgentProcess, eventually
from journal_writer import JournalWriter
from live_page import LivePage, in_detail
from many_sockets import ManySockets
from playwright.sync_api import Browser, BrowserContext, Page, expect

CONNECTIONS = 6


@pytest.fixture
def tabs(browser: Browser) -> Iterator[BrowserContext]:
    """Of one browser window."""
    context = browser.new_context()
    yield context
    context.close()


def set_hidden(page: Page, *, hidden: bool) -> None:
    """Tells the page what a browser tells of a tab in the background: here each one has a window of its own, and is shown for ever."""
    told = "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(told, hidden)


@in_detail
def test_tabs_in_the_background_take_no_connection_from_the_one_that_is_seen(
    agent: AgentProcess, tabs: BrowserContext
) -> None:
    many = ManySockets(agent.journal, 2)
    hidden = [LivePage(tabs.new_page(), agent.url).open() for _ in range(CONNECTIONS - 1)]
    for live in hidden:
        set_hidden(live.page, hidden=True)
    for _ in range(2):
        seen = LivePage(tabs.new_page(), agent.url).open()
        expect(seen.page.locator("#shown")).to_have_text("2 sockets")
    assert [live.complaints for live in hidden] == [[]] * len(hidden)
    many.close()


def test_a_tab_that_comes_back_shows_what_is_now(agent: AgentProcess, tabs: BrowserContext) -> None:
    many = ManySockets(agent.journal, 2)
    live = LivePage(tabs.new_page(), agent.url).open()
    expect(live.page.locator("#shown")).to_have_text("2 sockets")
    with live.page.expect_event("requestfailed", lambda request: "/v1/live" in request.url):
        set_hidden(live.page, hidden=True)
    more = JournalWriter(agent.journal)
    more.opened("00000000000000f1", name="another")
    eventually(lambda: agent.get("/v1/status")["sockets"] == 3)
    assert live.page.locator("#shown").inner_text() == "2 sockets"
    with live.page.expect_request("**/v1/live?*"):
        set_hidden(live.page, hidden=False)
    expect(live.page.locator("#shown")).to_have_text("3 sockets")
    expect(live.link).to_have_text("live")
    many.close()
    more.close()
