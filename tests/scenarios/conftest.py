"""What every scenario needs: a system of its own, and one Spark session for the judgement of all."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hopwatch_analysis import job
from hopwatch_analysis.session import TINY_SETTINGS, spark_session
from judgement import (
    Losses,
    Way,
    assert_balanced,
    assert_everybody_known,
    assert_intended,
    reported_findings,
    true_findings,
)
from pyspark.sql import SparkSession
from system import BARE, System

Analyze = Callable[[Sequence[Path]], dict[str, Any]]
Judge = Callable[[Sequence[Way], Losses], dict[str, Any] | None]


@pytest.fixture
def system(tmp_path: Path) -> Iterator[System]:
    system = System(tmp_path)
    yield system
    system.reap()


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with spark_session("local[2]", lasting=True) as session:
        for name, value in TINY_SETTINGS.items():
            session.conf.set(name, value)
        yield session


@pytest.fixture
def analyze(request: pytest.FixtureRequest, tmp_path: Path) -> Analyze:
    """The real analysis of landed folders, in this process; the session is started when first needed."""

    def in_this_process(folders: Sequence[Path]) -> dict[str, Any]:
        session = request.getfixturevalue("spark")
        report: dict[str, Any] = job.analyze(
            session, [str(folder) for folder in folders], tmp_path / "report"
        )
        return report

    return in_this_process


@pytest.fixture
def judge(system: System, analyze: Analyze) -> Judge:
    """Ends the agents, analyses what they landed and holds the report against the truth.

    With SCENARIO_BARE=1 the programs ran unwrapped: then only the intended losses are shown to have happened.
    """

    def conclude(ways: Sequence[Way], losses: Losses) -> dict[str, Any] | None:
        folders = system.landed_folders()
        truth = system.truth()
        print(f"sent: {truth.sent}; lost: {dict(losses)}")
        assert all(lost > 0 for lost in losses.values()), (
            f"the scenario lost nothing where it should: {losses}"
        )
        assert_intended(truth, ways, losses)
        if BARE:
            return None
        report = analyze(folders)
        assert_balanced(report)
        assert_everybody_known(report)
        assert reported_findings(report) == true_findings(truth, ways, losses)
        return report

    return conclude
