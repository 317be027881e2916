"""What every scenario needs: a system of its own, and a judgement of what its hosts landed.

All systems are played first. Then one analysis is made of what they landed, which takes little longer than that of one;
``told of test_...`` holds its report on each system against the truth.

The gate plays SMOKE alone, and judges the others by their recordings (``tests/recorded``), in the same report.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import joint_docket
import pytest
import recordings
import shared_spark
from docket import Case, Check, mark_of
from expected import Expected, as_reported
from joint_docket import Docket, ReportOn
from judgement import Losses, Told, Way, assert_intended, true_findings
from system import BARE, System

HERE = Path(__file__).parent
SMOKE = {
    "test_healthy.py": "test_a_healthy_system_has_closed_ledgers_and_no_incident",
    "test_connections.py": "test_what_was_all_sent_before_a_subscriber_connected_was_so_for_certain",
    "test_closing.py": "test_what_is_closed_with_loses_and_what_was_refused_was_never_on_its_way",
    "test_topics.py": "test_what_nobody_asked_for_is_no_gap",
    "test_counts.py": "test_what_was_sent_before_a_late_subscription_has_no_cause",
}
"""Systems whose outcome depends on no rate: what they lose, and why, follows from the order of their steps."""
RECORD = os.environ.get("SCENARIO_RECORD", "").split()
"""Names of the systems to record (see ``scripts/record``), or "all"."""
WhenTold = Callable[..., None]
Judge = Callable[..., None]
WHY_SKIPPED = pytest.StashKey[str]()
PLAYED = pytest.StashKey[pytest.Item]()
"""The test that plays the system which a test is told of."""


def pytest_configure(config: pytest.Config) -> None:
    shared_spark.use(config)
    joint_docket.use(config)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Any, Any]:
    """Beside each system there is a test of what is told of it."""
    made = yield
    if BARE or not isinstance(made, list):
        return made
    return [each for item in made for each in (item, _told_of(item))]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Systems are played first of all, also where only what is told of one is asked for: one analysis is of all that are there by then."""
    here = [item for item in items if HERE in item.path.parents]
    chosen = [item for item in here if _is_recorded(item)] if RECORD else here
    config.hook.pytest_deselected(items=[item for item in here if item not in chosen])
    told = [item for item in chosen if PLAYED in item.stash]
    played = list(dict.fromkeys(item.stash.get(PLAYED, item) for item in chosen))
    for item in (*played, *told):
        if item.stash.get(PLAYED, item).name != SMOKE.get(item.path.name):
            item.add_marker(pytest.mark.extended("a live system"))
    items[:] = [*played, *(item for item in items if item not in here), *told]


def _is_recorded(item: pytest.Item) -> bool:
    return RECORD == ["all"] or recordings.name_of(item.stash.get(PLAYED, item).nodeid) in RECORD


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    if call.excinfo is not None and call.excinfo.errisinstance(pytest.skip.Exception):
        item.stash[WHY_SKIPPED] = str(call.excinfo.value)
    return (yield)


def _told_of(played: pytest.Item) -> pytest.Item:
    def told(docket: Docket, report_on: ReportOn) -> None:
        if WHY_SKIPPED in played.stash:
            pytest.skip(played.stash[WHY_SKIPPED])
        assert played.nodeid in docket, "it was not played to its end"
        own = docket[played.nodeid].hold(report_on(played.nodeid).report)
        if RECORD:
            _record(played, docket[played.nodeid], own)

    assert played.parent is not None
    test: pytest.Item = pytest.Function.from_parent(
        played.parent, name=f"told of {played.name}", callobj=told
    )
    test.stash[PLAYED] = played
    test.add_marker("spark")
    return test


def _record(played: pytest.Item, case: Case, own: dict[str, Any]) -> None:
    if case.expected is None:
        recordings.record(played.nodeid, case, as_reported(own), recordings.CHECKED_REPORT)
    else:
        recordings.record(played.nodeid, case, case.expected, recordings.PROGRAMS)


@pytest.fixture
def system(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[System]:
    """A system of another mark than its recording, with which it is judged in one report."""
    name = request.node.name if RECORD else f"{request.node.name}, played now"
    system = System(tmp_path, mark_of(name))
    yield system
    system.reap()


@pytest.fixture
def when_told(request: pytest.FixtureRequest, system: System, docket: Docket) -> WhenTold:
    """Ends the agents; what a report tells of the system they landed is to pass a check, once it is made.

    With SCENARIO_BARE=1 the programs ran unwrapped: then there is nothing to tell, and only the intended losses are shown to have happened.
    """

    def enter(check: Check | None, expected: Expected | None = None) -> None:
        docket[request.node.nodeid] = Case(system.mark, tuple(system.landed_folders()), check, expected)

    return enter


@pytest.fixture
def judge(system: System, when_told: WhenTold) -> Judge:
    """Of all that a report tells, the truth is to be told, as ``exact`` and with the ``advice`` on a cause where that is said.

    ``also`` is to hold of the live report too.
    """

    def enter(
        ways: Sequence[Way],
        losses: Losses,
        also: Check | None = None,
        *,
        exact: Told = (),
        advice: Mapping[str, str] | None = None,
    ) -> None:
        truth = system.truth()
        print(f"sent: {truth.sent}; lost: {dict(losses)}")
        assert all(lost > 0 for lost in losses.values()), (
            f"the scenario lost nothing where it should: {losses}"
        )
        assert_intended(truth, ways, losses)
        when_told(also, Expected(true_findings(truth, ways, losses), sorted(exact), advice or {}))

    return enter
