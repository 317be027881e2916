"""What a test leaves open fails that test, and not the one during which the collector happens to find it."""

import gc
from collections.abc import Generator

import pytest


class Leaks:
    """The plugin: whoever leaves a socket or a file open warns when it is collected, and warnings are errors.

    Objects from before a test are frozen, so that each collection takes about a millisecond. With the fixtures of
    some modules it would take 24 ms. Cycles that are garbage only after their module's last test are not found.
    """

    def pytest_collection_finish(self) -> None:
        gc.collect()
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None, None, None]:
        yield
        gc.collect()
        gc.freeze()


def use(config: pytest.Config) -> None:
    """Look after each test."""
    config.pluginmanager.register(Leaks(), "leaks")
