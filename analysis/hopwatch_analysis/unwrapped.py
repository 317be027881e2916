"""Stamped senders whose receiver is not wrapped: it gets a frame more than the sender sent it."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

RULE = "receiver_not_wrapped"
AT = "Its messages are stamped, and no instrumented socket is known at the other end of its connection to "
MEANS = (
    ", on the same host: such a receiver gets the stamp as one more frame, and what it misses is not known."
)
ADVICE = "Wrap the receiver too, have its journal read by an agent, or take the numbers that messages already carry."


def unwrapped_receivers(
    connections: DataFrame, mirrored: DataFrame, sockets: DataFrame, way_edges: DataFrame
) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender at most.

    Only connections whose both ends are on one address count: another host may have an agent of its own; and only those that
    lasted: a probe of the port goes at once. A stream that somebody got by a
    way that is not known passes through sockets that are not wrapped, and need not end there.
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
    text = sf.concat(sf.lit(AT), "remote", sf.lit(MEANS))
    return (
        alone.groupBy("socket")
        .agg(sf.min("remote").alias("remote"))
        .select("socket", sf.lit(RULE).alias("rule"), text.alias("text"), sf.lit(ADVICE).alias("advice"))
    )
