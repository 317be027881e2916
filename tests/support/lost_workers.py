"""A process of a shared run that ends before it is told to has made the run fail, even between two tests."""

from typing import Any

import pytest


class LostWorkers:
    """The plugin: xdist starts another process and goes on."""

    def __init__(self) -> None:
        self._lost = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:  # noqa: ARG002 -- xdist's names
        self._lost = self._lost or error is not None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._lost and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def use(config: pytest.Config) -> None:
    """Look after the processes of this run."""
    config.pluginmanager.register(LostWorkers(), "lost_workers")
