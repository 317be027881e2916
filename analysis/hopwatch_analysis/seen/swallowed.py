"""What ROUTERs swallowed, and whom it was for."""

from hopwatch_judge.incident import PEERS_KEPT
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

NO_SOCKET = ""
"""Stands for the receiving socket of messages whose peer was not there."""


def swallowed_ranges(rows: DataFrame, samples: DataFrame) -> DataFrame:
    """One row a run: stream, lane (null where messages are not stamped), first, last (lane numbers, else numbers of the
    stream, of which only their count is meant), at.

    A run is told of when it is over, which may be as late as when the socket closes. So ``at`` is no later than the sample which first
    had counted all.
    """
    first = sf.coalesce("lane_number", "number")
    return (
        rows.join(sf.broadcast(_all_counted(samples)), on="socket", how="left")
        .select(
            sf.col("socket").alias("stream"),
            "lane",
            first.alias("first"),
            (first + sf.col("messages") - 1).alias("last"),
            sf.least("at", "all_counted_at").alias("at"),
        )
        .distinct()
    )


def peers(rows: DataFrame) -> DataFrame:
    """Whom the swallowed messages of a lane (null: those without one) were for, and why they went nowhere: stream, lane, peers (hex), reasons."""
    return rows.groupBy(sf.col("socket").alias("stream"), "lane").agg(
        sf.slice(sf.sort_array(sf.collect_set("peer")), 1, PEERS_KEPT).alias("peers"),
        sf.sort_array(sf.collect_set("reason")).alias("reasons"),
    )


def with_peers(lost_runs: DataFrame, peers: DataFrame) -> DataFrame:
    """Adds ``peers`` and ``reasons`` to the runs that were swallowed."""
    of = peers.withColumnsRenamed({"stream": "stream_of_peers", "lane": "lane_of_peers"})
    is_theirs = (
        (sf.col("stream") == sf.col("stream_of_peers"))
        & sf.col("lane").eqNullSafe(sf.col("lane_of_peers"))
        & (sf.col("cause") == "unroutable")
    )
    return lost_runs.join(of, on=is_theirs, how="left").drop("stream_of_peers", "lane_of_peers")


def _all_counted(samples: DataFrame) -> DataFrame:
    """When the first sample was taken that has counted all that a socket swallowed: socket, all_counted_at."""
    counted = samples.where("unroutable > 0").groupBy("socket", "unroutable").agg(sf.min("at").alias("at"))
    return counted.groupBy("socket").agg(sf.max_by("at", "unroutable").alias("all_counted_at"))
