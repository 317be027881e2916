"""Whose connections were watched all the time, so that one which is not told to have gone down did not."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.lost_events import losing_processes, their_sockets
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.keys import EDGE

OWN_MONITOR = ("monitor_application", "monitor_stopped")
"""The application has, or had, a monitor of its own, or took ours away."""
NOT_WATCHED = "connections_not_watched"
"""The finding that says so of a socket."""


def unwatched_sockets(tables: Tables, sockets: DataFrame) -> DataFrame:
    """Sockets of which not all that became of their connections is told: socket."""
    without_monitor = tables["connection"].where(sf.col("action").isin(*OWN_MONITOR)).select("socket")
    found = tables["finding"].where(sf.col("rule") == NOT_WATCHED).select("socket")
    monitors_failed = tables["fault"].where("socket is null and text like 'monitor thread: %'")
    unwatched = without_monitor.unionByName(found)
    lost_some = losing_processes(tables["process"]).unionByName(monitors_failed.select("process"))
    processes = settle(lost_some.distinct())
    if not processes.isEmpty():
        unwatched = unwatched.unionByName(their_sockets(processes, sockets, tables["lane"]))
    return unwatched.distinct()


def with_watching(per_side: DataFrame, unwatched: DataFrame) -> DataFrame:
    """Adds ``watched``: whether the end of the edge that tells of it (``side``) was watched all the time."""
    end = sf.when(sf.col("side") == "from", sf.col("from_socket")).otherwise(sf.col("to_socket"))
    marked = unwatched.select(sf.col("socket").alias("end_of_side"), sf.lit(True).alias("missed_some"))
    return (
        per_side.withColumn("end_of_side", end)
        .join(sf.broadcast(marked), on="end_of_side", how="left")
        .withColumn("watched", sf.col("missed_some").isNull())
        .drop("end_of_side", "missed_some")
    )


def unwatched_links(edges: DataFrame, link_facts: DataFrame, unwatched: DataFrame) -> DataFrame:
    """Links that may have gone down though nobody says so: from_socket, to_socket, unwatched (true).

    Of those that events are known of, where neither end that tells of them was watched all the time; of the others, where one of the two
    ends was not. Within a process no connection goes down.
    """
    ends = edges.where("transport != 'inproc'").select(*EDGE).distinct()
    for side in EDGE:
        missed = unwatched.select(sf.col("socket").alias(side), sf.lit(True).alias(f"{side}_missed"))
        ends = ends.join(sf.broadcast(missed), on=side, how="left")
    one_missed = sf.coalesce("from_socket_missed", "to_socket_missed", sf.lit(False))
    return (
        ends.join(link_facts.select(*EDGE, "watched"), on=list(EDGE), how="left")
        .where(sf.coalesce(~sf.col("watched"), one_missed))
        .select(*EDGE, sf.lit(True).alias("unwatched"))
    )


def is_watched() -> Column:
    """Whether the link is none of the ``unwatched_links``."""
    return sf.col("unwatched").isNull()
