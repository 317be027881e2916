"""One report on many systems, those that were recorded or simulated and those that have just been played: an analysis of all takes little longer than that
of one.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import recordings
import small_fleets
from docket import Case, assert_whole
from hopwatch_analysis import job
from pyspark.sql import SparkSession

Docket = dict[str, Case]
"""The systems to be judged, by the id of the test that played each, or the name of its recording or fleet."""


@dataclass(frozen=True)
class Reported:
    """The report on many systems, and the folder that it and its tables are in."""

    report: dict[str, Any]
    out: Path
    cases: Sequence[Case]


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
def whole_docket(request: pytest.FixtureRequest, docket: Docket) -> Docket:
    """The docket with all systems that need not be played and of which this run has tests: one report is on all of them."""
    asked_for = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    for name in asked_for & {"recorded_cases", "fleet_cases"}:
        docket.update(request.getfixturevalue(name))
    return docket


@pytest.fixture(scope="session")
def report_on(docket: Docket, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> ReportOn:
    """The report on a system: of the real analysis of all that came to the docket since the last one, in one job."""
    reported: dict[str, Reported] = {}

    def report_on(name: str) -> Reported:
        if name not in reported:
            new = {each: case for each, case in docket.items() if each not in reported}
            folders = [str(folder) for case in new.values() for folder in case.folders]
            out = tmp_path_factory.mktemp("joint")
            made = Reported(job.analyze(spark, folders, out), out, tuple(new.values()))
            reported.update(dict.fromkeys(new, made))
        assert_whole(reported[name].report, reported[name].cases)
        return reported[name]

    return report_on
