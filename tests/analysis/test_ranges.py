import pytest
from hopwatch_analysis.terms.ranges import holding
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_each_point_is_found_with_every_range_that_holds_it(spark: SparkSession) -> None:
    lengths = (0, 1, 6, 63, 64, 1500)
    starts = [number * 733 % 5000 for number in range(40)]
    ranges = [("ab"[start % 2], start, start + lengths[start % 6]) for start in starts]
    ranges += [("a", 0, 2**62), ("b", 127, 128)]
    points = [("abc"[number % 3], number * 37 % 6000) for number in range(200)] + [("a", 2**62)]
    found = holding(
        spark.createDataFrame(ranges, "key string, first bigint, last bigint"),
        spark.createDataFrame(points, "key string, number bigint"),
        ["key"],
        "number",
    ).collect()
    assert sorted((row["key"], row["number"], row["first"], row["last"]) for row in found) == sorted(
        (key, number, first, last)
        for key, number in points
        for of, first, last in ranges
        if key == of and first <= number <= last
    )
