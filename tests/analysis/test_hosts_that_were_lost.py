"""Whose peers nobody tells of is found also while a host that was lost for good, with sockets open, tells nothing any more."""

from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_analysis.incidents.unknown_peers import told_by_both_ends
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ENDS = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("silent_for", "remote", "is_told"),
    [
        (10, "10.0.0.9:5555", True),
        (300, "10.0.0.9:5555", False),
        (3 * 24 * 3600, "10.0.0.9:5555", True),
        (3 * 24 * 3600, "10.0.0.2:5555", False),
        (3 * 24 * 3600, "127.0.0.1:5555", True),
    ],
)
def test_a_host_that_is_behind_is_waited_for_and_one_that_is_gone_is_not(
    spark: SparkSession, silent_for: int, remote: str, is_told: bool
) -> None:
    """A connection of a minute ago may be to a host that has told nothing for five; nor is it known whose it is to one that was given up."""
    silent_since = ENDS - timedelta(seconds=silent_for)
    sockets = spark.createDataFrame(
        [("pub", None, ENDS), ("elsewhere", None, silent_since), ("at home", None, silent_since)],
        "socket string, ended_at timestamp, heard_until timestamp",
    )
    connections = spark.createDataFrame(
        [
            ("pub", "connected", ENDS - timedelta(seconds=60), "10.0.0.1:40001", remote),
            ("elsewhere", "connected", silent_since, "10.0.0.2:40001", "10.0.0.1:5000"),
            ("at home", "connected", silent_since, "127.0.0.1:40001", "127.0.0.1:5000"),
        ],
        "socket string, action string, at timestamp, local string, remote string",
    )
    told = told_by_both_ends(connections, sockets, ENDS).where("socket = 'pub'").count()
    assert (told == 1) is is_told
