"""What the kernel at the sending end said limited each edge while it lost messages: the receiver that does not read, or the way there."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.terms.keys import EDGE

NETWORK, RECEIVER = "network", "receiver"


def readings(tables: Tables, mirrored: DataFrame) -> DataFrame:
    """What the kernel told of each edge's sending end: from_socket, to_socket, at, limited_by, masqueraded, and figures."""
    peers = mirrored.select("socket", "connection", "peer", "masqueraded")
    return (
        tables["tcp"]
        .join(peers, on=["socket", "connection"], how="inner")
        .select(
            sf.col("socket").alias("from_socket"),
            sf.col("peer").alias("to_socket"),
            "connection",
            "masqueraded",
            "at",
            "limited_by",
            "rtt_us",
            "min_rtt_us",
            "retransmissions",
            "segments_sent",
            "unsent",
        )
    )


def figures(readings: DataFrame) -> DataFrame:
    """Figures of each edge: from_socket, to_socket, window_was_full (the kernel said once that the receiver was the limit, and of nobody else), and of
    the time that the network was: rtt_us (longest), min_rtt_us (of the connection, ever), retransmissions and segments_sent
    (since the connection came up).
    """

    def by_network(name: str) -> Column:
        return sf.when(sf.col("limited_by") == NETWORK, sf.col(name))

    per_connection = readings.groupBy(*EDGE, "connection").agg(
        sf.max((sf.col("limited_by") == RECEIVER) & ~sf.col("masqueraded")).alias("window_was_full"),
        sf.max(by_network("rtt_us")).alias("rtt_us"),
        sf.min(by_network("min_rtt_us")).alias("min_rtt_us"),
        sf.max(by_network("retransmissions")).alias("retransmissions"),
        sf.max(by_network("segments_sent")).alias("segments_sent"),
    )
    return per_connection.groupBy(*EDGE).agg(
        sf.max("window_was_full").alias("window_was_full"),
        sf.max("rtt_us").alias("rtt_us"),
        sf.min("min_rtt_us").alias("min_rtt_us"),
        sf.sum("retransmissions").alias("retransmissions"),
        sf.sum("segments_sent").alias("segments_sent"),
    )
