"""Sockets with a peer that nobody tells of: it is not instrumented, or no agent reads what it writes."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import seconds

PROBES_LAST = 1
"""Seconds: a connection that was over sooner was a probe of the port."""


def with_strangers(connections: DataFrame, mirrored: DataFrame, links: DataFrame) -> DataFrame:
    """Sockets (socket) with more connections of which the other end is not known than peers whose connections are not: those may be at the
    other end of any of them.
    """
    ended = connections.where("action = 'disconnected'").select(
        "socket", "connection", sf.col("at").alias("ended_at")
    )
    brief = sf.coalesce(seconds(sf.col("ended_at"), sf.col("at")) < PROBES_LAST, sf.lit(False))
    alone = (
        connections.where("action = 'connected' and local is not null and remote is not null")
        .join(mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti")
        .join(ended, on=["socket", "connection"], how="left")
        .where(~brief)
        .groupBy("socket")
        .agg(sf.count("*").alias("alone"))
    )
    ends = sf.explode(sf.array("from_socket", "to_socket")).alias("socket")
    unseen = (
        links.where("not mirrored")
        .select(ends, sf.concat_ws(" ", "from_socket", "to_socket").alias("link"))
        .groupBy("socket")
        .agg(sf.count_distinct("link").alias("unseen"))
    )
    return (
        alone.join(unseen, on="socket", how="left")
        .fillna(0, ["unseen"])
        .where("alone > unseen")
        .select("socket")
    )
