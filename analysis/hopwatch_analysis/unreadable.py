"""Losses that rest on hosts of which a file could not be read: what it told of messages that came, or of ends, is not known."""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.nodes import BALANCED_TYPES
from hopwatch_analysis.reasons import IN_FLIGHT, UNEXPLAINED


def without_causes(
    accounts: DataFrame, sockets: DataFrame, way_edges: DataFrame, hosts: Collection[str]
) -> DataFrame:
    """Accounts of hops with an end on one of these hosts, of streams from there, and of streams shared out among receivers of which
    one is there: what is missing is unexplained.
    """
    if not hosts:
        return accounts
    there = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket", sf.lit(True).alias("doubted"))
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    with_one_there = (
        way_edges.join(shared_out, on="stream", how="left_semi")
        .join(there.select(sf.col("socket").alias("receiver")), on="receiver", how="left_semi")
        .select(sf.col("stream").alias("socket"), sf.lit(True).alias("doubted"))
    )
    streams = there.unionByName(with_one_there).distinct()
    doubted: Column = sf.lit(False)
    for end, named in (("stream", streams), ("from_socket", there), ("to_socket", there)):
        of_end = named.toDF(end, f"doubted_{end}")
        accounts = accounts.join(sf.broadcast(of_end), on=end, how="left")
        doubted = doubted | sf.coalesce(f"doubted_{end}", sf.lit(False))
    unknown = doubted & (sf.col("cause") != IN_FLIGHT)
    return accounts.withColumns(
        {
            "cause": sf.when(unknown, UNEXPLAINED).otherwise(sf.col("cause")),
            "certainty": sf.when(unknown, "inferred").otherwise(sf.col("certainty")),
        }
    ).drop(*[f"doubted_{end}" for end in ("stream", "from_socket", "to_socket")])
