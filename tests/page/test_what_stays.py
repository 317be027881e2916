"""What somebody has focused or selected stays while the agent is busy, and a filter stays while links are followed."""

import re
from collections.abc import Iterator

import pytest
from agent_process import AgentProcess
from live_page import LivePage, in_detail
from playwright.sync_api import expect
from written_sockets import WrittenSockets

ADVICE = "let only one of them set it"


@pytest.fixture
def sockets(agent: AgentProcess) -> Iterator[WrittenSockets]:
    """A receiver that lacks something of its sender, and has a finding."""
    sockets = WrittenSockets(agent.journal)
    sockets.open("quotes", "PUB")
    sockets.open("screen", "SUB")
    sockets.connect("screen", "quotes")
    sockets.lack("screen", "quotes", 5, 9)
    about = {"rule": "conflate", "text": "keeps the last", "advice": ADVICE}
    sockets.writer.event("finding", socket=sockets.ids["screen"], **about)
    yield sockets
    sockets.close()


def keep_busy(live: LivePage, sockets: WrittenSockets) -> None:
    """Of everything that the page shows something changes, several times; waits until it is shown."""
    for turn in range(1, 5):
        sockets.open(f"added-{turn}", "PUB")
        sockets.connect("screen", f"added-{turn}")
        sockets.count(f"added-{turn}", sent=1_000 * turn)
        sockets.count("quotes", sent=5_000 if turn % 2 else 5)
        sockets.lack("screen", "quotes", 10 * turn, 10 * turn + 3)
        rule = {"rule": "no_linger", "text": f"lingers {turn}", "advice": "set it"}
        sockets.writer.event("finding", socket=sockets.ids[f"added-{turn}"], **rule)
        expect(live.page.locator("#shown")).to_have_text(f"{2 + turn} sockets")
        expect(live.page.locator(".finding")).to_have_count(1 + turn)
        expect(live.page.locator("#map-picture .box")).to_have_count(2 + turn)
        expect(live.page.locator(".incident h3 strong")).to_have_text(f"{5 + 4 * turn}")


def focus(live: LivePage, selector: str) -> None:
    live.page.evaluate("selector => (globalThis.kept = document.querySelector(selector)).focus()", selector)
    assert is_focused(live)


def is_focused(live: LivePage) -> bool:
    return bool(live.page.evaluate("document.activeElement === kept && kept.isConnected"))


@pytest.mark.parametrize(
    "what", [".finding a", pytest.param("#map-picture .box[data-group^=quotes]", marks=in_detail)]
)
def test_what_is_focused_stays_focused(
    agent: AgentProcess, sockets: WrittenSockets, open_page, what: str
) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator(what)).to_have_count(1)
    focus(live, what)
    keep_busy(live, sockets)
    assert is_focused(live)


@pytest.mark.parametrize("what", [".finding .do", pytest.param(".incident .when", marks=in_detail)])
def test_what_is_selected_stays_selected(
    agent: AgentProcess, sockets: WrittenSockets, open_page, what: str
) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator(what)).to_have_count(1)
    select = "what => getSelection().selectAllChildren(document.querySelector(what))"
    live.page.evaluate(select, what)
    keep_busy(live, sockets)
    assert live.page.evaluate("getSelection().toString()") == live.page.locator(what).first.inner_text()


@in_detail
def test_the_panel_stays_as_it_is_but_for_what_changes(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    live: LivePage = open_page(agent, f"#socket={sockets.ids['screen']}")
    peer = "dialog#socket [data-field=peers] a"
    expect(live.page.locator(peer)).to_have_count(1)
    focus(live, peer)
    keep_busy(live, sockets)
    expect(live.page.locator(peer)).to_have_count(5)
    expect(live.page.locator("dialog#socket [data-field=count-lost]")).to_have_text("21")
    assert is_focused(live)


@in_detail
def test_a_box_opens_what_it_is_now(agent: AgentProcess, sockets: WrittenSockets, open_page) -> None:
    live: LivePage = open_page(agent)
    box = live.page.locator("#map-picture .box[data-group^=quotes]")
    expect(box).to_have_count(1)
    another = sockets.open("quotes", "PUB")
    expect(box.locator(".name")).to_have_text(re.compile("^quotes . 2$"))
    box.click()
    expect(live.page.locator("#shown")).to_have_text("2 of 3 sockets")
    assert live.page.locator(f"#row-{another}").count() == 1


def test_links_lead_to_the_page_as_it_is_chosen(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    live: LivePage = open_page(agent)
    live.page.locator("#filter").fill("screen")
    live.page.locator("thead .col-name button").click()
    chosen = re.compile(r"#q=screen&sort=name")
    panel = live.page.locator("dialog#socket")
    expect(live.page).to_have_url(chosen)
    expect(live.page.locator("#table tr[data-id]")).to_have_count(1)
    for link in ("#table td a", ".finding a", "#feed [data-kind=gap] a"):
        live.page.locator(link).first.click()
        expect(panel).to_be_visible()  # hidden, it still has the text of the last time
        expect(panel.locator("h2")).to_contain_text("screen")
        expect(live.page).to_have_url(re.compile(rf"{chosen.pattern}&socket={sockets.ids['screen']}$"))
        if link == "#table td a":
            panel.locator("[data-field=peers] a").click()
            expect(panel.locator("h2")).to_contain_text("quotes")
            expect(live.page).to_have_url(chosen)
            live.page.go_back()
            expect(panel.locator("h2")).to_contain_text("screen")
        live.page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(live.page).to_have_url(re.compile(rf"{chosen.pattern}$"))
    live.page.locator("nav a", has_text="Incidents").click()
    expect(live.page.locator("#incidents")).to_be_focused()
    expect(live.page).to_have_url(re.compile(rf"{chosen.pattern}$"))
    there = live.page.locator("nav a", has_text="Incidents").get_attribute("href")
    again: LivePage = open_page(agent, there)
    expect(again.page.locator("#shown")).to_have_text("1 of 2 sockets")
    assert again.page.evaluate("document.activeElement.id") == "incidents"
