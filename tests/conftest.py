"""What holds for all tests."""

import os
import resource
import signal
from typing import Any

import in_time
import leaks
import lost_workers
import must_run
import pytest
import sharing
from hypothesis import settings

settings.register_profile("gate", derandomize=True, database=None)
settings.register_profile("search", derandomize=False)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> sharing.Sharing | None:
    return sharing.Sharing(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "spark" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
    sharing.require_at_home(items)
    sharing.longest_first(items)


def pytest_configure(config: pytest.Config) -> None:
    """A shell that starts the tests in the background has them ignore SIGINT, and so every process that they start and interrupt."""
    os.environ["HOPWATCH_FIRST_CALLS"] = (
        "3"  # what tests do a few times is to be what a socket does in the long run
    )
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _raise_descriptor_limit()
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
    must_run.use(config)
    leaks.use(config)
    lost_workers.use(config)
    in_time.use(config)


pytest_addoption = in_time.add_option


def _raise_descriptor_limit() -> None:
    """Each test has a journal of its own, whose files a process keeps open until it ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = 20_000 if hard == resource.RLIM_INFINITY else min(20_000, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
