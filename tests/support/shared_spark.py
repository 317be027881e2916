"""The Spark session that all tests of a process share: a second one would stop the first."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hopwatch_analysis.spark.session import spark_session, suited_to
from pyspark.sql import SparkSession


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
            session = stack.enter_context(spark_session("local[2]", lasting=True))
        stack.enter_context(suited_to(session, rows=0))
        yield session
