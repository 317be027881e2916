"""What a test leaves open fails that test, and not the one during which the collector happens to find it."""

import gc
import os
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

OF_JOURNALS = (".lock", ".events", ".counters")
LOOKING_TAKES_AT_MOST_S = 5.0
LAST_RAISED = ("last_exc", "last_type", "last_value", "last_traceback")


class Leaks:
    """The plugin: whoever leaves a socket or a file open warns when it is collected, and warnings are errors.

    What was there before a module's tests is frozen, so that each collection takes about a millisecond. With the
    fixtures of some modules it takes 24 ms. Descriptors that belong to no object are looked for at the end of a module.
    """

    def __init__(self) -> None:
        self._module: Path | None = None
        self._before: set[str] = set()
        self._of_pytest: set[str] = set()

    def pytest_collection_finish(self) -> None:
        gc.collect()
        gc.freeze()
        self._of_pytest = open_files()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item.path != self._module:
            self._module, self._before = item.path, open_files()

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
        if nextitem is not None and nextitem.path != item.path:
            left = self._left_open()
            assert not left, f"the tests of {item.path.name} have left open: {', '.join(sorted(left))}"

    def _left_open(self) -> set[str]:
        """What stays open: a background thread may be looking at a folder just now."""
        deadline = time.monotonic() + LOOKING_TAKES_AT_MOST_S
        while left := open_files() - self._before - self._of_pytest:
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        return left


def open_files() -> set[str]:
    """Files and folders that there is a descriptor of, but those of journals, which a process keeps until it ends, and devices, which libraries keep."""
    found = set()
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 -- after each test
        try:
            file = os.readlink(f"/proc/self/fd/{number}")  # noqa: PTH115 -- what it leads to may be no path
        except FileNotFoundError:
            continue
        name = file.removesuffix(" (deleted)")
        if name.startswith("/") and not name.startswith("/dev/") and not name.endswith(OF_JOURNALS):
            found.add(file)
    return found


def use(config: pytest.Config) -> None:
    """Look after each test."""
    config.pluginmanager.register(Leaks(), "leaks")
