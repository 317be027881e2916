"""``--start-within SECONDS``: tests that have not begun by then are left out, and counted."""

import time

import pytest

OPTION = "--start-within"
REASON = "no time was left for it"


class InTime:
    """The plugin."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        if time.monotonic() > self._until:
            pytest.skip(REASON)


def add_option(parser: pytest.Parser) -> None:
    """Let the command line say it."""
    parser.addoption(
        OPTION, type=float, metavar="SECONDS", help="leave out tests that have not begun by then"
    )


def use(config: pytest.Config) -> None:
    """Where it is asked for."""
    seconds = config.getoption(OPTION)
    if seconds is not None:
        config.pluginmanager.register(InTime(seconds))
