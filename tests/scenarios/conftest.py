"""What every scenario needs: a system of its own, and a judgement of what its hosts landed.

All systems are played first. One analysis is made of what they landed, as of a fleet of many applications, which takes little longer than that of
one; ``told of test_...`` holds what it says of each system against the truth.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from docket import Case, Check, holds, marks, of_nobody
from hopwatch_analysis import job
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.spark.session import spark_session
from judgement import Losses, Told, Way, assert_intended, true_findings
from report_shape import fractions, misshapen, nonsense
from system import BARE, System
from xdist.scheduler.loadfile import LoadFileScheduling

HERE = Path(__file__).parent
WORKERS = 2
Docket = dict[pytest.Item, Case]
WhenTold = Callable[[Check], None]
Judge = Callable[..., None]
WHY_SKIPPED = pytest.StashKey[str]()


class BySystems(LoadFileScheduling):
    """Two processes share the systems; each has an analysis of those that it has played."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        places = [path.relative_to(HERE.parent.parent).as_posix() for path in sorted(HERE.rglob("test_*.py"))]
        return f"systems {places.index(file) % WORKERS}" if file in places else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return BySystems(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Systems are played first, and then comes what is told of them."""
    played = [item for item in items if HERE in item.path.parents]
    told = [] if BARE else [_told_of(item) for item in played]
    items[:] = [*played, *told, *(item for item in items if item not in played)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if call.excinfo is not None and call.excinfo.errisinstance(pytest.skip.Exception):
        item.stash[WHY_SKIPPED] = str(call.excinfo.value)
    return (yield)


def _told_of(played: pytest.Item) -> pytest.Item:
    def told(docket: Docket, joint_report: dict[str, Any]) -> None:
        if WHY_SKIPPED in played.stash:
            pytest.skip(played.stash[WHY_SKIPPED])
        assert played in docket, "it was not played to its end"
        docket[played].hold(joint_report)

    assert played.parent is not None
    test: pytest.Item = pytest.Function.from_parent(
        played.parent, name=f"told of {played.name}", callobj=told
    )
    return test


@pytest.fixture(scope="session")
def docket() -> Docket:
    """The systems that were played, to be judged."""
    return {}


@pytest.fixture(scope="session")
def joint_report(docket: Docket, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The real analysis of all systems in one job."""
    cases = list(docket.values())
    folders = [str(folder) for case in cases for folder in case.folders]
    with spark_session("local[2]", find_landed(folders).rows) as spark:
        report: dict[str, Any] = job.analyze(spark, folders, tmp_path_factory.mktemp("joint"))
    for name in ("contradictions", "skipped_files", "faults", "events_lost"):
        assert report[name] == [], name
    assert misshapen(report) + fractions(report) + nonsense(report) == []
    assert of_nobody(report, cases) == []
    return report


@pytest.fixture(scope="session")
def _marks() -> Iterator[str]:
    return marks()


@pytest.fixture
def system(tmp_path: Path, _marks: Iterator[str]) -> Iterator[System]:
    system = System(tmp_path, next(_marks))
    yield system
    system.reap()


@pytest.fixture
def when_told(request: pytest.FixtureRequest, system: System, docket: Docket) -> WhenTold:
    """Ends the agents; what a report tells of the system they landed is to pass a check, once it is made.

    With SCENARIO_BARE=1 the programs ran unwrapped: then there is nothing to tell, and only the intended losses are shown to have happened.
    """

    def enter(check: Check) -> None:
        docket[request.node] = Case(system.mark, tuple(system.landed_folders()), check)

    return enter


@pytest.fixture
def judge(system: System, when_told: WhenTold) -> Judge:
    """Of all that a report tells, the truth is to be told, as ``exact`` where that is said; ``also`` is to hold of it too."""

    def enter(ways: Sequence[Way], losses: Losses, also: Check | None = None, *, exact: Told = ()) -> None:
        truth = system.truth()
        print(f"sent: {truth.sent}; lost: {dict(losses)}")
        assert all(lost > 0 for lost in losses.values()), (
            f"the scenario lost nothing where it should: {losses}"
        )
        assert_intended(truth, ways, losses)
        when_told(holds(true_findings(truth, ways, losses), also, exact))

    return enter
