"""What is told of recorded systems needs Spark, and the report that they have in common."""

import joint_docket
import pytest
import shared_spark


def pytest_configure(config: pytest.Config) -> None:
    shared_spark.use(config)
    joint_docket.use(config)
