"""What the landed files do not tell, as they say themselves: faults, events that nobody could read, and what has not landed yet."""

from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds

BEHIND_AFTER = 30
"""Seconds: an agent lands what there is every 5 seconds, and something of each process that lives every 10, if it is not told otherwise."""


def faults(rows: DataFrame) -> DataFrame:
    """Faults of the instrumentation (socket known) and input that agents could not read: at, host, process, socket, text."""
    return rows.select("at", "host", "process", "socket", "text")


def lost_events(rows: DataFrame, faults: DataFrame) -> DataFrame:
    """Processes some of whose events no agent has: host, process, command, events, and how many of those were there, and
    could not be read (unreadable); the others went before.
    """
    return (
        rows.groupBy("process")
        .agg(
            sf.max("host").alias("host"),
            sf.max("command").alias("command"),
            sf.max("events_lost").alias("events"),
        )
        .where("events > 0")
        .join(_unreadable(faults), on="process", how="left")
        .withColumn("unreadable", sf.least("events", sf.coalesce("unreadable", sf.lit(0))))
        .select("host", "process", "command", "events", "unreadable")
    )


def hosts_behind(sockets: DataFrame, ends_at: datetime) -> DataFrame:
    """Hosts with open sockets that are known until long before the newest moment only: host, heard_until, seconds."""
    behind_by = seconds(sf.lit(ends_at), sf.col("heard_until"))
    return (
        sockets.groupBy("host")
        .agg(sf.min("heard_until").alias("heard_until"))
        .withColumn("seconds", behind_by.cast("double"))
        .where(sf.col("seconds") >= BEHIND_AFTER)
    )


def _unreadable(faults: DataFrame) -> DataFrame:
    """Lines of journals that agents refused, by the words in which they say so: process, unreadable."""
    one = sf.col("text").rlike(r"\.events, byte \d+: ").cast("bigint")
    more = sf.regexp_extract("text", r"\.events: and (\d+) more unreadable lines", 1).try_cast("bigint")
    return faults.groupBy("process").agg(sf.sum(one + sf.coalesce(more, sf.lit(0))).alias("unreadable"))
