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
    are held against all their streams), of streams shared out to a receiver on such a way, and of senders there with no receiver known.
    Of other receivers of the same streams no cause is exact: one receiver's gaps tell of another's, too.
    """
    if not hosts:
        return accounts
    parties = _parties(way_edges)
    there = _there(sockets, parties, hosts)
    hit = parties.join(sf.broadcast(there), on="socket", how="left_semi").select(*WAY)
    of_proxies = parties.where("not is_end")
    proxies = of_proxies.join(hit.distinct(), on=list(WAY), how="left_semi").select("socket").distinct()
    beside = of_proxies.join(proxies, on="socket", how="left_semi").select(*WAY)
    ways = hit.unionByName(beside).distinct()
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    of_streams = ways.select("stream").distinct().join(shared_out, on="stream", how="left_semi")
    alone = there.select(sf.col("socket").alias("stream")).join(ways, on="stream", how="left_anti")
    streams = of_streams.unionByName(alone).withColumn("doubted_stream", sf.lit(True))
    beside_one = ways.select("stream").distinct().withColumn("beside_one", sf.lit(True))
    unknown = sf.coalesce("doubted_way", "doubted_stream", sf.lit(False)) & (sf.col("cause") != IN_FLIGHT)
    unsure = unknown | sf.coalesce("beside_one", sf.lit(False))
    return (
        accounts.join(ways.withColumn("doubted_way", sf.lit(True)), on=list(WAY), how="left")
        .join(streams, on="stream", how="left")
        .join(beside_one, on="stream", how="left")
        .withColumns(
            {
                "cause": sf.when(unknown, UNEXPLAINED).otherwise(sf.col("cause")),
                "certainty": sf.when(unsure, "inferred").otherwise(sf.col("certainty")),
            }
        )
        .drop("doubted_way", "doubted_stream", "beside_one")
    )


def _there(sockets: DataFrame, parties: DataFrame, hosts: Collection[str]) -> DataFrame:
    """The sockets of these hosts, and those of which nothing is known but that others heard of them: socket."""
    on_them = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket")
    untold = parties.select("socket").distinct().join(sockets.select("socket"), on="socket", how="left_anti")
    return on_them.unionByName(untold)


def with_reason(rows: DataFrame, sockets: DataFrame, hosts: Collection[str]) -> DataFrame:
    """What is not checked (stream, receiver, reason, agree) has that for its reason where one of its ends is on one of these hosts, and
    the counts do not agree.
    """
    if not hosts:
        return rows
    there = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket", sf.lit(True).alias("there"))
    for end in WAY:
        rows = rows.join(sf.broadcast(there.toDF(end, f"{end}_there")), on=end, how="left")
    doubted = sf.coalesce("stream_there", "receiver_there") & ~sf.col("agree")
    reason = sf.when(doubted, "unreadable").otherwise(sf.col("reason"))
    return rows.withColumn("reason", reason).drop("stream_there", "receiver_there")


def _parties(way_edges: DataFrame) -> DataFrame:
    """Every socket of every way: stream, receiver, socket, is_end (not a proxy's)."""
    ends = [
        way_edges.select(*WAY, sf.col(end).alias("socket"), (sf.col(whose) == sf.col(end)).alias("is_end"))
        for end, whose in (("from_socket", "stream"), ("to_socket", "receiver"))
    ]
    return reduce(DataFrame.unionByName, ends)
