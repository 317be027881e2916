"""What is told less surely of ways on which not everything is known: no cause, or none that is exact."""

from functools import reduce

from hopwatch_judge.socket_types import BALANCED_TYPES
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.accounts import IN_FLIGHT, UNEXPLAINED
from hopwatch_analysis.terms.keys import WAY


def without_causes(accounts: DataFrame, sockets: DataFrame, ways: DataFrame, senders: DataFrame) -> DataFrame:
    """What is missing is unexplained on these ways, of streams shared out to a receiver on such a way, and of ``senders`` (stream) with no
    receiver known. Of other receivers of the same streams no cause is exact: one receiver's gaps tell of another's, too.
    """
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    of_streams = ways.select("stream").distinct().join(shared_out, on="stream", how="left_semi")
    alone = senders.join(ways, on="stream", how="left_anti")
    streams = of_streams.unionByName(alone).withColumn("doubted_stream", sf.lit(True))
    unknown = sf.coalesce("doubted_way", "doubted_stream", sf.lit(False)) & (sf.col("cause") != IN_FLIGHT)
    return (
        accounts.join(ways.withColumn("doubted_way", sf.lit(True)), on=list(WAY), how="left")
        .join(streams, on="stream", how="left")
        .withColumns(
            {
                "cause": sf.when(unknown, UNEXPLAINED).otherwise(sf.col("cause")),
                "certainty": sf.when(unknown, "inferred").otherwise(sf.col("certainty")),
            }
        )
        .drop("doubted_way", "doubted_stream")
        .transform(lambda rows: with_none_exact(rows, ways.select("stream")))
    )


def with_none_exact(accounts: DataFrame, streams: DataFrame) -> DataFrame:
    """No cause is exact of what is missing of these streams (stream)."""
    unsure = streams.distinct().withColumn("unsure_stream", sf.lit(True))
    return (
        accounts.join(unsure, on="stream", how="left")
        .withColumn("certainty", sf.when(sf.col("unsure_stream"), "inferred").otherwise(sf.col("certainty")))
        .drop("unsure_stream")
    )


def parties(way_edges: DataFrame) -> DataFrame:
    """Every socket of every way: stream, receiver, socket, is_end (not a proxy's)."""
    ends = [
        way_edges.select(*WAY, sf.col(end).alias("socket"), (sf.col(whose) == sf.col(end)).alias("is_end"))
        for end, whose in (("from_socket", "stream"), ("to_socket", "receiver"))
    ]
    return reduce(DataFrame.unionByName, ends)


def with_ways_beside(ways: DataFrame, parties: DataFrame) -> DataFrame:
    """These ways, and those that share a proxy with them: its counts are held against all their streams."""
    of_proxies = parties.where("not is_end")
    proxies = of_proxies.join(ways.distinct(), on=list(WAY), how="left_semi").select("socket").distinct()
    beside = of_proxies.join(proxies, on="socket", how="left_semi").select(*WAY)
    return ways.unionByName(beside).distinct()


def untold(sockets: DataFrame, parties: DataFrame) -> DataFrame:
    """Sockets of which nothing is known but that others heard of them: socket."""
    return parties.select("socket").distinct().join(sockets.select("socket"), on="socket", how="left_anti")
