"""A real agent with its page in a real browser."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess
from browser import CHROMIUM, MISSING, chromium
from live_page import LivePage
from playwright.sync_api import Browser

OpenPage = Callable[..., LivePage]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """While it runs nothing else of this process can have an event loop: it ends with its module."""
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def silent_agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    """Serve the page to all tests that need its scripts alone: an agent with nothing to tell."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path_factory.mktemp("silent"), environment)
    agent.start()
    yield agent
    agent.kill()


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentProcess]:
    """An agent of the test's own, which reads what sockets of this process do."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path, environment)
    agent.start()
    monkeypatch.setenv("HOPWATCH_DIR", str(agent.journal))
    yield agent
    if agent.process is not None and agent.process.poll() is None:
        agent.kill()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens the page of an agent. At the end none of those that were opened may have had a complaint, or have asked anybody else."""
    opened: list[LivePage] = []

    def open_it(
        agent: AgentProcess, address: str = "", *, width: int = 1280, scheme: str = "light"
    ) -> LivePage:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
        )
        opened.append(LivePage(context.new_page(), agent.url))
        return opened[-1].open(address)

    yield open_it
    for live in opened:
        live.page.context.close()
    assert [live.complaints for live in opened if live.complaints] == []
    assert [live.asked_for for live in opened if live.asked_for] == []
