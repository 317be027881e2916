"""Losses that rest on hosts of which a file could not be read: what it told of messages that came, or of ends, is not known."""

from collections.abc import Collection
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.nodes import BALANCED_TYPES
from hopwatch_analysis.reasons import IN_FLIGHT, UNEXPLAINED

WAY = ("stream", "receiver")


def without_causes(
    accounts: DataFrame, sockets: DataFrame, way_edges: DataFrame, hosts: Collection[str]
) -> DataFrame:
    """What is missing is unexplained on ways with a socket on one of these hosts, on those that share a proxy with them (its counts
    are held against all their streams), and of streams shared out to a receiver on such a way.
    """
    if not hosts:
        return accounts
    there = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket")
    parties = _parties(way_edges)
    hit = parties.join(sf.broadcast(there), on="socket", how="left_semi").select(*WAY)
    of_proxies = parties.where("not is_end")
    proxies = of_proxies.join(hit.distinct(), on=list(WAY), how="left_semi").select("socket").distinct()
    beside = of_proxies.join(proxies, on="socket", how="left_semi").select(*WAY)
    ways = hit.unionByName(beside).distinct()
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    streams = ways.select("stream").distinct().join(shared_out, on="stream", how="left_semi")
    yes = sf.lit(True)
    unknown = sf.coalesce("doubted_way", "doubted_stream", sf.lit(False)) & (sf.col("cause") != IN_FLIGHT)
    return (
        accounts.join(sf.broadcast(ways.withColumn("doubted_way", yes)), on=list(WAY), how="left")
        .join(sf.broadcast(streams.withColumn("doubted_stream", yes)), on="stream", how="left")
        .withColumns(
            {
                "cause": sf.when(unknown, UNEXPLAINED).otherwise(sf.col("cause")),
                "certainty": sf.when(unknown, "inferred").otherwise(sf.col("certainty")),
            }
        )
        .drop("doubted_way", "doubted_stream")
    )


def with_reason(rows: DataFrame, sockets: DataFrame, hosts: Collection[str]) -> DataFrame:
    """What is not checked (stream, receiver, reason) has that for its reason where one of its ends is on one of these hosts."""
    if not hosts:
        return rows
    there = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket", sf.lit(True).alias("there"))
    for end in WAY:
        rows = rows.join(sf.broadcast(there.toDF(end, f"{end}_there")), on=end, how="left")
    reason = sf.when(sf.coalesce("stream_there", "receiver_there"), "unreadable").otherwise(sf.col("reason"))
    return rows.withColumn("reason", reason).drop("stream_there", "receiver_there")


def _parties(way_edges: DataFrame) -> DataFrame:
    """Every socket of every way: stream, receiver, socket, is_end (not a proxy's)."""
    ends = [
        way_edges.select(*WAY, sf.col(end).alias("socket"), (sf.col(whose) == sf.col(end)).alias("is_end"))
        for end, whose in (("from_socket", "stream"), ("to_socket", "receiver"))
    ]
    return reduce(DataFrame.unionByName, ends)
