"""The page of an agent, as somebody who watches it has it open."""

import re
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, expect

SECONDS = 60
in_detail = pytest.mark.extended("seconds of Chromium for a detail of what another test shows")
"""Marks a test of the page that the gate can do without."""


@dataclass
class LivePage:
    """``complaints``: what the browser found wrong with it; ``asked_for``: whom it asked besides its agent."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    asked_for: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(SECONDS * 1000)
        expect.set_options(timeout=SECONDS * 1000)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._said)
        self.page.on("request", self._asked)

    def open(self, address: str = "") -> "LivePage":
        """Goes there, and waits until the agent's sockets are shown."""
        self.page.goto(f"{self.url}/{address}")
        expect(self.link).to_have_text("live")
        return self

    @property
    def link(self) -> Locator:
        """Whether the agent answers."""
        return self.page.locator("#link")

    @property
    def verdict(self) -> Locator:
        """The sentence at the top."""
        return self.page.locator("#verdict-text")

    def row(self, name: str) -> Locator:
        """The row of the socket of this name."""
        exact = re.compile(f"^{re.escape(name)}$")
        return self.page.locator("#table tr[data-id]").filter(
            has=self.page.locator("td a bdi", has_text=exact)
        )

    def cell(self, name: str, column: str) -> Locator:
        """What the row of a socket shows in a column."""
        return self.row(name).locator(f"td.col-{column}")

    def names(self) -> list[str]:
        """The sockets in sight, in their order."""
        return self.page.locator("#table tr[data-id] td a").all_inner_texts()

    def _said(self, message: object) -> None:
        kind, text = message.type, message.text  # type: ignore[attr-defined]
        # that the agent is away is shown by the page, and by the browser besides
        if kind in ("error", "warning") and "Failed to load resource" not in text:
            self.complaints.append(text)

    def _asked(self, request: object) -> None:
        asked: str = request.url  # type: ignore[attr-defined]
        if not asked.startswith((self.url + "/", "data:")):
            self.asked_for.append(asked)
