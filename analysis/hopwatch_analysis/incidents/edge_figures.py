"""Figures of each edge that an incident's evidence and advice are read off."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.watched import is_watched
from hopwatch_analysis.links.replaced import behind_replaced
from hopwatch_analysis.sockets.options import MARKS, in_force
from hopwatch_analysis.terms.keys import EDGE
from hopwatch_analysis.topology import Topology

OF_PRESSURE = ("mean_rate", "asked_rate", "asked_bytes", "capacity", "loss_share", "went_on")
FIGURES = (
    "transport",
    "sndhwm",
    "rcvhwm",
    "sndbuf",
    "rcvbuf",
    "conflated_at",
    "maxmsgsize",
    "hung_up",
    "largest_then",
    *OF_PRESSURE,
    "mean_bytes",
    "sent_on",
    "sender_connects",
    "sent_when_connected",
    "receiver_left_first",
    "linger",
    "immediate",
    "left_unread",
    "watched",
    "window_was_full",
    "rtt_us",
    "min_rtt_us",
    "retransmissions",
    "segments_sent",
)
"""What an incident's record says of its hop, by the same names."""


def edge_figures(topology: Topology, pressure: DataFrame) -> DataFrame:
    """What is known of each edge, for evidence: marks, LINGER, rates, sizes of messages, which end went first, and when the
    receiver was connected to a proxy that came in another's place (``took_over_at``).
    """
    facts = topology.facts.select(*EDGE, "sender_connects", "sent_when_connected", "connected_at")
    rates = pressure.select("stream", *EDGE, *OF_PRESSURE, "sent_on")
    receiver = sf.col("receiver").alias("to_socket")
    left_first = topology.endings.select("stream", receiver, "receiver_left_first")
    return (
        _edges_of_streams(topology)
        .join(_of_senders(topology.sockets), on="from_socket", how="left")
        .join(_of_receivers(topology.sockets), on="to_socket", how="left")
        .join(facts, on=list(EDGE), how="left")
        .join(topology.unwatched_links, on=list(EDGE), how="left")
        .transform(_in_their_own_words)
        .join(rates, on=["stream", *EDGE], how="left")
        .join(left_first, on=["stream", "to_socket"], how="left")
        .transform(lambda edges: _with_sizes(edges, topology.counters))
    )


def _edges_of_streams(topology: Topology) -> DataFrame:
    took_over = sf.broadcast(behind_replaced(topology.replaced))
    return (
        topology.edges.join(took_over, on=["stream", "receiver", "depth"], how="left")
        .groupBy("stream", *EDGE)
        .agg(sf.min("transport").alias("transport"), sf.max("took_over").alias("took_over"))
    )


def _of_senders(sockets: DataFrame) -> DataFrame:
    same = ("sndhwm", "sndhwm_late", "linger", "immediate", "sndbuf")
    return sockets.select(
        sf.col("socket").alias("from_socket"), *same, sf.col("conflate").alias("x_conflate")
    )


def _of_receivers(sockets: DataFrame) -> DataFrame:
    same = ("rcvhwm", "rcvhwm_late", "rcvbuf", "maxmsgsize")
    return sockets.select(
        sf.col("socket").alias("to_socket"),
        *same,
        sf.col("unread").alias("left_unread"),
        sf.col("conflate").alias("y_conflate"),
    )


def _in_their_own_words(edges: DataFrame) -> DataFrame:
    """What is told by several columns, as one that says it."""
    conflated_at = sf.when(sf.col("y_conflate") == 1, "receiver").when(sf.col("x_conflate") == 1, "sender")
    # by an unknown way either end is connected to somebody between
    who_connects = sf.when(sf.col("transport") != UNKNOWN_TRANSPORT, sf.col("sender_connects"))
    return (
        edges.withColumns({mark: in_force(mark, sf.col("connected_at")) for mark in MARKS})
        .withColumns({"conflated_at": conflated_at, "watched": is_watched(), "sender_connects": who_connects})
        .withColumn("took_over_at", sf.when(sf.col("took_over"), sf.col("connected_at")))
        .drop("connected_at", "unwatched", "took_over", "sndhwm_late", "rcvhwm_late")
        .drop("x_conflate", "y_conflate")
    )


def _with_sizes(edges: DataFrame, counters: DataFrame) -> DataFrame:
    """Adds ``mean_bytes``: of all messages sent along the edge, in whatever stream: a queue there holds some of each."""
    sizes = counters.where("sent > 0 and sent_bytes > 0").select(
        sf.col("socket").alias("stream"), "sent", "sent_bytes"
    )
    along_it = Window.partitionBy(*EDGE)
    mean = sf.sum("sent_bytes").over(along_it) / sf.sum("sent").over(along_it)
    return (
        edges.join(sizes, on="stream", how="left").withColumn("mean_bytes", mean).drop("sent", "sent_bytes")
    )
