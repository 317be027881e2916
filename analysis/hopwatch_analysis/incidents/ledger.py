"""The ledger and the hops: sent = delivered + lost + in flight + unexplained, for each receiver and for each hop."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.routers.unroutable import NO_SOCKET
from hopwatch_analysis.terms.accounts import by_hop, totals
from hopwatch_analysis.terms.keys import LANE_OF_EDGE
from hopwatch_analysis.terms.ranges import coverage, length

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


def edge_totals(
    ledger: DataFrame, accounts: DataFrame, owed_ranges: DataFrame, way_edges: DataFrame
) -> DataFrame:
    """One row a stream and edge: stream, from_socket, to_socket, sent (what reached the edge), delivered, and the rest."""
    keys = ["stream", "from_socket", "to_socket"]
    once = by_hop(accounts)
    at_edge = once.groupBy(*keys).agg(*totals())
    return (
        _entering(ledger, accounts, owed_ranges, way_edges)
        .join(_lost_before(accounts, way_edges), on=keys, how="left")
        .join(at_edge, on=keys, how="left")
        .fillna(0)
        .withColumn("sent", sf.col("entering") - sf.col("lost_before"))
        .withColumn(
            "delivered", sf.col("sent") - sf.col("lost") - sf.col("in_flight") - sf.col("unexplained")
        )
        .select(*keys, "sent", "delivered", *MISSING)
        .unionByName(_to_nobody(once))
    )


def _to_nobody(accounts: DataFrame) -> DataFrame:
    """Edges that lead nowhere: what a socket accepted and no known receiver was there for, or a ROUTER had no peer for."""
    keys = ["stream", "from_socket", "to_socket"]
    nowhere = accounts.where(
        sf.col("from_socket").isNotNull() & (sf.coalesce("to_socket", sf.lit(NO_SOCKET)) == NO_SOCKET)
    )
    return (
        nowhere.groupBy(*keys)
        .agg(sf.sum("messages").alias("sent"), sf.lit(0).cast("long").alias("delivered"), *totals())
        .select(*keys, "sent", "delivered", *MISSING)
    )


def hops(edge_totals: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """One row a hop from node to node, all streams along it together."""
    end_columns = ["socket", "node", "node_name", "node_type", "host", "process"]
    ends = sockets.select(*end_columns)
    transports = way_edges.groupBy("from_socket", "to_socket").agg(sf.min("transport").alias("transport"))

    def end(side: str) -> DataFrame:
        return ends.toDF(f"{side}_socket", *[f"{side}_{name}" for name in end_columns[1:]])

    known = (
        edge_totals.join(transports, on=["from_socket", "to_socket"], how="left")
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


def _entering(
    ledger: DataFrame, accounts: DataFrame, owed_ranges: DataFrame, way_edges: DataFrame
) -> DataFrame:
    """What was sent for anyone behind each edge, whether it got that far or not."""
    keys = ["stream", "from_socket", "to_socket"]
    sent = ledger.select("stream", "receiver", "sent").join(
        way_edges.drop("transport", "mirrored"), on=["stream", "receiver"], how="inner"
    )
    last = sent.where("depth = length").groupBy(*keys).agg(sf.sum("sent").alias("entering"))
    inner = sent.where("depth < length")
    checked = inner.join(owed_ranges, on=["stream", "receiver"], how="inner").select(
        *LANE_OF_EDGE, "first", "last"
    )
    union = coverage({"owing": checked}, LANE_OF_EDGE).groupBy(*keys).agg(sf.sum(length()).alias("entering"))
    shared_out = (
        inner.join(owed_ranges.select("stream").distinct(), on="stream", how="left_anti")
        .select(*keys, "sent")
        .unionByName(_for_any(accounts, way_edges))
        .groupBy(*keys)
        .agg(sf.sum("sent").alias("entering"))
    )
    return last.unionByName(union).unionByName(shared_out)


def _for_any(accounts: DataFrame, way_edges: DataFrame) -> DataFrame:
    """What was lost before a proxy of a stream that is shared out behind it: for whom it was is not known. It was sent along the hops before, too."""
    keys = ["stream", "from_socket", "to_socket"]
    inner = way_edges.where("depth < length").select(*keys, "depth").distinct()
    of_nobody = (
        accounts.where("receiver is null")
        .select(*keys, "messages")
        .join(inner, on=keys, how="inner")
        .select("stream", sf.col("depth").alias("lost_at"), "messages")
    )
    return (
        inner.join(of_nobody, on="stream", how="inner")
        .where("depth <= lost_at")
        .select(*keys, sf.col("messages").alias("sent"))
    )


def _lost_before(accounts: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Of that, what did not get as far as the edge."""
    edges = way_edges.select(
        "stream", "receiver", sf.col("depth").alias("edge_depth"), "from_socket", "to_socket"
    )
    return (
        accounts.drop("from_socket", "to_socket")
        .join(edges, on=["stream", "receiver"], how="inner")
        .where("edge_depth > depth")
        .select("stream", "lane", "mark", "from_socket", "to_socket", "messages")
        .distinct()
        .groupBy("stream", "from_socket", "to_socket")
        .agg(sf.sum("messages").alias("lost_before"))
    )
