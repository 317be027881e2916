"""What an agent's page, ``hopwatch status`` and ``hopwatch top`` show of a user's trouble while it lasts."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from docket import Check
from hosts import HOPWATCH
from live_page import LivePage
from playwright.sync_api import Browser
from terminal import on_terminal
from trouble_books import tells_of_losses
from troubles import Trouble, eventually

Shown = Callable[..., None]
Told = Callable[[Trouble, Check], None]
SOCKETS, CONNECTIONS, FINDINGS = "1", "2", "3"
"""Keys of the tabs of ``hopwatch top``."""
NONE_LOSES = re.compile(r"hopwatch +0 losing ")
"""In the head of ``hopwatch top``, whichever tab is shown."""
WIDE = 230
Plays = dict[str, Trouble]
NewTrouble = Callable[[str], Trouble]
"""Given a name that the module has once."""


@dataclass(frozen=True)
class Story:
    """What page and ``hopwatch status`` both have to show, and what one of them has in words of its own; and a row of a tab of ``hopwatch top``: its
    key, and an expression.

    ``drops``: whether messages were dropped: all tell of losses then, or none does; None where that is not the question. ``of``: name and type
    of the socket whose own part of the page is open.
    """

    says: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    drops: bool | None = None
    of: tuple[str, str] | None = None
    top: tuple[str, str] | None = None


def hold(trouble: Trouble, story: Story, browser: Browser, host: str = "desk") -> None:
    """Waits until each shows all of it; then none shows what is not so, and the browser finds nothing wrong."""
    live = LivePage(browser.new_page(), trouble.system.host(host).url).open(_address(trouble, story, host))

    def on_page() -> str:
        return " ".join(live.page.locator("body").inner_text().replace(trouble.system.mark, "").split())

    for where, told, own in (
        ("page", on_page, story.page),
        ("terminal", lambda: trouble.terminal(host), story.terminal),
    ):
        for words in (*story.says, *own):
            eventually(lambda told=told, words=words: words in told(), f"the {where} has not shown {words!r}")
        losses = tells_of_losses(told())
        assert story.drops in {None, bool(losses)}, f"the {where} tells of these losses: {losses}"
    assert live.complaints == []
    live.page.close()
    if story.top is not None:
        _hold_top(trouble, *story.top, host, drops=story.drops)


def _hold_top(trouble: Trouble, tab: str, row: str, host: str, *, drops: bool | None) -> None:
    at = trouble.system.host(host)
    command = [*at.inside, str(HOPWATCH), "top", "--agent", at.url]
    with on_terminal(command, columns=WIDE, lines=40) as top:
        top.press(tab)
        screen = top.becomes(
            lambda text: re.search(row, text.replace(trouble.system.mark, "")) is not None, what=row
        )
        assert drops is not False or NONE_LOSES.search(screen), f"top tells of losses:\n{screen}"


def _address(trouble: Trouble, story: Story, host: str) -> str:
    if story.of is None:
        return ""
    socket = trouble.socket(*story.of, host)
    assert socket is not None, f"the agent does not know {story.of}"
    return f"#socket={socket['id']}"
