"""Which bucket of the timeline a moment falls into."""

from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_analysis.incidents.timeline import OUTSIDE, bucket_of
from hopwatch_analysis.terms.buckets import buckets_of
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

pytestmark = pytest.mark.spark

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)
BUCKETS = buckets_of(NOON, NOON + timedelta(seconds=100))


def test_a_moment_that_is_not_known_or_too_early_is_in_no_bucket_and_a_late_one_in_the_last(
    spark: SparkSession,
) -> None:
    seconds = {None: OUTSIDE, -0.1: OUTSIDE, 0.0: 0, 1.9: 0, 2.0: 1, 100.0: 50, 300.0: 50}
    moments = [(None if at is None else NOON + timedelta(seconds=at),) for at in seconds]
    rows = spark.createDataFrame(moments, schema="at timestamp").select(bucket_of(sf.col("at"), BUCKETS))
    assert BUCKETS.seconds == 2
    assert [row[0] for row in rows.collect()] == list(seconds.values())
