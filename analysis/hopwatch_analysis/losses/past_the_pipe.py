"""Gaps that the sender's own pipe cannot have made: whenever that is full, a sender that is probed sees it, and this one did not.

So what is missing had been put on its way, and if the connection to the proxy stayed up, it came there. That no full pipe is told of proves it only
where all is told that the sender saw by then, and the proxy's own counts do not say otherwise.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.evidence import Evidence
from hopwatch_analysis.proxies.frontends import verdicts
from hopwatch_analysis.spark.frames import seconds, settle
from hopwatch_analysis.terms.delays import SAMPLED_WITHIN
from hopwatch_analysis.terms.keys import EDGE, EDGE_OF_STREAM, WAY
from hopwatch_analysis.terms.ranges import holding

PIECE = (*EDGE_OF_STREAM, "lane", "first", "last")


def past_the_pipe(
    pieces: DataFrame, evidence: Evidence, expected: DataFrame, arrived: DataFrame
) -> DataFrame:
    """Open pieces of gaps in which the sender met no full pipe are of the hop behind the first one, or of one further on. ``expected`` and
    ``arrived``: see proxies/frontends.py.
    """
    senders = seeing_senders(evidence.sockets, evidence.counters, evidence.onsets, evidence.unwatched)
    seeing = seeing_edges(evidence.way_edges, senders, evidence.link_facts, evidence.replaced)
    marked = settle(with_passed(pieces, seeing, evidence.onsets))
    first_edges = evidence.way_edges.where("depth = 1 and length > 1").select(*WAY, "to_socket")
    at_edges = marked.join(first_edges, on=list(WAY), how="inner").withColumns(
        {"is_open": _is_open() & sf.col("passed").isNull(), "in_a_cut": sf.lit(False)}
    )
    proofs = verdicts(at_edges, 1, expected, arrived, evidence.lanes)
    refuted = proofs.where("more_is_lacking").select("to_socket", sf.lit(True).alias("refuted"))
    passed = sf.col("passed") & sf.col("refuted").isNull()
    return (
        marked.join(first_edges, on=list(WAY), how="left")
        .join(refuted, on="to_socket", how="left")
        .withColumn("placed", sf.when(passed & (sf.col("length") == 2), 2).otherwise(sf.col("placed")))
        .withColumn("depth", sf.when(passed, 2).otherwise(sf.col("depth")))
        .select(*pieces.columns)
    )


def seeing_senders(
    sockets: DataFrame, counters: DataFrame, onsets: DataFrame, unwatched: DataFrame
) -> DataFrame:
    """Senders that saw each full pipe, and whose full pipes are told: stream, heard_until. ``unwatched``: sockets of which not all is told."""
    probed = sockets.where("probed and probing_stopped_at is null and coalesce(conflate, 0) = 0")
    told = onsets.groupBy("stream").agg(sf.count("*").alias("told"))
    met = counters.select(sf.col("socket").alias("stream"), sf.col("onsets").alias("met"))
    # of one that goes on, the count is read a little later than the events
    all_are_told = (sf.col("told") >= sf.col("met")) | (
        sf.col("heard_until").isNotNull() & (sf.col("told") > 0)
    )
    return (
        probed.select(sf.col("socket").alias("stream"), "heard_until")
        .join(unwatched.select(sf.col("socket").alias("stream")), on="stream", how="left_anti")
        .join(met, on="stream", how="inner")
        .join(told, on="stream", how="left")
        .fillna(0, subset=["told"])
        .where(all_are_told)
        .select("stream", "heard_until")
    )


def seeing_edges(
    way_edges: DataFrame, senders: DataFrame, link_facts: DataFrame, replaced: DataFrame
) -> DataFrame:
    """First edges of these senders into a proxy, whose connection stayed up for both ends: stream, receiver, from_socket, to_socket, heard_until.
    ``replaced``: see proxies/replaced.py.
    """
    stayed_up = link_facts.where("watched and coalesce(size(downs), 0) <= 0 and not to_end_was_cut")
    return (
        way_edges.where("depth = 1 and length > 1")
        .select(*WAY, *EDGE)
        .join(senders, on="stream", how="inner")
        .join(stayed_up.select(*EDGE), on=list(EDGE), how="left_semi")
        .join(replaced.where("depth = 1").select(*WAY), on=list(WAY), how="left_anti")
    )


def with_passed(pieces: DataFrame, seeing: DataFrame, onsets: DataFrame) -> DataFrame:
    """Adds ``passed``: true of what the first edge has passed on, as far as its sender's full pipes tell (else null). What shows it of one receiver holds
    of all that lack the same messages behind the same edge.
    """
    at_first_edge = pieces.where(_is_open()).join(seeing, on=list(WAY), how="inner")
    inner = at_first_edge.where("part = 'inner' and after - before > 1").where(_all_is_told())
    gaps = inner.select(*PIECE, "before", "after")
    around = gaps.select("stream", (sf.col("before") + 1).alias("first"), (sf.col("after") - 1).alias("last"))
    full = holding(around.distinct(), onsets.select("stream", "number"), ["stream"], "number").select(
        "stream", (sf.col("first") - 1).alias("before"), (sf.col("last") + 1).alias("after")
    )
    passed = gaps.join(full.distinct(), on=["stream", "before", "after"], how="left_anti").select(*PIECE)
    of_receivers = (
        at_first_edge.join(passed.distinct(), on=list(PIECE), how="left_semi")
        .select(*WAY, "lane", "first", "last", sf.lit(True).alias("passed"))
        .distinct()
    )
    return pieces.join(of_receivers, on=[*WAY, "lane", "first", "last"], how="left")


def _is_open() -> Column:
    return sf.col("placed").isNull() & (sf.col("depth") == 1)


def _all_is_told() -> Column:
    """Whether the sender's host was heard of after the gap: an agent reads one program after the other, so a while after."""
    behind = seconds(sf.col("heard_until"), sf.col("after_sent_at")) > SAMPLED_WITHIN
    return sf.col("heard_until").isNull() | sf.coalesce(behind, sf.lit(False))
