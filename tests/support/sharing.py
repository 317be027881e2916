"""Which files one process has to have, where several share the tests, and which of them begin."""

from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling

TESTS = Path(__file__).parent.parent
SYSTEMS = "systems"
OF_SYSTEMS = (TESTS / "recorded" / "test_recorded.py", TESTS / "analysis" / "test_simulated_fleets.py")
OF_SPARK = (TESTS / "analysis", TESTS / "recorded", TESTS / "scenarios")
"""Folders of the gate's tests of Spark: its stage looks through no other."""
LONGEST_FIRST = (
    SYSTEMS,
    "tests/analysis/test_following_command.py",
    "tests/analysis/test_following.py",
    "tests/analysis/test_cluster.py",
    "tests/analysis/test_landed_elsewhere.py",
    "tests/analysis/test_whole_run.py",
    "tests/analysis/test_command.py",
    "tests/analysis/test_windows_through_streams.py",
    "tests/analysis/test_damaged_pages.py",
    "tests/analysis/test_contradictions.py",
    "tests/pods/test_images.py",
    "tests/pods/test_injected_pod.py",
    "tests/demo/test_demo.py",
    "tests/agent/test_exactly_once.py",
    "tests/simulator/test_fleets.py",
    "tests/helm/test_rendering.py",
    "tests/injector/test_service.py",
    "tests/page/test_accessible.py",
    "tests/page/test_what_sockets_do.py",
)
"""Files of which one would keep a process when the others have nothing left to do."""


class Sharing(LoadFileScheduling):
    """A file is one process's, and so is all that one analysis is made for: a second process would make the same one."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._systems = sorted(TESTS.glob("scenarios/**/test_*.py"))
        self._are_few = "not extended" in config.getoption("markexpr")

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        path = TESTS.parent / file
        if path in self._systems and not self._are_few:
            return f"{SYSTEMS} {2 * self._systems.index(path) // len(self._systems)}"
        return name_of(path)


def name_of(path: Path) -> str:
    """Return what a file's tests share their analysis with, or else the file's name."""
    is_of_one = path in OF_SYSTEMS or TESTS / "scenarios" in path.parents or has_stories(path)
    return SYSTEMS if is_of_one else path.relative_to(TESTS.parent).as_posix()


def has_stories(path: Path) -> bool:
    """Return whether a test module of the analysis has stories for the joint report."""
    return path.parent == TESTS / "analysis" and path.exists() and "\nSTORIES" in path.read_text()


def require_at_home(items: list[pytest.Item]) -> None:
    """Raise UsageError where the gate would not find a test of Spark, or of a live system."""
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        is_last = marks & {"spark", "scenario"} and "extended" not in marks
        if is_last and not set(OF_SPARK) & set(item.path.parents):
            folders = " or ".join(folder.relative_to(TESTS.parent).as_posix() for folder in OF_SPARK)
            raise pytest.UsageError(f"{item.nodeid}: a test of Spark belongs into {folders}, or is extended")


def longest_first(items: list[pytest.Item]) -> None:
    """Sort tests by when their files are to begin."""
    paths = {item.path for item in items}
    names = {path: name_of(path) for path in paths if TESTS in path.parents}
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(names.get(item.path, ""), len(places)))
