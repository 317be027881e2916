from pathlib import Path
from typing import Any

import joint_docket
import pytest
import shared_spark
from hopwatch_analysis.incidents import timeline
from hopwatch_analysis.job import analyze
from hopwatch_analysis.report import summary
from judgement import assert_balanced
from landed_folder import LandedFolder
from pyspark.sql import SparkSession
from report_shape import fractions, misshapen, nonsense

HERE = Path(__file__).parent
INCIDENTS_ON_THE_PAGE = 1
"""So few that even the stories of one module have more."""
HOPS_IN_THE_TIMELINE = 330
"""Nearly all that lose something."""


def pytest_configure(config: pytest.Config) -> None:
    shared_spark.use(config)
    joint_docket.use(config)


@pytest.fixture(scope="session")
def joint_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with "landed" and "out" of the joint report, of a name that Spark would take for a pattern."""
    return tmp_path_factory.mktemp("joint") / "x[1]{a,b}*?"


@pytest.fixture(scope="session")
def joint_report(request: pytest.FixtureRequest, spark: SparkSession, joint_folder: Path) -> dict[str, Any]:
    """One analysis of the STORIES of all modules that ask for it and are run: each tells of sockets of its own, of two minutes."""
    here = (item for item in request.session.items if item.path.parent == HERE)
    asking = (item for item in here if "joint_report" in item.fixturenames)
    story = LandedFolder()
    for module in dict.fromkeys(item.module for item in asking):
        for tell in module.STORIES:
            tell(story)
    story.socket("clock", "PAIR", opened=120)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "INCIDENTS_KEPT", INCIDENTS_ON_THE_PAGE)
        patch.setattr(timeline, "HOPS_SHOWN", HOPS_IN_THE_TIMELINE)
        landed = story.write(joint_folder / "landed")
        report: dict[str, Any] = analyze(spark, [str(landed)], joint_folder / "out")
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
