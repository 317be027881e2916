from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_analysis.terms.numbered_by_then import numbered_behind, numbered_by_then
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
NOON = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)


def after(microseconds: int) -> datetime:
    return NOON + timedelta(microseconds=microseconds)


SAMPLES = [
    ("ab"[number % 2], number % 3, after(number * 370_003 % 7_000_000), number * 7 % 50)
    for number in range(120)
]
MOMENTS = [
    ("abc"[number % 3], number % 3, after(number * 511_111 % 9_000_000 - 500_000)) for number in range(60)
] + [(stream, lane, at) for stream, lane, at, _ in SAMPLES[:20]]
Found = dict[tuple[str, int, datetime], int | None]


def found(spark: SparkSession, numbered: Callable[[DataFrame, DataFrame], DataFrame]) -> Found:
    rows = numbered(
        spark.createDataFrame([*MOMENTS, ("a", 0, None)], "stream string, lane bigint, moment timestamp"),
        spark.createDataFrame(SAMPLES, "stream string, lane bigint, at timestamp, count bigint"),
    ).collect()
    told = {
        (row["stream"], row["lane"], row["moment"].astimezone(timezone.utc)): row["count"] for row in rows
    }
    assert len(rows) == len(told), "a moment is told of once"
    return told


def counts(stream: str, lane: int, tells: Callable[[datetime], bool]) -> list[int]:
    return [count for of, number, at, count in SAMPLES if (of, number) == (stream, lane) and tells(at)]


def test_it_is_the_most_that_any_sample_until_then_says(spark: SparkSession) -> None:
    assert found(spark, numbered_by_then) == {
        (stream, lane, moment): max(counts(stream, lane, lambda at, until=moment: at <= until), default=None)
        for stream, lane, moment in MOMENTS
    }


def test_behind_it_is_the_least_that_any_later_sample_says(spark: SparkSession) -> None:
    assert found(spark, numbered_behind) == {
        (stream, lane, moment): min(counts(stream, lane, lambda at, since=moment: at > since), default=None)
        for stream, lane, moment in MOMENTS
    }
