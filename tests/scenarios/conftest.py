"""What every scenario needs: a system of its own, and one Spark session for the judgement of all."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from judgement import Losses, Way, assert_intended, assert_report_is_true
from system import BARE, System

Judge = Callable[[Sequence[Way], Losses], dict[str, Any] | None]


@pytest.fixture
def system(tmp_path: Path) -> Iterator[System]:
    system = System(tmp_path)
    yield system
    system.reap()


@pytest.fixture(scope="session")
def spark_session() -> Iterator[Any]:
    from hopwatch_analysis.session import open_session

    with open_session("local[2]") as session:
        yield session


@pytest.fixture
def analyze(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[list[Path]], dict[str, Any]]:
    """The real analysis of landed folders, in this process."""

    def run(folders: list[Path]) -> dict[str, Any]:
        from hopwatch_analysis.pipeline import analyze as run_analysis

        out = tmp_path / "report"
        run_analysis(request.getfixturevalue("spark_session"), [str(folder) for folder in folders], out)
        return json.loads((out / "report.json").read_text())

    return run


@pytest.fixture
def judge(system: System, analyze: Callable[[list[Path]], dict[str, Any]]) -> Judge:
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
        assert_report_is_true(report, truth, ways, losses)
        return report

    return conclude
