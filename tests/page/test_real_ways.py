"""The map of a real proxy between real processes tells before which of its ends messages were lost."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess
from beside_an_agent import Beside
from live_page import LivePage, in_detail
from playwright.sync_api import expect
from programs import Program
from system import PROGRAMS
from written_sockets import WrittenSockets


@pytest.fixture
def beside(agent: AgentProcess, tmp_path: Path) -> Iterator[Beside]:
    beside = Beside(agent, tmp_path)
    yield beside
    beside.reap()


@pytest.fixture
def relay(agent: AgentProcess, tmp_path: Path) -> Iterator[Program]:
    """A proxy that takes little in, and much out."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    told = {"HOPWATCH_DIR": str(agent.journal), "HOPWATCH_HOST": "box-1"}
    room = ("--in-hwm", "10", "--out-hwm", "10000")
    argv = [sys.executable, str(PROGRAMS / "proxy.py"), "--name", "relay", *room]
    relay = Program(argv, environment | told, tmp_path / "relay.stderr")
    yield relay
    relay.reap()


@in_detail
def test_what_a_sender_drops_before_a_proxy_is_marked_there(
    agent: AgentProcess, beside: Beside, relay: Program, open_page
) -> None:
    frontend, backend = relay.expect("ready")
    quotes = beside.start("sender", "quotes", "--connect", frontend, "--sndhwm", 10, "--sndbuf", 4096)
    screen = beside.start("receiver", "screen", "--connect", backend, "--subscribe", "", "--rcvhwm", 10_000)
    quotes.ask("await-subscriptions", 2, event="subscribed")
    live: LivePage = open_page(agent)
    quotes.ask("send", 100, 0.002, event="sent")
    expect(live.page.locator("#map-picture .hop")).to_have_count(3)
    relay.freeze()
    quotes.ask("size", 20_000, event="sized")  # of which the kernel's buffers hold few
    quotes.ask("send", 1000, 0.0005, event="sent")
    before = live.page.locator("#map-picture .hop[data-way^=quotes]")
    expect(before.locator("title")).to_have_text("quotes met a full pipe on this way just now")
    relay.thaw()
    quotes.ask("send", 100, 0.002, event="sent")
    screen.ask("finish", event="finished")
    expect(before.locator("title")).to_have_text(
        "screen lacks messages of quotes: they were lost on this way just now, where quotes met a full pipe"
    )
    expect(live.page.locator("#map-picture .somewhere[data-way]")).to_have_count(0)
    assert live.page.locator("#map-picture .losing[data-way]").count() == 1


def test_of_a_proxys_ends_frames_are_counted_and_sorted_by(agent: AgentProcess, open_page) -> None:
    sockets = WrittenSockets(agent.journal)
    for name, kind in (("front", "XSUB"), ("back", "XPUB"), ("slow", "SUB")):
        sockets.open(name, kind)
    sockets.proxy("relay", "front", "back")
    sockets.count("front", proxied_in_frames=5000)
    sockets.count("slow", received=10)
    live: LivePage = open_page(agent)
    expect(live.cell("front", "received")).to_contain_text("fr")
    live.page.locator("thead .col-received button").click()
    expect(live.page.locator("#table tr[data-id] td a").first).to_have_text("front")
    live.row("front").locator("td a").click()
    panel = live.page.locator("dialog#socket")
    expect(panel.locator("[data-field=count-proxied_in_frames]")).to_have_text("5,000")
    expect(panel.locator("[data-field=count-received]")).to_have_count(0)
    sockets.close()
