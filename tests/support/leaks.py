"""What a test leaves open fails that test, and not the one during which the collector happens to find it."""

import gc
from collections.abc import Generator

import pytest


class Leaks:
    """The plugin: whoever leaves a socket or a file open warns when it is collected, and warnings are errors.

    All that is there before a test is kept from the collector, so that a look costs a millisecond: with what the fixtures of a module hold it
    would cost thirty.
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
