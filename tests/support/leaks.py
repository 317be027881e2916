"""What a test leaves open fails that test, and not the one during which the collector happens to find it."""

import gc
from collections.abc import Generator

import pytest


class Leaks:
    """The plugin: whoever leaves a socket or a file open warns when it is collected, and warnings are errors.

    All that is there before the first test, and what a module leaves, is kept from the collector, so that a look costs a millisecond.
    """

    def pytest_collection_finish(self) -> None:
        gc.collect()
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, None, None]:
        yield
        gc.collect()
        if nextitem is not None and nextitem.path != item.path:
            gc.freeze()


def use(config: pytest.Config) -> None:
    """Look after each test."""
    config.pluginmanager.register(Leaks(), "leaks")
