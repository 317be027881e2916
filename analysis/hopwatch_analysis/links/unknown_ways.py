"""Receivers that get a sender's numbers by a way that no event tells of: a dark hop, or several."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

RULE = "unknown_way"
TEXT = "The messages of %s reach %s by a way that no event tells of. Of what is lost between them no hop can be told, and a cause only where a full pipe of %s shows it."
ADVICE = "Instrument who stands between them (hopwatch.proxy, hopwatch run), and have an agent read the journal there. If somebody is and does, addresses may be translated on the way so that no event names both ends; if nobody does, see that nothing else takes the monitor events of either."


def unknown_ways(way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender. A sender that is itself known by its receivers' numbers alone has none."""
    senders = sockets.where("opened_at is not null").select(
        sf.col("socket").alias("from_socket"), sf.col("name").alias("sender")
    )
    receivers = sockets.select(sf.col("socket").alias("to_socket"), sf.col("name").alias("receiver"))
    others = sf.count_distinct("to_socket") - 1
    named = (
        sf.when(others == 0, sf.min("receiver"))
        .when(others == 1, sf.concat(sf.min("receiver"), sf.lit(" and one other")))
        .otherwise(sf.format_string("%s and %d others", sf.min("receiver"), others))
    )
    return (
        way_edges.where(sf.col("transport") == UNKNOWN_TRANSPORT)
        .select("from_socket", "to_socket")
        .join(senders, on="from_socket", how="inner")
        .join(receivers, on="to_socket", how="inner")
        .groupBy(sf.col("from_socket").alias("socket"), "sender")
        .agg(named.alias("named"))
        .select(
            "socket",
            sf.lit(RULE).alias("rule"),
            sf.format_string(TEXT, "sender", "named", "sender").alias("text"),
            sf.lit(ADVICE).alias("advice"),
        )
    )
