from pathlib import Path
from typing import Any

import pytest
import shared_spark
from hopwatch_analysis.job import analyze
from judgement import assert_balanced
from landed_folder import LandedFolder
from pyspark.sql import SparkSession
from report_shape import fractions, misshapen, nonsense

HERE = Path(__file__).parent
pytest_configure = shared_spark.use


@pytest.fixture(scope="session")
def joint_report(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """One analysis of the STORIES of all modules that ask for it and are run: each tells of sockets of its own, of two minutes."""
    here = (item for item in request.session.items if item.path.parent == HERE)
    asking = (item for item in here if "joint_report" in item.fixturenames)
    story = LandedFolder()
    for module in dict.fromkeys(item.module for item in asking):
        for tell in module.STORIES:
            tell(story)
    story.socket("clock", "PAIR", opened=120)
    folder = tmp_path_factory.mktemp("joint")
    report: dict[str, Any] = analyze(spark, [str(story.write(folder / "landed"))], folder / "out")
    assert_balanced(report)
    assert misshapen(report) + fractions(report) + nonsense(report) == []
    assert report["contradictions"] == []  # two modules that call a socket the same
    return report


@pytest.fixture
def landed(tmp_path: Path) -> Path:
    """A stream of 100 messages, the last ten of which its receiver did not get."""
    story = LandedFolder()
    story.socket("quotes", "PUB", closed=50)
    story.socket("reader", "SUB", closed=60)
    story.subscribe("reader", "")
    story.link("quotes", "reader")
    story.sent("quotes", 100, 40)
    story.got("reader", "quotes", 90, 0, 89, 45)
    return story.write(tmp_path / "landed")
