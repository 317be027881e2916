"""A test that is skipped shows nothing: where HOPWATCH_TESTS_MUST_RUN is set, it has failed, but for what cannot run there."""

import os
from collections.abc import Generator

import pytest

SETTING = "HOPWATCH_TESTS_MUST_RUN"
MAY_BE_SKIPPED = {
    "this libzmq is such an old one": "the one that pyzmq brings is new, and is taken for an old one by the same test",
    "no IPv6 here": "a setting of the kernel, which nothing that is installed can change",
    "no cgroups are mounted that account for memory": "a container has those of the machine that it is on, or none",
    "cannot make a cgroup: ": "the same, where they are mounted to be read only",
    "cannot limit a cgroup: ": "the same",
    "no TUN device here": "a module of the kernel, which nothing that is installed can bring",
    "the filter is for other processors": "it is written in the numbers of their system calls",
    "there are no turns to take": "an interpreter without a global lock has none",
    "free-threaded CPython 3.13 keeps classes": "a fault of that interpreter",
}
"""What a reason begins with, and why nothing can be done about it where everything is installed and the tests are root's."""


class MustRun:
    """The plugin."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if not hasattr(report, "wasxfail"):
            _judge(report)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        _judge(report)
        return report


def use(config: pytest.Config) -> None:
    """Where it is asked for."""
    if os.environ.get(SETTING, "0") not in ("", "0"):
        config.pluginmanager.register(MustRun())


def _judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.outcome != "skipped":
        return
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = told.removeprefix("Skipped: ")
    if not reason.startswith(tuple(MAY_BE_SKIPPED)):
        report.outcome = "failed"
        report.longrepr = f"skipped, where {SETTING} says that it must run: {reason}"
