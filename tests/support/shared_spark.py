"""The Spark session that all tests of a process share: a second one would stop the first."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hopwatch_analysis.spark.session import spark_session, suited_to
from pyspark.sql import SparkSession

FEW_ANALYSES = (
    "-XX:+UseSerialGC",
    "-XX:Tier4InvocationThreshold=30000",
    "-XX:Tier4MinInvocationThreshold=5000",
    "-XX:Tier4CompileThreshold=90000",
    "-XX:Tier4BackEdgeThreshold=240000",
)
"""Java compiles a method with its slower compiler after six times as many calls as usual. With the usual thresholds, compiling took as much of the processors
as all the rest of the first ten analyses; without that compiler, each analysis takes half as long again.
"""


def use(config: pytest.Config) -> None:
    """Register the ``spark`` fixture once, whichever conftest modules ask for it."""
    if not config.pluginmanager.has_plugin(__name__):
        config.pluginmanager.register(sys.modules[__name__], __name__)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One small session for all tests; few tasks and no generated code, since the frames are tiny."""
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPARK_DRIVER_MEMORY", "1g")  # one that may become large takes half of the machine
            patch.setenv("SPARK_SUBMIT_OPTS", " ".join(FEW_ANALYSES))
            session = stack.enter_context(spark_session("local[2]", lasting=True))
        stack.enter_context(suited_to(session, rows=0))
        yield session
