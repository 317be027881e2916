"""What a test leaves open fails that test, and not the one during which the collector happens to find it."""

import gc
import sys
from collections.abc import Generator

import pytest

LAST_RAISED = ("last_exc", "last_type", "last_value", "last_traceback")


class Leaks:
    """The plugin: whoever leaves a socket or a file open warns when it is collected, and warnings are errors.

    What was there before a module's tests is frozen, so that each collection takes about a millisecond. With the
    fixtures of some modules it takes 24 ms.
    """

    def pytest_collection_finish(self) -> None:
        gc.collect()
        gc.freeze()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, None, None]:
        yield
        if isinstance(item, pytest.Function):
            item.funcargs.clear()  # pytest lets go of what fixtures gave after this
        for name in LAST_RAISED:
            sys.__dict__.pop(name, None)  # of a test that has failed they keep all that it had
        if nextitem is None:
            gc.unfreeze()  # what fixtures of the whole run held
        gc.collect()
        if nextitem is None or nextitem.path != item.path:
            gc.freeze()
        # pytest's own look came before that collection; the next one would be in the next test
        item.config.pluginmanager.get_plugin("unraisableexception").pytest_runtest_teardown(item)


def use(config: pytest.Config) -> None:
    """Look after each test."""
    config.pluginmanager.register(Leaks(), "leaks")
