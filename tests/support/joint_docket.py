"""One report on many systems: recorded, simulated, written row by row, or just played.

One analysis of all of them takes little longer than an analysis of one.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import recordings
import small_fleets
from docket import Case, faults_of_whole
from hopwatch_analysis import job
from hopwatch_analysis.report import summary
from judgement import assert_balanced
from landed_folder import LandedFolder, at
from pyspark.sql import SparkSession

STORIES = "stories"
SINCE = datetime(2026, 1, 1, tzinfo=timezone.utc)
UNTIL = at(120)
"""The window of the joint report."""
LIKE_A_PATTERN = "x[1]{a,b}*?"
"""A folder name that Spark would read as a pattern if it were not escaped."""
INCIDENTS_ON_THE_PAGE = 1
"""So few that even the stories of one module have more."""

Docket = dict[str, Case]
"""The systems to be judged, by the id of the test that played each, or the name of its recording or fleet."""


@dataclass(frozen=True)
class Reported:
    """The report on many systems, the folder of the report and its tables, and faults that fail every system's test."""

    report: dict[str, Any]
    out: Path
    faults: Sequence[str]


ReportOn = Callable[[str], Reported]


def use(config: pytest.Config) -> None:
    """Register the fixtures once, whichever conftest modules ask for them."""
    if not config.pluginmanager.has_plugin(__name__):
        config.pluginmanager.register(sys.modules[__name__], __name__)


@pytest.fixture(scope="session")
def docket() -> Docket:
    """No system yet."""
    return {}


@pytest.fixture(scope="session")
def recorded_cases() -> Docket:
    """The recorded systems."""
    return {recording.name: recording.case() for recording in recordings.recordings()}


@pytest.fixture(scope="session")
def fleet_cases(tmp_path_factory: pytest.TempPathFactory) -> Docket:
    """The small simulated fleets, landed."""
    return small_fleets.landed(small_fleets.FLEETS, tmp_path_factory.mktemp("fleets"))


@pytest.fixture(scope="session")
def story_cases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Docket:
    """Land the STORIES of every module in this run that uses the joint report. Each has sockets of its own."""
    asking = (item for item in request.session.items if "joint_report" in getattr(item, "fixturenames", ()))
    story = LandedFolder()
    for module in dict.fromkeys(item.module for item in asking if isinstance(item, pytest.Function)):
        for tell in module.STORIES:
            tell(story)
    story.socket("clock", "PAIR", opened=120)
    landed = story.write(tmp_path_factory.mktemp("stories") / LIKE_A_PATTERN)
    return {STORIES: Case(None, (landed,), everybody=story.everybody())}


@pytest.fixture(scope="session")
def reported_stories(whole_docket: Docket, story_cases: Docket, report_on: ReportOn) -> Reported:
    """Return the joint report with its folder."""
    assert whole_docket.keys() >= story_cases.keys()
    return report_on(STORIES)


@pytest.fixture(scope="session")
def joint_report(reported_stories: Reported) -> dict[str, Any]:
    """Return the joint report: on all stories, and on the other systems of this run."""
    assert_balanced(reported_stories.report)
    return reported_stories.report


@pytest.fixture(scope="session")
def whole_docket(request: pytest.FixtureRequest, docket: Docket) -> Docket:
    """The docket with all systems that need not be played and of which this run has tests: one report is on all of them."""
    asked_for = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    for name in sorted(asked_for & {"recorded_cases", "fleet_cases", "story_cases"}):
        docket.update(request.getfixturevalue(name))
    return docket


@pytest.fixture(scope="session")
def report_on(docket: Docket, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> ReportOn:
    """The report on a system: of the real analysis of all that came to the docket since the last one, in one job."""
    reported: dict[str, Reported] = {}
    begun: set[str] = set()

    def report_on(name: str) -> Reported:
        if name not in reported:
            assert name not in begun, "the analysis of it failed in an earlier test of this run"
            new = {each: case for each, case in docket.items() if each not in reported}
            begun.update(new)
            folders = [str(folder) for case in new.values() for folder in case.folders]
            out = tmp_path_factory.mktemp("joint") / LIKE_A_PATTERN
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(summary, "INCIDENTS_KEPT", INCIDENTS_ON_THE_PAGE)
                report = job.analyze(spark, folders, out, since=SINCE, until=UNTIL)
            made = Reported(report, out, faults_of_whole(report, tuple(new.values())))
            reported.update(dict.fromkeys(new, made))
        assert reported[name].faults == []
        return reported[name]

    return report_on
