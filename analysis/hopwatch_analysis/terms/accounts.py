"""Accounts: one row for each run of messages that one receiver did not get, with its hop and its cause.

The ledger, the hops and the incidents are all sums over these rows. ``mark`` tells the runs of one hop apart,
and is the same for all receivers behind a hop that lost the run for all of them.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

IN_FLIGHT, UNEXPLAINED = "in_flight", "unexplained"
"""What stands for a cause where nothing is known to be lost."""

COLUMNS = (
    "stream",
    "receiver",
    "lane",
    "mark",
    "messages",
    "depth",
    "from_socket",
    "to_socket",
    "cause",
    "certainty",
    "started_at",
    "ended_at",
    "at_onset",
)


def range_accounts(pieces: DataFrame, losses: DataFrame) -> DataFrame:
    """Accounts of the ranges that receivers miss."""
    shared = losses.select(
        "stream",
        "lane",
        "from_socket",
        "to_socket",
        "hop_known",
        "whole_first",
        "first",
        "last",
        "cause",
        "certainty",
        "started_at",
        "ended_at",
        sf.col("begins_at_onset").alias("at_onset"),
    )
    misses = pieces.select(
        "stream",
        "receiver",
        "lane",
        "depth",
        "from_socket",
        "to_socket",
        "hop_known",
        sf.col("first").alias("whole_first"),
    )
    keys = ["stream", "lane", "from_socket", "to_socket", "hop_known", "whole_first"]
    return (
        misses.join(shared, on=keys, how="inner")
        .withColumn("messages", sf.col("last") - sf.col("first") + 1)
        .withColumn("mark", sf.concat_ws("-", sf.col("first").cast("string"), sf.col("last").cast("string")))
        .select(*COLUMNS)
    )


def unlocated_accounts(unlocated: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Accounts of numbers that are missing, and nothing tells which they are: stream, receiver, lane, messages, cause."""
    last_edges = way_edges.where("depth = length").select(
        "stream", "receiver", "depth", "from_socket", "to_socket"
    )
    return (
        unlocated.join(last_edges, on=["stream", "receiver"], how="inner")
        .withColumns({"mark": sf.col("receiver"), "certainty": sf.lit("inferred")})
        .withColumns(_no_times())
        .select(*COLUMNS)
    )


def by_hop(accounts: DataFrame) -> DataFrame:
    """Each run of messages once on its hop, however many receivers miss it."""
    once = ["stream", "lane", "mark", "from_socket", "to_socket", "cause", "certainty", "messages"]
    return accounts.groupBy(*once).agg(
        sf.min("started_at").alias("started_at"),
        sf.max("ended_at").alias("ended_at"),
        sf.max("at_onset").alias("at_onset"),
        sf.min("depth").alias("depth"),
    )


def is_lost() -> Column:
    return ~sf.col("cause").isin("in_flight", "unexplained")


def totals() -> list[Column]:
    """Sums of messages by the terms of the ledger: lost, in_flight, unexplained."""

    def total(condition: Column, name: str) -> Column:
        return sf.coalesce(sf.sum(sf.when(condition, sf.col("messages"))), sf.lit(0)).alias(name)

    return [
        total(is_lost(), "lost"),
        total(sf.col("cause") == "in_flight", "in_flight"),
        total(sf.col("cause") == "unexplained", "unexplained"),
    ]


def _no_times() -> dict[str, Column]:
    no_time = sf.lit(None).cast("timestamp")
    return {"started_at": no_time, "ended_at": no_time, "at_onset": sf.lit(False)}
