"""What is not checked, where a file of an end's host could not be read."""

from collections.abc import Collection

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.keys import WAY

UNREADABLE = "unreadable"


def with_reason(rows: DataFrame, sockets: DataFrame, hosts: Collection[str]) -> DataFrame:
    """What is not checked (stream, receiver, reason, agree) has that for its reason where one of its ends is on one of these hosts, and
    the counts do not agree; then it is not known either what all who share its stream received.
    """
    if not hosts:
        return rows
    there = sockets.where(sf.col("host").isin(*sorted(hosts))).select("socket", sf.lit(True).alias("there"))
    for end in WAY:
        rows = rows.join(sf.broadcast(there.toDF(end, f"{end}_there")), on=end, how="left")
    doubted = sf.coalesce("stream_there", "receiver_there") & ~sf.col("agree")
    reason = sf.when(doubted, UNREADABLE).otherwise(sf.col("reason"))
    of_stream = Window.partitionBy("stream")
    by_all = sf.when(sf.max(sf.col("reason") == UNREADABLE).over(of_stream), None).otherwise(
        sf.col("received_by_all")
    )
    return (
        rows.withColumn("reason", reason)
        .withColumn("received_by_all", by_all)
        .drop("stream_there", "receiver_there")
    )
