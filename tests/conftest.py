"""What holds for all tests."""

import ctypes
import os
import resource
import signal
from pathlib import Path
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
    _have_shared_memory_of_our_own()
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


def _have_shared_memory_of_our_own() -> None:
    """Each journal has a segment until its process ends: a namespace of the tests' own has room for them, and takes all with it in the end."""
    clone_new_ipc = 0x08000000
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if not is_worker and os.geteuid() == 0 and ctypes.CDLL(None).unshare(clone_new_ipc) == 0:
        Path("/proc/sys/kernel/shmmni").write_text("32768")
