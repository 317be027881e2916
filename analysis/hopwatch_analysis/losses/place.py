"""On which hop each missing range was lost.

A range missing at some receivers behind a proxy, but not at all, was lost behind it. One missing at all of
them may have been lost before: the sender's onsets, the proxy's own counts and the connections tell, edge by
edge from the sender outward; where nothing does, the hop stays unknown.
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.onsets import onsets_of_edges, with_beginning_at_onset, with_onset_between
from hopwatch_analysis.proxies.frontends import arrivals, expected_frames, verdicts
from hopwatch_analysis.proxies.missed_together import cut_by_reach, shared_segments
from hopwatch_analysis.proxies.replaced import behind_replaced, cut_at_handover, with_all_since
from hopwatch_analysis.spark.frames import seconds, settle
from hopwatch_analysis.terms.delays import AT_ONCE, TOLD_LATE, UNDER_WAY
from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER


@dataclass(frozen=True)
class Evidence:
    """Frames that tell one hop from another."""

    owed: DataFrame
    owed_ranges: DataFrame
    way_edges: DataFrame
    lanes: DataFrame
    onsets: DataFrame
    link_facts: DataFrame
    links: DataFrame
    counters: DataFrame
    streams: DataFrame
    counted_all: DataFrame
    sockets: DataFrame
    replaced: DataFrame
    handovers: DataFrame


def place(missing: DataFrame, evidence: Evidence, longest_way: int) -> DataFrame:
    """Missing ranges, cut where needed, with the edge of each: adds length, depth, hop_known, from_socket, to_socket, took_over
    (the edge leaves a proxy that came in another's place).

    Where the hop is not known (``hop_known`` false) the edge is the first one that may have lost the range.
    """
    edges = evidence.way_edges.select("stream", "receiver", "depth", "from_socket", "to_socket", "length")
    way = ["stream", "receiver"]
    pieces = missing.join(edges.where("length = 1"), on=way, how="inner").withColumn("placed", sf.lit(1))
    if longest_way > 1:
        behind = missing.join(edges.where("length > 1").select(*way).distinct(), on=way, how="left_semi")
        placed = _place_on_long_ways(behind, evidence, longest_way)
        pieces = pieces.unionByName(placed.join(edges.drop("length"), on=[*way, "depth"], how="inner"))
    took_over = behind_replaced(evidence.replaced)
    return (
        pieces.join(sf.broadcast(took_over), on=["stream", "receiver", "depth"], how="left")
        .fillna(False, subset=["took_over"])
        .withColumn("hop_known", sf.col("placed").isNotNull())
        .drop("placed")
    )


def overlaps_a_down() -> Column:
    """Whether the time the range was sent in overlaps one in which the edge's connection was down."""
    from_time = sf.col("before_sent_at")
    return sf.coalesce(
        sf.exists(
            "downs",
            lambda down: (
                (down["start"] <= sf.coalesce(sf.col("after_sent_at"), down["start"]))
                & (sf.coalesce(down["end"], from_time) >= from_time)
            ),
        ),
        sf.lit(False),
    )


def shows_behind_a_down() -> Column:
    """Whether the range was sent before the edge's connection went down, and found missing when it was up again: what was under way then
    is lost, and what a sender that connects had not passed on comes after it.
    """
    return sf.coalesce(
        sf.exists(
            "downs",
            lambda down: (
                sf.col("after_sent_at").isNotNull()
                & (seconds(down["start"], sf.col("after_sent_at")) >= 0)
                & (seconds(down["start"], sf.col("before_sent_at")) <= UNDER_WAY)
                & (sf.col("seen_at") > down["start"])
                & sf.coalesce(
                    seconds(sf.col("seen_at"), down["end"]).between(-TOLD_LATE, UNDER_WAY), sf.lit(False)
                )
            ),
        ),
        sf.lit(False),
    )


def _went_with_the_proxy() -> Column:
    """Whether the connection went down for good when the proxy ended: then all its connections did, and what had not
    arrived by then may have been before the proxy, in it or behind it.
    """
    before = sf.col("before_sent_at")
    stayed_up = sf.forall(
        "downs", lambda down: down["end"].isNull() | before.isNull() | (down["end"] < before)
    )
    at_the_end = sf.col("part").isin("tail", "all") & sf.col("to_ended_at").isNotNull()
    return at_the_end & sf.coalesce(stayed_up, sf.lit(False))


def _place_on_long_ways(missing: DataFrame, evidence: Evidence, longest_way: int) -> DataFrame:
    by_count = evidence.owed.where("by_count").select(*LANE_OF_RECEIVER)
    numbered = evidence.owed_ranges.join(by_count, on=list(LANE_OF_RECEIVER), how="left_anti")
    shared = settle(shared_segments(missing, numbered, evidence.way_edges))
    expected = settle(
        expected_frames(evidence.owed, evidence.owed_ranges, evidence.way_edges, evidence.lanes)
    )
    arrived = settle(arrivals(evidence.counters, evidence.links, evidence.streams, evidence.counted_all))
    pieces = cut_by_reach(missing, shared, evidence.way_edges).withColumn(
        "placed", sf.when(sf.col("depth") == sf.col("length"), sf.col("depth"))
    )
    pieces = settle(
        pieces.transform(lambda frame: _placed_by_onsets(frame, shared, evidence)).transform(
            lambda frame: cut_at_handover(frame, evidence.handovers)
        )
    )
    all_since = settle(
        with_all_since(pieces, evidence.handovers, evidence.way_edges, evidence.lanes, arrived)
    )
    for depth in range(1, longest_way):
        at_edges = settle(
            pieces.transform(lambda frame, depth=depth: _at_depth(frame, evidence.way_edges, depth))
        )
        proofs = verdicts(at_edges, depth, expected, arrived, evidence.lanes)
        proofs = proofs.join(all_since, on="to_socket", how="full")
        pieces = settle(_placed_at(at_edges, proofs, evidence, depth))
    return pieces.drop("handed")


def _placed_by_onsets(pieces: DataFrame, shared: DataFrame, evidence: Evidence) -> DataFrame:
    """Open pieces that reach back to the sender's own pipe, and began when that was full: placed there. So are ends of lanes of
    which the last message that arrived was sent shortly before another lane's end began so.
    """
    first_edges = evidence.way_edges.where("depth = 1").select(
        "stream", "receiver", "from_socket", "to_socket"
    )
    own = shared.where("depth = 1")
    runs = own.select("stream", "lane", "from_socket", "to_socket", "first", "run_first")
    by_own_pipe = sf.col("begins_at_onset") | sf.col("onset_between").isNotNull()
    begun = settle(
        pieces.join(first_edges, on=["stream", "receiver"], how="inner")
        .join(runs, on=["stream", "lane", "from_socket", "to_socket", "first"], how="left")
        .transform(lambda frame: with_beginning_at_onset(frame, evidence.onsets, "run_first"))
    )
    of_edges = onsets_of_edges(evidence.onsets, own, begun.where("depth = 1"))
    met = evidence.onsets.groupBy("stream", "lane", sf.col("lane_number").alias("run_first")).agg(
        sf.max("at").alias("met_at")
    )
    return (
        with_onset_between(begun, of_edges)
        .join(met, on=["stream", "lane", "run_first"], how="left")
        .withColumn("by_own_pipe", by_own_pipe | _ends_with_another_lane())
        .withColumn(
            "placed", sf.when((sf.col("depth") == 1) & sf.col("by_own_pipe"), 1).otherwise(sf.col("placed"))
        )
        .drop(
            "from_socket",
            "to_socket",
            "run_first",
            "begins_at_onset",
            "onset_between",
            "met_at",
            "by_own_pipe",
        )
    )


def _ends_with_another_lane() -> Column:
    per_edge = Window.partitionBy("stream", "from_socket", "to_socket")
    ends = sf.col("part").isin("tail", "all") & (sf.col("depth") == 1) & sf.col("run_first").isNotNull()
    met_at = sf.max(sf.when(ends & sf.col("begins_at_onset"), sf.col("met_at"))).over(per_edge)
    soon = seconds(met_at, sf.col("before_sent_at")).between(0, AT_ONCE)
    return sf.coalesce(ends & soon, sf.lit(False))


def _at_depth(pieces: DataFrame, way_edges: DataFrame, depth: int) -> DataFrame:
    edges = way_edges.where(sf.col("depth") == depth).select("stream", "receiver", "from_socket", "to_socket")
    return pieces.join(edges, on=["stream", "receiver"], how="left")


def _placed_at(at_edges: DataFrame, proofs: DataFrame, evidence: Evidence, depth: int) -> DataFrame:
    """Decide the pieces that are open at this depth: this edge, or one further on, or not to be known."""
    left_first = evidence.owed.select(*LANE_OF_RECEIVER, "receiver_left_first")
    downs = evidence.link_facts.select("from_socket", "to_socket", "downs")
    proxies_ends = evidence.sockets.select(
        sf.col("socket").alias("to_socket"), sf.col("ended_at").alias("to_ended_at")
    )
    is_open = sf.col("placed").isNull() & (sf.col("depth") == depth)
    came_later = evidence.replaced.where(sf.col("depth") == depth).select(
        "stream", "receiver", sf.lit(True).alias("came_later")
    )
    # counts of a proxy say nothing of what went through another one
    alone = sf.col("came_later").isNull()
    here = (
        sf.coalesce("none_arrived", sf.lit(False)) | (overlaps_a_down() & ~_went_with_the_proxy())
    ) & alone
    left_with_it = sf.col("receiver_left_first") & sf.col("part").isin("tail", "all")
    arrived = (sf.col("all_arrived") & alone) | (sf.col("handed") & sf.col("all_since"))
    behind = sf.coalesce(arrived, sf.lit(False)) | (left_with_it & ~here)
    return (
        at_edges.join(proofs, on="to_socket", how="left")
        .join(sf.broadcast(came_later), on=["stream", "receiver"], how="left")
        .join(downs, on=["from_socket", "to_socket"], how="left")
        .join(proxies_ends, on="to_socket", how="left")
        .join(left_first, on=list(LANE_OF_RECEIVER), how="left")
        .withColumn("moves", is_open & behind)
        .withColumn(
            "placed",
            sf.when(sf.col("moves") & (sf.col("length") == depth + 1), depth + 1)
            .when(is_open & ~behind & here, depth)
            .otherwise(sf.col("placed")),
        )
        .withColumn("depth", sf.when(sf.col("moves"), depth + 1).otherwise(sf.col("depth")))
        .drop(
            "moves",
            "all_arrived",
            "none_arrived",
            "all_since",
            "came_later",
            "downs",
            "to_ended_at",
            "receiver_left_first",
            "from_socket",
            "to_socket",
        )
    )
