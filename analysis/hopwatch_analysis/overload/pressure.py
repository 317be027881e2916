"""Whether a receiver whose pipe was full is too slow, or only met bursts longer than its pipe: the figures that tell."""

from dataclasses import dataclass

from hopwatch_judge.thresholds import LONGEST_BURST
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.overload import rates
from hopwatch_analysis.overload.recovered import idle_moments, readers_of, with_caught_up, with_went_on
from hopwatch_analysis.overload.stretches import (
    long_stretches,
    overloads,
    returns_from_rest,
    spanned,
    with_lost_already,
    without_bursts,
)
from hopwatch_analysis.spark.frames import only_of, seconds, settle
from hopwatch_analysis.terms.keys import EDGE_OF_STREAM
from hopwatch_analysis.topology import Topology

BURSTS_AT_MOST = 0.5  # of the time that the stream was active
IN_REACH = 0.5  # of the mean rate: a receiver that reads more slowly still did not catch up, though it once had to wait
ALL_ALONG = -1
"""The number, among stretches of loss, of the time in which a receiver was sent anything."""
FIGURES = (
    "mean_rate",
    "asked_rate",
    "asked_bytes",
    "capacity",
    "loss_share",
    "went_on",
)


@dataclass(frozen=True)
class Pressure:
    """``edges`` (see ``pressure``), and the ``overloads`` (see ``stretches.overloads``) among the stretches of loss."""

    edges: DataFrame
    overloads: DataFrame


def pressure(tables: Tables, losses: DataFrame, topology: Topology, owed: DataFrame) -> Pressure:
    """Figures of each edge that lost something: stream, from_socket, to_socket, began_at, last_sent_at, in_bursts, most_of_the_time, and FIGURES.

    ``mean_rate`` is of the stream; ``asked_rate`` (and the size of a message, ``asked_bytes``) of all streams that the receiver is sent, as far as it is sent
    them. ``loss_share`` is how much of the
    stream's time its losses spanned. ``in_bursts``: less than half of it, and the receiver
    went on without loss when the burst was over, or was caught up in between and is not seen to read far more slowly than the mean rate. How fast it
    read at most proves nothing: who takes a batch at once may be busy with it for long. ``most_of_the_time``: proven losses span half of it,
    and are longer than a burst, and the receiver is not seen to have been caught up in between.
    """
    edges = settle(_edges(losses))
    at_once = losses.where("begins_at_onset and seen_late is not null")
    shares = settle(rates.shares_asked(topology.edges, owed, topology.lanes, edges))
    samples = settle(_samples_of(edges, shares, tables["counters"]))
    points = settle(rates.sent_points(samples, tables["gap"]))
    read = settle(only_of(rates.receiver_rates(samples, tables["gap"]), edges, "to_socket"))
    by_stream = rates.sender_rates(points)
    asked = settle(rates.asked_rates(points, shares, _times(losses, shares, by_stream)))
    readers = settle(readers_of(topology.edges, edges))
    rated = settle(
        edges.join(by_stream, on="stream", how="left")
        .join(asked.where(sf.col("stretch") == ALL_ALONG).select("to_socket", sf.col("asked").alias("asked_rate")),
              on="to_socket", how="left")
        .join(rates.asked_sizes(shares, topology.counters), on="to_socket", how="left")
        .join(read.groupBy("to_socket").agg(sf.max("rate").alias("capacity")), on="to_socket", how="left")
    )  # fmt: skip
    idle = idle_moments(rated, tables["lane"], at_once, samples, topology, readers)
    too_much = settle(overloads(asked.where(sf.col("stretch") != ALL_ALONG), read))
    returns = settle(
        returns_from_rest(only_of(losses, too_much, "to_socket"), only_of(idle, too_much, "to_socket"))
    )
    found = (
        rated.transform(lambda frame: with_caught_up(frame, idle))
        .transform(lambda frame: with_went_on(frame, topology, readers))
        .transform(_with_in_bursts)
    )
    return Pressure(
        found.select(*EDGE_OF_STREAM, "began_at", "last_sent_at", "in_bursts", "most_of_the_time", *FIGURES),
        settle(without_bursts(too_much, returns)),
    )


def _edges(losses: DataFrame) -> DataFrame:
    # the first of those between samples may have been lost later than the first of them
    is_timed = (
        sf.col("begins_at_onset") | sf.col("after").isNotNull() | sf.col("way_newest_sent_at").isNotNull()
    )
    return (
        with_lost_already(losses, "lost_until", "proven_until")
        .groupBy(*EDGE_OF_STREAM)
        .agg(
            spanned("lost_until").alias("spanned"),
            spanned("proven_until").alias("proven"),
            sf.min(sf.when(is_timed, sf.col("before_sent_at"))).alias("first_loss_at"),
            sf.max("after_sent_at").alias("over_at"),
            sf.max(sf.col("part").isin("tail", "all")).alias("to_the_end"),
        )
    )


def _samples_of(edges: DataFrame, shares: DataFrame, counters: DataFrame) -> DataFrame:
    """Samples of the receivers that lost something, and of all who send to them: socket, at, sent, received, waits, blocked (those of them that took time). All others'
    need not be put in order.
    """
    ends = edges.select(sf.explode(sf.array("stream", "to_socket")).alias("socket")).unionByName(
        shares.select(sf.col("stream").alias("socket"))
    )
    waits = (sf.col("waited_receives") + sf.col("eagain_receives")).alias("waits")
    blocked = sf.col("waited_receives").alias("blocked")
    return only_of(counters.select("socket", "at", "sent", "received", waits, blocked), ends, "socket")


def _times(losses: DataFrame, shares: DataFrame, by_stream: DataFrame) -> DataFrame:
    """Stretches of loss that are too long for a burst, and ALL_ALONG: to_socket, stretch, since, until."""
    all_along = (
        shares.join(by_stream, on="stream", how="inner")
        .groupBy("to_socket")
        .agg(sf.min("began_at").alias("since"), sf.max("last_sent_at").alias("until"))
        .withColumns(
            {
                "stretch": sf.lit(ALL_ALONG).cast("long"),
                "covered": sf.lit(None).cast("double"),
                "proven": sf.lit(None).cast("double"),
            }
        )
    )
    return long_stretches(losses).unionByName(all_along)


def _with_in_bursts(edges: DataFrame) -> DataFrame:
    active = seconds(sf.col("last_sent_at"), sf.col("began_at"))
    asked = sf.coalesce("asked_rate", "mean_rate")
    in_reach = sf.coalesce(sf.col("capacity") >= asked * IN_REACH, sf.lit(True))
    recovered = sf.col("went_on") | (sf.col("caught_up") & in_reach)
    few_losses = sf.coalesce(sf.col("loss_share") < BURSTS_AT_MOST, sf.lit(False))
    return edges.withColumn("loss_share", sf.try_divide("spanned", active)).withColumns(
        {"in_bursts": few_losses & recovered, "most_of_the_time": _most_of(active)}
    )


def _most_of(active: Column) -> Column:
    share = sf.try_divide("proven", active)
    known = (share >= BURSTS_AT_MOST) & (sf.col("proven") > LONGEST_BURST) & ~sf.col("caught_up")
    return sf.coalesce(known, sf.lit(False))
