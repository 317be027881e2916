"""On which hop each missing range was lost.

A range missing at some receivers behind a proxy, but not at all, was lost behind it. One missing at all of
them may have been lost before: the sender's onsets, the proxy's own counts and the connections tell, edge by
edge from the sender outward; where nothing does, the hop stays unknown.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.watched import idle_between
from hopwatch_analysis.losses.cuts import in_a_down, went_with_the_proxy
from hopwatch_analysis.losses.evidence import Evidence
from hopwatch_analysis.losses.onsets import onsets_of_edges, with_beginning_at_onset, with_onset_between
from hopwatch_analysis.losses.past_the_pipe import past_the_pipe
from hopwatch_analysis.proxies.frontends import arrivals, expected_frames, verdicts
from hopwatch_analysis.proxies.missed_together import cut_by_reach, shared_segments
from hopwatch_analysis.proxies.replaced import behind_replaced, cut_at_handover, with_all_since
from hopwatch_analysis.spark.frames import seconds, settle
from hopwatch_analysis.terms.delays import AT_ONCE
from hopwatch_analysis.terms.keys import LANE_OF_EDGE, LANE_OF_RECEIVER


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
        _placed_by_onsets(pieces, shared, evidence)
        .transform(lambda frame: past_the_pipe(frame, evidence, expected, arrived))
        .transform(lambda frame: cut_at_handover(frame, evidence.handovers))
    )
    all_since = settle(
        with_all_since(pieces, evidence.handovers, evidence.way_edges, evidence.lanes, arrived)
    )
    rested = settle(_rested(evidence))
    for depth in range(1, longest_way):
        at_edges = settle(
            pieces.transform(lambda frame, depth=depth: _at_depth(frame, evidence, rested, depth))
        )
        proofs = verdicts(at_edges, depth, expected, arrived, evidence.lanes)
        proofs = proofs.join(all_since, on="to_socket", how="full")
        pieces = settle(_placed_at(at_edges, proofs, depth))
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
    same_messages = Window.partitionBy(*LANE_OF_EDGE, "first", "last")
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
        .withColumn("by_own_pipe", sf.max("by_own_pipe").over(same_messages))
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


def _at_depth(pieces: DataFrame, evidence: Evidence, rested: DataFrame, depth: int) -> DataFrame:
    """With the edge at this depth, and of the open ones that lead there (``is_open``) what is true of the same messages for all who are behind it:
    ``alone`` (no other proxy was beside this one), ``in_a_cut``, ``ends_by_leaving`` and ``handed``.
    """
    same_messages = Window.partitionBy(*LANE_OF_EDGE, "first", "last")
    at_depth = sf.col("depth") == depth
    edges = evidence.way_edges.where(at_depth).select("stream", "receiver", "from_socket", "to_socket")
    downs = evidence.link_facts.select("from_socket", "to_socket", "downs")
    ends = evidence.sockets.select(
        sf.col("socket").alias("to_socket"), sf.col("ended_at").alias("to_ended_at")
    )
    beside = evidence.replaced.where(at_depth).select("stream", "receiver", sf.lit(True).alias("beside"))
    left_first = evidence.owed.select(*LANE_OF_RECEIVER, "receiver_left_first")
    cut = in_a_down() & ~went_with_the_proxy()
    at_the_end = sf.col("part").isin("tail", "all")
    # who came later was not sent them: so it lacks them, and that says nothing of others
    went_with_it = sf.col("receiver_left_first") & at_the_end & sf.col("rested").isNull()
    ends_by_leaving = sf.when(sf.col("part") != "head", went_with_it)
    return (
        pieces.join(edges, on=["stream", "receiver"], how="left")
        .join(sf.broadcast(beside), on=["stream", "receiver"], how="left")
        .join(downs, on=["from_socket", "to_socket"], how="left")
        .join(ends, on="to_socket", how="left")
        .join(left_first, on=list(LANE_OF_RECEIVER), how="left")
        .join(rested, on=["stream", "receiver"], how="left")
        .withColumns(
            {
                "is_open": sf.col("placed").isNull() & at_depth,
                # the same messages were sent no earlier and no later, whoever tells
                "sent_from": sf.max("before_sent_at").over(same_messages),
                "sent_to": sf.min("after_sent_at").over(same_messages),
            }
        )
        .withColumns(
            {
                # counts of a proxy say nothing of what went through another one
                "alone": sf.max("beside").over(same_messages).isNull(),
                "in_a_cut": sf.max(sf.coalesce(cut, sf.lit(False))).over(same_messages),
                "ends_by_leaving": sf.coalesce(sf.min(ends_by_leaving).over(same_messages), sf.lit(False)),
                "handed": sf.max("handed").over(same_messages),
            }
        )
        .drop("beside", "downs", "to_ended_at", "receiver_left_first", "rested", "sent_from", "sent_to")
    )


def _rested(evidence: Evidence) -> DataFrame:
    """Receivers that were closed with nothing left to read when nothing had been sent to them for a while, and nothing had come: stream, receiver, rested (true)."""
    last_sent = evidence.lanes.groupBy("stream").agg(sf.max("moved_at").alias("last_sent_at"))
    ends = evidence.sockets.where("end = 'closed' and not unread").select(
        sf.col("socket").alias("receiver"), "ended_at"
    )
    return (
        evidence.owed.groupBy("stream", "receiver")
        .agg(sf.max("moved_at").alias("came_last_at"))
        .join(sf.broadcast(ends), on="receiver", how="inner")
        .join(last_sent, on="stream", how="inner")
        .where(
            idle_between(sf.col("came_last_at"), sf.col("ended_at"))
            & idle_between(sf.col("last_sent_at"), sf.col("ended_at"))
        )
        .select("stream", "receiver", sf.lit(True).alias("rested"))
    )


def _placed_at(at_edges: DataFrame, proofs: DataFrame, depth: int) -> DataFrame:
    """Decide the pieces that are open at this depth: this edge, or one further on, or not to be known. The same messages are decided alike for all who are
    behind the edge: else one loss would be on two hops.
    """
    in_the_cut = sf.col("in_a_cut") & sf.coalesce("cut_fits", sf.lit(True))
    here = sf.col("alone") & (sf.coalesce("none_arrived", sf.lit(False)) | in_the_cut)
    arrived = (sf.col("all_arrived") & sf.col("alone")) | (sf.col("handed") & sf.col("all_since"))
    told = settle(
        at_edges.join(proofs, on="to_socket", how="left").withColumns(
            {"here": here, "arrived": sf.coalesce(arrived, sf.lit(False))}
        )
    )
    # where gaps of the stream may be of this hop, what a receiver lacks that left may be of it as well
    by_leaving = sf.col("ends_by_leaving") & sf.col("gaps_open").isNull() & ~sf.col("here")
    behind = sf.col("arrived") | by_leaving
    return (
        told.join(sf.broadcast(_gaps_open(told)), on=["stream", "to_socket"], how="left")
        .withColumn("moves", sf.col("is_open") & behind)
        .withColumn(
            "placed",
            sf.when(sf.col("moves") & (sf.col("length") == depth + 1), depth + 1)
            .when(sf.col("is_open") & ~behind & sf.col("here"), depth)
            .otherwise(sf.col("placed")),
        )
        .withColumn("depth", sf.when(sf.col("moves"), depth + 1).otherwise(sf.col("depth")))
        .select(*at_edges.columns)
        .drop("is_open", "alone", "in_a_cut", "ends_by_leaving", "from_socket", "to_socket")
    )


def _gaps_open(told: DataFrame) -> DataFrame:
    """Proxies before which it is not known of gaps between messages that came whether they are of that hop: stream, to_socket, gaps_open (true)."""
    undecided = sf.col("is_open") & (sf.col("part") == "inner") & ~sf.col("here") & ~sf.col("arrived")
    return told.where(undecided).select("stream", "to_socket", sf.lit(True).alias("gaps_open")).distinct()
