"""axe-core finds no serious fault: light and dark, at a desk and on a phone, with and without what opens."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from analysed_proxy import behind_a_proxy, publish, told_behind_the_proxy
from journal_writer import JournalWriter
from live_page import LivePage, in_detail
from playwright.sync_api import Browser, expect
from written_sockets import WrittenSockets

AXE = Path(__file__).parents[2] / ".tools/page/node_modules/axe-core/axe.min.js"
SENDER, RECEIVER = "00000000000000a1", "00000000000000b2"

pytestmark = pytest.mark.skipif(
    not AXE.is_file(), reason="axe-core is not there: scripts/test fetches it by npm"
)


@pytest.fixture
def writer(agent: AgentProcess) -> Iterator[JournalWriter]:
    """All that the page can show: sockets that lose, events, findings and incidents."""
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="screen")
    of_sender, of_receiver = "127.0.0.1:5555", "127.0.0.1:40001"
    for socket, local, remote in ((SENDER, of_sender, of_receiver), (RECEIVER, of_receiver, of_sender)):
        ends = {"local": local, "remote": remote, "accepted": socket == SENDER}
        link = {"endpoint": f"tcp://{of_sender}", "sent": 0, "received": 0}
        writer.event("connected", socket=socket, connection=1, **link, **ends)
    writer.event("finding", socket=RECEIVER, rule="conflate", text="keeps the last", advice="unset it")
    numbers = {"first": 4, "last": 6, "before": 3, "after": 7, "lost": 3}
    writer.event("gap", socket=RECEIVER, stream=SENDER, lane=0, received=1, **numbers)
    writer.set_counters(SENDER, 0, sent=10, onsets=1)
    writer.set_counters(RECEIVER, 1, received=7, lost=3)
    yield writer
    writer.close()


def serious_faults(live: LivePage) -> list[str]:
    live.page.evaluate(AXE.read_text())
    found: dict[str, Any] = live.page.evaluate("axe.run()")
    serious = [fault for fault in found["violations"] if fault["impact"] in ("serious", "critical")]
    return [f"{fault['id']}: {node['html'][:200]}" for fault in serious for node in fault["nodes"]]


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        pytest.param(1280, "dark", marks=in_detail),
        pytest.param(390, "light", marks=in_detail),
    ],
)
def test_a_page_that_shows_all_it_can(
    agent: AgentProcess, writer: JournalWriter, open_page, width: int, scheme: str
) -> None:
    live: LivePage = open_page(agent, width=width, scheme=scheme)
    expect(live.page.locator(".incident")).to_have_count(1)
    expect(live.page.locator(".finding")).to_have_count(1)
    writer.set_counters(RECEIVER, 1, received=8, lost=4)
    expect(live.cell("screen", "state")).to_have_text("losing")
    assert serious_faults(live) == []
    assert live.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    live.page.locator(".finding a").click()
    expect(live.page.locator("dialog#socket h2")).to_contain_text("screen")
    assert serious_faults(live) == []


@in_detail
def test_a_page_whose_agent_is_away(agent: AgentProcess, writer: JournalWriter, open_page) -> None:
    live: LivePage = open_page(agent)
    agent.kill()
    expect(live.link).to_contain_text("away since")
    assert serious_faults(live) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_keys(silent_agent: AgentProcess, open_page, scheme: str) -> None:
    live: LivePage = open_page(silent_agent, scheme=scheme)
    live.page.keyboard.press("?")
    expect(live.page.locator("dialog#help")).to_be_visible()
    assert serious_faults(live) == []


@in_detail
def test_the_question_for_a_token(agent: AgentProcess, browser: Browser) -> None:
    agent.terminate()
    agent.set("HOPWATCH_AGENT_TOKEN", "open-sesame-please-this-once")
    agent.start()
    live = LivePage(browser.new_page(), agent.url)
    live.page.goto(agent.url)
    expect(live.page.locator("dialog#token")).to_be_visible()
    assert serious_faults(live) == []
    live.page.close()


@in_detail
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_proxy_an_analysed_incident_and_sockets_of_all_states_and_then_of_none_that_is_known(
    agent: AgentProcess, open_page, tmp_path: Path, scheme: str
) -> None:
    agent.terminate()
    (tmp_path / "report").mkdir()
    agent.start("--report", str(tmp_path / "report"))
    sockets = WrittenSockets(agent.journal)
    behind_a_proxy(sockets)
    sockets.open("jobs", "PUSH")
    sockets.count("jobs", pending_sends=3)
    sockets.open("gone", "SUB")
    sockets.close_socket("gone")
    live: LivePage = open_page(agent, scheme=scheme)
    sockets.lack("screen", "quotes", 5, 9)
    [gap] = eventually(lambda: agent.get("/v1/events?kind=gap"))
    publish(told_behind_the_proxy(sockets, gap["at"]), tmp_path / "report")
    expect(live.page.locator(".incident", has_text="slow_receiver")).to_have_count(1)
    sockets.lack("screen", "quotes", 20, 29)
    for name, state in {"screen": "losing", "jobs": "pressed", "quotes": "quiet", "gone": "ended"}.items():
        expect(live.cell(name, "state")).to_have_text(state)
    assert serious_faults(live) == []
    agent.kill()
    expect(live.link).to_contain_text("agent away since")
    assert serious_faults(live) == []
    sockets.close()
