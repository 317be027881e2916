"""The classic troubles: a user's own program, with one line added or none, and what is told of it while it runs and afterwards.

Those of a module are played at the same time, most beside their bare twin; a test waits until its own shows what its user asked about, looks as the user
would, and ends it as a user does. What the programs print is the truth.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from browser import CHROMIUM, MISSING, chromium
from docket import Case, Check, mark_of
from joint_docket import Docket
from playwright.sync_api import Browser
from system import BARE, System
from trouble_stories import NewTrouble, Plays, Shown, Told, hold
from troubles import Trouble


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    bare = pytest.mark.skipif(BARE, reason="each is played bare beside the one that is watched")
    for item in items:
        if "new_trouble" in getattr(item, "fixturenames", ()):
            item.add_marker(bare)


@pytest.fixture(scope="module")
def new_trouble(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NewTrouble]:
    with ExitStack() as stack:

        def new(name: str) -> Trouble:
            mark = mark_of(f"{request.path.stem} {name}")
            trouble = Trouble(System(tmp_path_factory.mktemp("trouble"), mark))
            stack.callback(trouble.reap)
            return trouble

        yield new


@pytest.fixture(scope="module")
def plays(request: pytest.FixtureRequest, new_trouble: NewTrouble) -> Plays:
    """The STARTS of the module, begun at once: they need nothing but loopback."""
    starts = request.module.STARTS
    plays = {start.__name__: new_trouble(start.__name__) for start in starts}
    for trouble in plays.values():
        trouble.begin_agent()
    for start in starts:
        plays[start.__name__].await_agent()
        start(plays[start.__name__])
    return plays


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with chromium() as running:
        yield running


@pytest.fixture
def shown(browser: Browser) -> Shown:
    """Holds a story against the live page and ``hopwatch status``."""
    return lambda trouble, story: hold(trouble, story, browser)


@pytest.fixture
def told(request: pytest.FixtureRequest, docket: Docket) -> Told:
    """Ends the agents; what the report tells is to pass a check."""

    def enter(trouble: Trouble, check: Check) -> None:
        docket[request.node.nodeid] = Case(trouble.system.mark, tuple(trouble.system.landed_folders()), check)

    return enter
