"""Incidents: losses of one hop and one cause, close in time, with the figures that advice and evidence are read off."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.accounts import by_hop, is_lost
from hopwatch_analysis.options import MARKS, in_force
from hopwatch_analysis.replaced import behind_replaced

PAUSE_SECONDS = 10
SESSION = ("from_node", "to_node", "cause", "session")
OF_ENDS = tuple(
    f"{side}_{name}"
    for name in ("name", "type", "end", "killed_of", "memory_limit")
    for side in ("from", "to")
)
FIGURES = (
    "transport",
    "sndhwm",
    "rcvhwm",
    "conflated_at",
    "maxmsgsize",
    "hung_up",
    "mean_rate",
    "capacity",
    "loss_share",
    "went_on",
    "sent_on",
    "downs",
    "sent_when_connected",
    "receiver_left_first",
    "linger",
    "left_unread",
    "window_was_full",
    "rtt_us",
    "min_rtt_us",
    "retransmissions",
    "segments_sent",
)
"""What an incident's record says of its hop, by the same names."""
COUNTS = ("lost", "runs", "longest", "onsets")


def lost_runs(accounts: DataFrame, edges: DataFrame, sockets: DataFrame, peers: DataFrame) -> DataFrame:
    """One row a run of lost messages, with its ``session``: the incidents of its hop and cause, numbered.

    ``edges`` are the figures of each (stream, from_socket, to_socket) that lost something; ``peers`` says of each stream
    whom it could not reach.
    """
    about = ("node", "name", "type", "end", "killed_of", "memory_limit")
    ends = sockets.select("socket", "node", "node_name", *about[2:])
    x, y = (ends.toDF(f"{side}_socket", *(f"{side}_{name}" for name in about)) for side in ("from", "to"))
    return (
        by_hop(accounts.where(is_lost()))
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .withColumn("from_node", sf.coalesce("from_node", "from_socket"))
        .withColumn("to_node", sf.coalesce("to_node", "to_socket"))
        .join(edges, on=["stream", "from_socket", "to_socket"], how="left")
        .join(peers, on="stream", how="left")
        .transform(_with_sessions)
    )


def incidents(lost_runs: DataFrame) -> DataFrame:
    """One row an incident."""
    return lost_runs.groupBy(*SESSION).agg(
        sf.sum("messages").alias("lost"),
        sf.count("*").alias("runs"),
        sf.max("messages").alias("longest"),
        sf.sum(sf.col("at_onset").cast("int")).alias("onsets"),
        sf.min(sf.col("certainty") == "exact").alias("exact"),
        sf.min("started_at").alias("started_at"),
        sf.max("ended_at").alias("ended_at"),
        sf.sort_array(sf.collect_set("stream")).alias("streams"),
        *[sf.array_distinct(sf.flatten(sf.collect_list(name))).alias(name) for name in ("peers", "reasons")],
        *[sf.max(name).alias(name) for name in (*OF_ENDS, *FIGURES, "took_over_at")],
    )


def edge_figures(
    way_edges: DataFrame,
    sockets: DataFrame,
    link_facts: DataFrame,
    *,
    pressure: DataFrame,
    endings: DataFrame,
    replaced: DataFrame,
) -> DataFrame:
    """What is known of each edge, for evidence: marks, LINGER, rates, disconnections, which end went first, and when the
    receiver was connected to a proxy that came in another's place (``took_over_at``).
    """
    x = sockets.select(
        sf.col("socket").alias("from_socket"),
        "sndhwm",
        "sndhwm_late",
        "linger",
        sf.col("conflate").alias("x_conflate"),
    )
    y = sockets.select(
        sf.col("socket").alias("to_socket"),
        "rcvhwm",
        "rcvhwm_late",
        sf.col("unread").alias("left_unread"),
        sf.col("conflate").alias("y_conflate"),
        "maxmsgsize",
    )
    conflated_at = sf.when(sf.col("y_conflate") == 1, "receiver").when(sf.col("x_conflate") == 1, "sender")
    keys = ["from_socket", "to_socket"]
    facts = link_facts.select(*keys, sf.size("downs").alias("downs"), "sent_when_connected", "connected_at")
    rates = pressure.select("stream", *keys, "mean_rate", "capacity", "loss_share", "went_on", "sent_on")
    left_first = endings.select("stream", sf.col("receiver").alias("to_socket"), "receiver_left_first")
    took_over = behind_replaced(replaced)
    return (
        way_edges.join(sf.broadcast(took_over), on=["stream", "receiver", "depth"], how="left")
        .groupBy("stream", *keys)
        .agg(sf.min("transport").alias("transport"), sf.max("took_over").alias("took_over"))
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .join(facts, on=keys, how="left")
        .withColumns({mark: in_force(mark, sf.col("connected_at")) for mark in MARKS})
        .withColumn("conflated_at", conflated_at)
        .withColumn("took_over_at", sf.when(sf.col("took_over"), sf.col("connected_at")))
        .drop("connected_at", "took_over", "sndhwm_late", "rcvhwm_late", "x_conflate", "y_conflate")
        .join(rates, on=["stream", *keys], how="left")
        .join(left_first, on=["stream", "to_socket"], how="left")
    )


def _with_sessions(losses: DataFrame) -> DataFrame:
    """Number the incidents of each hop and cause: one more behind each pause."""
    in_order = Window.partitionBy("from_node", "to_node", "cause").orderBy("started_at")
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    pause = sf.unix_micros("started_at") - sf.unix_micros(sf.max("ended_at").over(before))
    starts = sf.coalesce(pause > PAUSE_SECONDS * 1_000_000, sf.lit(False)).cast("int")
    return (
        losses.withColumn("starts", starts)
        .withColumn("session", sf.sum("starts").over(so_far))
        .drop("starts")
    )
