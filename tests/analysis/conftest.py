import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hopwatch_analysis.gateway import remember_classes
from hopwatch_analysis.session import QUICK_START, TINY_SETTINGS
from landed_folder import LandedFolder
from pyspark.sql import SparkSession

LONGEST_FIRST = (
    "test_following_command",
    "test_following",
    "test_cluster",
    "test_landed_elsewhere",
    "test_command",
    "test_simulated_fleets",
    "test_whole_reports",
)
"""Files of which one would keep a worker when the others have nothing left to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One small session for all tests; few tasks and no generated code, since the frames are tiny."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .appName("hopwatch tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.default.parallelism", "1")
        .config(map=TINY_SETTINGS)
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.ui.explainMode", "simple")
        .config("spark.driver.extraJavaOptions", " ".join(QUICK_START))
        .config("spark.log.level", "ERROR")
        .config("spark.python.sql.dataFrameDebugging.enabled", "false")
        .config("spark.sql.dataFrameQueryContext.enabled", "false")
        .getOrCreate()
    )
    remember_classes(session)
    yield session
    session.stop()


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
