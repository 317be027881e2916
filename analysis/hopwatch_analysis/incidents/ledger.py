"""The ledger and the hops: sent = delivered + lost + in flight + unexplained, for each receiver and for each hop."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.accounts import totals

MISSING = ("lost", "in_flight", "unexplained")


def ledger(accounts: DataFrame, delivered: DataFrame, sockets: DataFrame) -> DataFrame:
    """One row a stream and receiver (null: not known which of several): delivered, lost, in_flight, unexplained, causes, sent."""
    by_cause = accounts.groupBy("stream", "receiver", "cause").agg(sf.sum("messages").alias("messages"))
    causes = by_cause.groupBy("stream", "receiver").agg(
        *totals(), sf.map_from_entries(sf.collect_list(sf.struct("cause", "messages"))).alias("causes")
    )
    got = delivered.select(
        sf.col("stream").alias("got_stream"), sf.col("receiver").alias("got_receiver"), "delivered"
    )
    same = [sf.col("got_stream") == sf.col("stream"), sf.col("got_receiver").eqNullSafe(sf.col("receiver"))]
    names = sockets.select("socket", "name")
    return (
        got.join(causes, same, how="full")
        .select(
            sf.coalesce("got_stream", "stream").alias("stream"),
            sf.coalesce("got_receiver", "receiver").alias("receiver"),
            "delivered",
            *MISSING,
            "causes",
        )
        .fillna(0, subset=["delivered", *MISSING])
        .withColumn(
            "sent", sf.col("delivered") + sf.col("lost") + sf.col("in_flight") + sf.col("unexplained")
        )
        .join(names.toDF("stream", "name"), on="stream", how="left")
        .join(names.toDF("receiver", "receiver_name"), on="receiver", how="left")
        .select("stream", "name", "receiver", "receiver_name", "sent", "delivered", *MISSING, "causes")
    )


def hops(passed: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """One row a hop from node to node, all streams along it together. ``passed``: what came as far as each hop of a stream, and what became of it."""
    end_columns = ["socket", "node", "node_name", "node_type", "host", "process"]
    ends = sockets.select(*end_columns)
    transports = way_edges.groupBy("from_socket", "to_socket").agg(sf.min("transport").alias("transport"))

    def end(side: str) -> DataFrame:
        return ends.toDF(f"{side}_socket", *[f"{side}_{name}" for name in end_columns[1:]])

    known = (
        passed.join(transports, on=["from_socket", "to_socket"], how="left")
        .join(end("from"), on="from_socket", how="left")
        .join(end("to"), on="to_socket", how="left")
        .withColumn("from_node", sf.coalesce("from_node", "from_socket"))
        .withColumn("to_node", sf.coalesce("to_node", "to_socket"))
    )
    sums = [sf.sum(name).alias(name) for name in ("sent", "delivered", *MISSING)]
    details = [
        sf.min(f"{side}_{name}").alias(f"{side}_{name}")
        for side in ("from", "to")
        for name in ("socket", "node_name", "node_type", "host", "process")
    ]
    return known.groupBy("from_node", "to_node").agg(sf.min("transport").alias("transport"), *details, *sums)
