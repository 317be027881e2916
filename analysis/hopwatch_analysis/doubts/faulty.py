"""Sockets with a fault of the instrumentation: their messages go on, and what tells of them stands still."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts import doubts
from hopwatch_analysis.terms.keys import WAY


def faulty_sockets(faults: DataFrame) -> DataFrame:
    """Sockets that had one: socket. The others are of what an agent read, or of a process's monitors."""
    return faults.where("socket is not null").select("socket").distinct()


def without_causes(
    accounts: DataFrame, sockets: DataFrame, way_edges: DataFrame, faulty: DataFrame
) -> DataFrame:
    """What is missing is unexplained on their ways, and where they are no receivers, on those that share a proxy with them: who sends
    goes on without stamps, and a proxy counts that.
    """
    parties = doubts.parties(way_edges)
    hit = parties.join(sf.broadcast(faulty), on="socket", how="left_semi")
    passing = hit.where("socket != receiver").select(*WAY)
    ways = hit.select(*WAY).unionByName(doubts.with_ways_beside(passing, parties)).distinct()
    return doubts.without_causes(accounts, sockets, ways, faulty.select(sf.col("socket").alias("stream")))


def came_all_the_same(
    accounts: DataFrame, faulty: DataFrame, receipts: DataFrame, counters: DataFrame
) -> DataFrame:
    """What faulty receivers lack by their lanes, where their own counters say that they got just as many more: stream, receiver, count."""
    of_lanes = receipts.groupBy("receiver").agg(sf.sum(sf.col("count") + sf.col("since")).alias("numbered"))
    missing = accounts.groupBy("receiver").agg(sf.sum("messages").alias("missing"))
    received = counters.select(sf.col("socket").alias("receiver"), "received")
    whole = (
        faulty.select(sf.col("socket").alias("receiver"))
        .join(missing, on="receiver", how="inner")
        .join(received, on="receiver", how="inner")
        .join(of_lanes, on="receiver", how="left")
        .where("received = missing + coalesce(numbered, 0)")
    )
    return (
        accounts.join(whole, on="receiver", how="left_semi")
        .groupBy(*WAY)
        .agg(sf.sum("messages").alias("count"))
    )
