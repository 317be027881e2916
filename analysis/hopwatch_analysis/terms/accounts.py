"""Accounts: one row for each run of messages that one receiver did not get, with its hop and its cause.

The ledger, the hops and the incidents are all sums over these rows. ``mark`` tells the runs of one hop apart,
and is the same for all receivers behind a hop that lost the run for all of them.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

IN_FLIGHT, UNEXPLAINED = "in_flight", "unexplained"
"""What stands for a cause where nothing is known to be lost."""


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
