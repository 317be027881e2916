"""What a turn of the following job tells of runs of lost messages, and how it takes back what it told before."""

from collections import Counter
from datetime import datetime

import pytest
from hopwatch_analysis.following.told import NEVER, TOLD, Closing, News, news, sums
from landed_folder import at
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

RUN = (
    "stream string, from_socket string, to_socket string, from_node string, to_node string, lane long, mark string, cause string, session long, "
    "certainty string, messages long, started_at timestamp, ended_at timestamp"
)
Run = tuple[int, str, int, float]
"""Its incident, its certainty, how many messages, and when it was over."""


def lost(spark: SparkSession, *runs: Run, cause: str = "closed") -> DataFrame:
    hop = ("stream", "pub", "sub", "feed", "reader", 0)
    rows = [
        (*hop, f"until {ended}", cause, session, certainty, messages, at(ended - 1), at(ended))
        for session, certainty, messages, ended in runs
    ]
    return spark.createDataFrame(rows, RUN)


def closing(through: datetime, before: datetime = NEVER) -> Closing:
    return Closing(horizon=through, longest=1.0, told_through=before, tells_through=through)


def landed(found: News) -> Counter[str]:
    """The sum of what a turn lands, by certainty."""
    sums: Counter[str] = Counter()
    for rows in (found.fresh, found.corrections):
        for row in rows.collect():
            sums[row["certainty"]] += row["messages"]
    return sums


@pytest.mark.parametrize(
    ("later", "corrected"),
    [
        ([], {"inferred": -30}),
        ([(1, "exact", 20, 10.0), (1, "exact", 10, 12.0)], {"inferred": -30, "exact": 30}),
        ([(1, "exact", 20, 10.0)], {"inferred": -30, "exact": 20}),
        ([(1, "exact", 20, 10.0), (1, "inferred", 10, 12.0)], {}),
    ],
)
def test_what_changes_is_taken_back_with_the_certainty_that_landed(
    spark: SparkSession, later: list[Run], corrected: dict[str, int]
) -> None:
    mixed = lost(spark, (1, "exact", 20, 10.0), (1, "inferred", 10, 12.0))
    first = news(mixed, spark.createDataFrame([], TOLD), closing(at(20)))
    assert landed(first) == {"inferred": 30}

    second = news(lost(spark, *later), first.told, closing(at(30), before=at(20)))
    assert landed(second) == corrected


def test_what_is_seen_otherwise_from_elsewhere_is_not_told_again(spark: SparkSession) -> None:
    """One run ended before all is told, one later, and a third one has yet to be told."""
    runs: list[Run] = [(1, "inferred", 20, 10.0), (2, "inferred", 30, 18.0), (3, "inferred", 5, 25.0)]
    turn = Closing(horizon=at(20), longest=1.0, told_through=NEVER, tells_through=at(15))
    first = news(lost(spark, *runs), spark.createDataFrame([], TOLD), turn)
    assert landed(first) == {"inferred": 50}

    otherwise = lost(spark, *runs, cause="reconnect")
    told = sums(otherwise, first.told, first.early, turn.tells_through)
    second = news(otherwise, told, closing(at(30), before=at(15)))
    assert landed(second) == {"inferred": 5}


def test_an_incident_without_any_run_that_is_inferred_lands_as_exact(spark: SparkSession) -> None:
    two = lost(spark, (1, "exact", 20, 10.0), (1, "exact", 5, 12.0), (2, "inferred", 7, 15.0))
    assert landed(news(two, spark.createDataFrame([], TOLD), closing(at(20)))) == {"exact": 25, "inferred": 7}


def test_an_exact_part_that_landed_is_told_anew_once_its_incident_is_inferred(spark: SparkSession) -> None:
    part = (1, "exact", 20, 10.0)
    first = news(lost(spark, part), spark.createDataFrame([], TOLD), closing(at(11)))
    assert landed(first) == {"exact": 20}

    longer = lost(spark, part, (1, "inferred", 10, 15.0))
    second = news(longer, first.told, closing(at(20), before=at(11)))
    assert landed(second) == {"exact": -20, "inferred": 30}
