"""Clocks of hosts that differ by seconds: measured by the connections between them, and all times told by one."""

from pathlib import Path

import pytest
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.files.reading import load
from hopwatch_analysis.links.clocks import Difference, ahead_by, differences
from landed_folder import LandedFolder
from pyspark.sql import SparkSession


def test_the_clock_that_differs_from_most_is_the_one_that_is_wrong() -> None:
    told = [Difference("a", "b", 0.01, 3), Difference("b", "c", -2.5, 1), Difference("a", "d", 0.02, 1)]
    assert ahead_by(told) == {"c": pytest.approx(2.5, abs=0.03)}


def test_hosts_are_compared_by_way_of_others() -> None:
    told = [Difference("a", "b", -4.0, 1), Difference("b", "c", 4.0, 1), Difference("c", "d", 0.0, 1)]
    assert ahead_by(told) == {"b": pytest.approx(4.0)}


def test_a_difference_that_the_ends_own_delays_would_explain_is_none() -> None:
    assert ahead_by([Difference("a", "b", 0.2, 5)]) == {}


def test_hosts_that_nothing_connects_are_not_compared() -> None:
    told = [Difference("a", "b", 0.0, 1), Difference("x", "y", 3.0, 1)]
    assert set(ahead_by(told)) == {"x"}


@pytest.mark.spark
def test_a_connection_to_a_translated_address_compares_clocks_by_its_callers_address(
    spark: SparkSession, tmp_path: Path
) -> None:
    story = LandedFolder()
    story.socket("quotes", "PUB", host="a")
    story.socket("reader", "SUB", host="b")
    calls = {"local": "10.0.0.9:40000", "remote": "10.96.0.1:80"}
    story.one_end("reader", 5.0, **calls, endpoint="tcp://10.96.0.1:80", accepted=False)
    is_called = {"local": "10.0.0.1:5555", "remote": "10.0.0.9:40000"}
    story.one_end("quotes", 1.0, **is_called, endpoint="tcp://10.0.0.1:5555", accepted=True)
    landed = find_landed([str(story.write(tmp_path / "landed"))])
    assert differences(load(spark, landed)[1]) == [Difference("a", "b", -4.0, 1)]
