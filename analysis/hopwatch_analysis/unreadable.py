"""Losses that rest on hosts of which a file could not be read: what it told of messages that came, or of ends, is not known."""

from collections.abc import Collection

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.reasons import IN_FLIGHT, UNEXPLAINED


def without_causes(accounts: DataFrame, sockets: DataFrame, hosts: Collection[str]) -> DataFrame:
    """Accounts of hops with an end on one of these hosts, or of streams from there: what is missing is unexplained."""
    if not hosts:
        return accounts
    there = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket", sf.lit(True).alias("doubted"))
    doubted: Column = sf.lit(False)
    for end in ("stream", "from_socket", "to_socket"):
        of_end = there.toDF(end, f"doubted_{end}")
        accounts = accounts.join(sf.broadcast(of_end), on=end, how="left")
        doubted = doubted | sf.coalesce(f"doubted_{end}", sf.lit(False))
    unknown = doubted & (sf.col("cause") != IN_FLIGHT)
    return accounts.withColumns(
        {
            "cause": sf.when(unknown, UNEXPLAINED).otherwise(sf.col("cause")),
            "certainty": sf.when(unknown, "inferred").otherwise(sf.col("certainty")),
        }
    ).drop(*[f"doubted_{end}" for end in ("stream", "from_socket", "to_socket")])
