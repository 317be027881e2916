"""What the landed files do not tell, as they say themselves: faults, and events that nobody could read."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf


def faults(rows: DataFrame) -> DataFrame:
    """Faults of the instrumentation (socket known) and input that agents could not read: at, host, process, socket, text."""
    return rows.select("at", "host", "process", "socket", "text")


def lost_events(rows: DataFrame) -> DataFrame:
    """Processes some of whose events went before an agent read them: host, process, command, events."""
    return (
        rows.groupBy("process")
        .agg(
            sf.max("host").alias("host"),
            sf.max("command").alias("command"),
            sf.max("events_lost").alias("events"),
        )
        .where("events > 0")
        .select("host", "process", "command", "events")
    )
