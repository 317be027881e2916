"""Stamped senders whose receiver is not wrapped: it gets a frame more than the sender sent it."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

RULE = "receiver_not_wrapped"
AT = "Its messages are stamped, and no instrumented socket is known at the other end of "
MEANS = (
    ", on the same host: such a receiver gets the stamp as one more frame, and what it misses is not known."
)
ADVICE = "Wrap the receiver too, have its journal read by an agent, or take the numbers that messages already carry."


def unwrapped_receivers(
    connections: DataFrame, mirrored: DataFrame, sockets: DataFrame, links: DataFrame, way_edges: DataFrame
) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender at most.

    Only connections whose both ends are on one address count: another host may have an agent of its own; and only those that
    lasted: a probe of the port goes at once. A stream that somebody got by a
    way that is not known passes through sockets that are not wrapped, and need not end there. A receiver that tells of no
    connections of its own (it was wrapped after it had connected, or has another monitor) is known by its endpoint, and may be
    at the other end of any of them.
    """
    stamped = sockets.where("stamped and type not in ('SUB', 'XSUB', 'PULL')").select("socket")
    by_unknown_way = way_edges.where("transport = 'unknown'").select(sf.col("stream").alias("socket"))
    address = r"^(.*):\d+$"
    ended = connections.where("action = 'disconnected'").select("socket", "connection")
    at_one_place = sf.regexp_extract("local", address, 1) == sf.regexp_extract("remote", address, 1)
    alone = (
        connections.where("action = 'connected' and local is not null and remote is not null")
        .where(at_one_place)
        .join(stamped, on="socket", how="left_semi")
        .join(mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti")
        .join(ended, on=["socket", "connection"], how="left_anti")
        .join(by_unknown_way, on="socket", how="left_anti")
    )
    unseen = (
        links.where("transport = 'tcp' and not mirrored")
        .groupBy(sf.col("from_socket").alias("socket"))
        .agg(sf.count_distinct("to_socket").alias("unseen"))
    )
    which = sf.when(sf.col("unseen") == 0, sf.concat(sf.lit("its connection to "), "remote"))
    text = sf.concat(sf.lit(AT), sf.coalesce(which, sf.lit("one of its connections")), sf.lit(MEANS))
    return (
        alone.groupBy("socket")
        .agg(sf.min("remote").alias("remote"), sf.count("*").alias("alone"))
        .join(unseen, on="socket", how="left")
        .fillna(0, ["unseen"])
        .where("alone > unseen")
        .select("socket", sf.lit(RULE).alias("rule"), text.alias("text"), sf.lit(ADVICE).alias("advice"))
    )
