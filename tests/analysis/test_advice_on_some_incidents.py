"""What is advised on a hop does for all that was lost there, also where only the newest incidents are looked at."""

import pytest
from hopwatch_analysis.incidents.incidents import with_largest_burst_of_all
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

RUNS = ("from_node", "to_node", "cause", "session", "messages", "started_at", "ended_at")


@pytest.mark.parametrize("to_node", ["reader", None])
def test_the_largest_burst_is_that_of_all_incidents_of_hop_and_cause(
    spark: SparkSession, to_node: str | None
) -> None:
    def run(cause: str, session: int, messages: int) -> str:
        at = f"timestamp '2100-05-04 12:{session:02}:00'"
        name = "cast(null as string)" if to_node is None else f"'{to_node}'"
        return f"select 'pub', {name}, '{cause}', {session}, {messages}, {at}, {at}"

    rows = (run("hwm_too_low", 1, 1500), run("hwm_too_low", 2, 100), run("reconnect", 3, 9000))
    runs = spark.sql(" union all ".join(rows)).toDF(*RUNS)
    newest = runs.where("session = 2").select(
        "from_node", "to_node", "cause", "messages", runs["messages"].alias("largest_burst")
    )
    (found,) = with_largest_burst_of_all(newest, runs).collect()
    assert (found.largest_burst, found.messages) == (1500, 100)
