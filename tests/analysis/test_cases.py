"""Which streams are judged together, and what is told of them."""

from collections.abc import Iterable
from typing import get_type_hints

import pytest
from hopwatch_analysis.cases import judged as told_of
from hopwatch_analysis.cases.meeting import cases
from hopwatch_judge.beside import BeyondSent, UnknownFull
from hopwatch_judge.books import Delivered, Passed
from hopwatch_judge.steps import Account, Overload, Pressure
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def met(spark: SparkSession, streams: Iterable[str], hops: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return the case of each stream; ``hops`` are (stream, from_socket, to_socket)."""
    told = spark.createDataFrame([(stream,) for stream in streams], "stream string")
    edges = spark.createDataFrame(list(hops), "stream string, from_socket string, to_socket string")
    return {row["stream"]: row["case"] for row in cases(spark, told, edges).collect()}


def test_streams_that_end_at_one_receiver_are_one_case(spark: SparkSession) -> None:
    found = met(spark, "abc", [("a", "a", "y"), ("b", "b", "y"), ("c", "c", "z")])
    assert found == {"a": "a", "b": "a", "c": "c"}


def test_streams_that_pass_one_proxy_are_one_case_and_so_are_all_that_meet_those(spark: SparkSession) -> None:
    through = [
        (stream, *hop)
        for stream, receiver in (("a", "y"), ("b", "z"))
        for hop in ((stream, "front"), ("back", receiver))
    ]
    found = met(spark, "abcd", [*through, ("c", "c", "z"), ("d", "d", "w")])
    assert found == {"a": "a", "b": "a", "c": "a", "d": "d"}


def test_a_socket_that_receives_one_stream_and_sends_another_does_not_join_them(spark: SparkSession) -> None:
    found = met(spark, "ab", [("a", "a", "b"), ("b", "b", "c")])
    assert found == {"a": "a", "b": "b"}


def test_a_stream_that_nobody_gets_is_a_case_of_its_own(spark: SparkSession) -> None:
    assert met(spark, "a", []) == {"a": "a"}


@pytest.mark.parametrize(
    ("schema", "record", "others"),
    [
        (told_of.ACCOUNTS, Account, set()),
        (told_of.DELIVERED, Delivered, set()),
        (told_of.PASSED, Passed, set()),
        (told_of.BEYOND_SENT, BeyondSent, set()),
        (told_of.UNKNOWN_FULL, UnknownFull, set()),
        (told_of.OVERLOADS, Overload, {"stretch", "clearly"}),
        (told_of.PRESSURE, Pressure, {"began_at", "last_sent_at", "in_bursts", "most_of_the_time"}),
    ],
)
def test_what_the_judge_tells_is_read_by_its_own_names(
    spark: SparkSession, schema: str, record: type, others: set[str]
) -> None:
    """``others`` are told to nobody."""
    read = set(spark.createDataFrame([], schema).columns)
    keys = {"stream", "from_socket", "to_socket", "sent_on"} if record is Pressure else set()
    assert read - keys == get_type_hints(record).keys() - others
