"""Incidents: losses of one hop and one cause, close in time, with the figures that advice and evidence are read off."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.watched import is_watched
from hopwatch_analysis.overload.pressure import FIGURES as OF_PRESSURE
from hopwatch_analysis.overload.rates import LONGEST_PAUSE_IN_RUN
from hopwatch_analysis.overload.stretches import PAUSE_SECONDS
from hopwatch_analysis.proxies.replaced import behind_replaced
from hopwatch_analysis.sockets.options import MARKS, in_force
from hopwatch_analysis.spark.frames import with_number_behind_pauses
from hopwatch_analysis.terms.accounts import by_hop, is_lost

SESSION = ("from_node", "to_node", "cause", "session")
SPAN = ("started_at", "ended_at")
OF_ENDS = tuple(
    f"{side}_{name}"
    for name in ("name", "type", "end", "killed_of", "memory_limit")
    for side in ("from", "to")
)
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
    "downs",
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
COUNTS = ("lost", "runs", "longest", "largest_burst", "onsets")


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
    return (
        _with_bursts(lost_runs)
        .groupBy(*SESSION)
        .agg(
            sf.sum("messages").alias("lost"),
            sf.count("*").alias("runs"),
            sf.max("messages").alias("longest"),
            sf.max("lost_in_burst").alias("largest_burst"),
            sf.sum(sf.col("at_onset").cast("int")).alias("onsets"),
            sf.min(sf.col("certainty") == "exact").alias("exact"),
            sf.min("started_at").alias("started_at"),
            sf.max("ended_at").alias("ended_at"),
            sf.sort_array(sf.collect_set("stream")).alias("streams"),
            *[
                sf.array_distinct(sf.flatten(sf.collect_list(name))).alias(name)
                for name in ("peers", "reasons")
            ],
            *[sf.max(name).alias(name) for name in (*OF_ENDS, *FIGURES, "took_over_at")],
        )
    )


def edge_figures(
    way_edges: DataFrame,
    sockets: DataFrame,
    link_facts: DataFrame,
    *,
    pressure: DataFrame,
    endings: DataFrame,
    replaced: DataFrame,
    counters: DataFrame,
    unwatched_links: DataFrame,
) -> DataFrame:
    """What is known of each edge, for evidence: marks, LINGER, rates, sizes of messages, disconnections, which end went first, and when the
    receiver was connected to a proxy that came in another's place (``took_over_at``).
    """
    x = sockets.select(
        sf.col("socket").alias("from_socket"),
        "sndhwm",
        "sndhwm_late",
        "linger",
        "immediate",
        "sndbuf",
        sf.col("conflate").alias("x_conflate"),
    )
    y = sockets.select(
        sf.col("socket").alias("to_socket"),
        "rcvhwm",
        "rcvhwm_late",
        "rcvbuf",
        sf.col("unread").alias("left_unread"),
        sf.col("conflate").alias("y_conflate"),
        "maxmsgsize",
    )
    conflated_at = sf.when(sf.col("y_conflate") == 1, "receiver").when(sf.col("x_conflate") == 1, "sender")
    keys = ["from_socket", "to_socket"]
    downs = sf.size("downs").alias("downs")
    facts = link_facts.select(*keys, downs, "sender_connects", "sent_when_connected", "connected_at")
    rates = pressure.select("stream", *keys, *OF_PRESSURE, "sent_on")
    left_first = endings.select("stream", sf.col("receiver").alias("to_socket"), "receiver_left_first")
    took_over = behind_replaced(replaced)
    return (
        way_edges.join(sf.broadcast(took_over), on=["stream", "receiver", "depth"], how="left")
        .groupBy("stream", *keys)
        .agg(sf.min("transport").alias("transport"), sf.max("took_over").alias("took_over"))
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .join(facts, on=keys, how="left")
        .join(unwatched_links, on=keys, how="left")
        .withColumns({mark: in_force(mark, sf.col("connected_at")) for mark in MARKS})
        .withColumns({"conflated_at": conflated_at, "watched": is_watched()})
        .withColumn("took_over_at", sf.when(sf.col("took_over"), sf.col("connected_at")))
        .drop(
            "connected_at", "unwatched", "took_over", "sndhwm_late", "rcvhwm_late", "x_conflate", "y_conflate"
        )
        .join(rates, on=["stream", *keys], how="left")
        .join(left_first, on=["stream", "to_socket"], how="left")
        .transform(lambda edges: _with_sizes(edges, counters))
    )


def _with_sizes(edges: DataFrame, counters: DataFrame) -> DataFrame:
    """Adds ``mean_bytes``: of all messages sent along the edge, in whatever stream: a queue there holds some of each."""
    sizes = counters.where("sent > 0 and sent_bytes > 0").select(
        sf.col("socket").alias("stream"), "sent", "sent_bytes"
    )
    along_it = Window.partitionBy("from_socket", "to_socket")
    mean = sf.sum("sent_bytes").over(along_it) / sf.sum("sent").over(along_it)
    return (
        edges.join(sizes, on="stream", how="left").withColumn("mean_bytes", mean).drop("sent", "sent_bytes")
    )


def _with_sessions(losses: DataFrame) -> DataFrame:
    """Number the incidents of each hop and cause: one more behind each pause."""
    hop_and_cause = ("from_node", "to_node", "cause")
    return with_number_behind_pauses(losses, "session", hop_and_cause, SPAN, PAUSE_SECONDS)


def _with_bursts(losses: DataFrame) -> DataFrame:
    """Adds ``lost_in_burst``: how many messages the incident lost in the burst that the run is of, in whatever stream and lane."""
    of_burst = Window.partitionBy(*SESSION, "burst")
    return with_number_behind_pauses(losses, "burst", SESSION, SPAN, LONGEST_PAUSE_IN_RUN).withColumn(
        "lost_in_burst", sf.sum("messages").over(of_burst)
    )
