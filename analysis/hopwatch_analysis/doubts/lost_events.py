"""Processes some of whose events no agent has: an end, a disconnection or a full pipe may be among those."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf


def losing_processes(rows: DataFrame) -> DataFrame:
    """Those processes: process."""
    return rows.where("events_lost > 0 and process is not null").select("process").distinct()


def their_sockets(processes: DataFrame, sockets: DataFrame, lane_rows: DataFrame) -> DataFrame:
    """Their sockets, also those whose opening is among what was lost: socket."""
    known = sockets.select("socket", "process").unionByName(lane_rows.select("socket", "process"))
    return known.join(sf.broadcast(processes), on="process", how="left_semi").select("socket").distinct()
