"""Incidents: losses of one hop and one cause, close in time, with the figures that advice and evidence are read off."""

from hopwatch_judge.incident import PEERS_KEPT
from hopwatch_judge.thresholds import LONGEST_PAUSE_IN_RUN, STRETCH_PAUSE
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.incidents.edge_figures import FIGURES
from hopwatch_analysis.incidents.meanwhile import with_what_happened
from hopwatch_analysis.seen.swallowed import with_peers
from hopwatch_analysis.spark.frames import with_number_behind_pauses
from hopwatch_analysis.terms.accounts import by_hop, is_lost

HOP_AND_CAUSE = ("from_node", "to_node", "cause")
SESSION = (*HOP_AND_CAUSE, "session")
SPAN = ("started_at", "ended_at")
OF_ENDS = tuple(
    f"{side}_{name}"
    for name in ("name", "type", "end", "killed_of", "memory_limit")
    for side in ("from", "to")
)
COUNTS = ("lost", "runs", "longest", "largest_burst", "onsets")


def lost_runs(accounts: DataFrame, edges: DataFrame, sockets: DataFrame, peers: DataFrame) -> DataFrame:
    """One row a run of lost messages, with its ``session``: the incidents of its hop and cause, numbered.

    ``edges`` are the figures of each (stream, from_socket, to_socket) that lost something; ``peers`` says of each lane
    whom its ROUTER could not reach.
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
        .transform(with_peers, peers)
        .transform(_with_sessions)
    )


def incidents(lost_runs: DataFrame, meanwhile: DataFrame) -> DataFrame:
    """One row an incident, with what happened on its hop ``meanwhile`` (a row a hop: see there)."""
    figures = (
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
                sf.slice(
                    sf.sort_array(sf.array_distinct(sf.flatten(sf.collect_list(name)))), 1, PEERS_KEPT
                ).alias(name)
                for name in ("peers", "reasons")
            ],
            *[sf.max(name).alias(name) for name in (*OF_ENDS, *FIGURES, "took_over_at")],
        )
    )
    return figures.transform(_with_largest_burst_of_hop).transform(with_what_happened, meanwhile)


def with_largest_burst_of_all(incidents: DataFrame, all_runs: DataFrame) -> DataFrame:
    """The same for incidents of some of these runs: what is advised has to do for the others too."""
    of_all = _with_bursts(all_runs).groupBy(*HOP_AND_CAUSE).agg(sf.max("lost_in_burst").alias("of_all"))
    other = of_all.toDF(*(f"other_{name}" for name in of_all.columns))
    same = [sf.col(name).eqNullSafe(sf.col(f"other_{name}")) for name in HOP_AND_CAUSE]
    return (
        incidents.join(other, on=same, how="left")
        .withColumn("largest_burst", sf.greatest("largest_burst", "other_of_all"))
        .drop(*other.columns)
    )


def _with_largest_burst_of_hop(incidents: DataFrame) -> DataFrame:
    """A mark is advised for the hop, so that all incidents advise the same one."""
    of_hop = Window.partitionBy(*HOP_AND_CAUSE)
    return incidents.withColumn("largest_burst", sf.max("largest_burst").over(of_hop))


def _with_sessions(losses: DataFrame) -> DataFrame:
    """Number the incidents of each hop and cause: one more behind each pause."""
    return with_number_behind_pauses(losses, "session", HOP_AND_CAUSE, SPAN, STRETCH_PAUSE)


def _with_bursts(losses: DataFrame) -> DataFrame:
    """Adds ``lost_in_burst``: how many messages the incident lost in the burst that the run is of, in whatever stream and lane."""
    of_burst = Window.partitionBy(*SESSION, "burst")
    return with_number_behind_pauses(losses, "burst", SESSION, SPAN, LONGEST_PAUSE_IN_RUN).withColumn(
        "lost_in_burst", sf.sum("messages").over(of_burst)
    )
