"""What happened when on the hops that lost most: losses, onsets, reconnections, and how much was sent and received.

Losses and counts are known for stretches of time. What spans several buckets is shared out evenly between them, after all that
spans the same ones has been summed up: so the work does not grow with the length of a loss.
"""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.accounts import is_lost
from hopwatch_analysis.terms.buckets import Buckets
from hopwatch_analysis.terms.keys import HOP

HOPS_SHOWN = 40
OUTSIDE = -1
"""The bucket of what happened before the window, or nobody knows when."""

NOWHERE = "nobody"
"""Stands for the receiving node of a hop that leads nowhere."""

MEASURES = ("lost", "onsets", "reconnects", "sent", "received")


def timeline(hops: DataFrame, losses: DataFrame, way_edges: DataFrame, *, facts: DataFrame, samples: DataFrame,
             sockets: DataFrame, buckets: Buckets) -> DataFrame:  # fmt: skip
    """One row a hop and bucket with something to tell: from_node, to_node, bucket, lost, onsets, reconnects, sent, received
    (messages; null where nobody counted).

    ``sent`` is what the senders of the hop's streams sent to all their receivers, ``received`` what the hop's receiver got
    from all its senders; a proxy counts frames, and so is no such receiver.
    """
    worst = [sf.desc("lost"), sf.desc("unexplained"), sf.col("from_node"), sf.col("to_node")]
    shown = settle(hops.withColumn("to_node", _node("to")).orderBy(*worst).limit(HOPS_SHOWN).select(*HOP))

    def of_shown(frame: DataFrame) -> DataFrame:
        return frame.transform(lambda edges: _with_nodes(edges, sockets)).join(
            sf.broadcast(shown), on=list(HOP), how="left_semi"
        )

    parts = (
        _lost(losses.where(is_lost()).transform(of_shown), buckets),
        _reconnects(_downs(facts).transform(of_shown), buckets),
        _counts(way_edges.transform(of_shown), samples, buckets),
    )
    return (
        reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
        .groupBy(*HOP, "bucket")
        .agg(*[sf.sum(name).alias(name) for name in MEASURES])
    )


def bucket_of(moment: Column, buckets: Buckets) -> Column:
    """The number of the bucket: the last one for what is later, OUTSIDE for what is earlier or has no time."""
    since = sf.unix_micros(moment) - sf.unix_micros(sf.lit(buckets.begins_at))
    number = sf.coalesce(sf.floor(since / (buckets.seconds * 1_000_000)), sf.lit(OUTSIDE))
    return sf.greatest(sf.least(number, sf.lit(buckets.count - 1)), sf.lit(OUTSIDE))


def _lost(losses: DataFrame, buckets: Buckets) -> DataFrame:
    """A loss begins at its onset, and goes on from there."""
    first = bucket_of(sf.col("started_at"), buckets)
    last = sf.greatest(first, bucket_of(sf.col("ended_at"), buckets))
    return (
        losses.withColumns({"first": first, "last": last})
        .groupBy(*HOP, "first", "last")
        .agg(sf.sum("messages").alias("lost"), sf.sum(sf.col("at_onset").cast("int")).alias("onsets"))
        .transform(lambda spans: _shared_out(spans, "lost"))
        .withColumn("onsets", sf.when(sf.col("bucket") == sf.col("first"), sf.col("onsets")))
        .select(*HOP, "bucket", "lost", "onsets")
    )


def _reconnects(downs: DataFrame, buckets: Buckets) -> DataFrame:
    numbered = downs.withColumn("bucket", bucket_of(sf.col("at"), buckets))
    return numbered.groupBy(*HOP, "bucket").agg(sf.count("*").alias("reconnects"))


def _downs(facts: DataFrame) -> DataFrame:
    """Disconnections after which the connection came back: from_socket, to_socket, at."""
    downs = facts.select("from_socket", "to_socket", sf.explode("downs").alias("down"))
    return downs.where("down.end is not null").select(
        "from_socket", "to_socket", sf.col("down.start").alias("at")
    )


def _counts(edges: DataFrame, samples: DataFrame, buckets: Buckets) -> DataFrame:
    senders = edges.select(*HOP, sf.col("stream").alias("socket"), sf.lit(True).alias("sends"))
    receivers = edges.where("not to_proxy").select(
        *HOP, sf.col("to_socket").alias("socket"), sf.lit(False).alias("sends")
    )
    ends = senders.unionByName(receivers).distinct()
    amounts = (
        samples.join(ends.select("socket").distinct(), on="socket", how="left_semi")
        .transform(lambda own: _highest(own, buckets))
        .transform(_more)
    )
    sends = sf.col("sends")
    return (
        ends.join(amounts, on="socket", how="inner")
        .groupBy(*HOP, "bucket")
        .agg(
            sf.sum(sf.when(sends, sf.col("sent"))).alias("sent"),
            sf.sum(sf.when(~sends, sf.col("received"))).alias("received"),
        )
    )


def _highest(samples: DataFrame, buckets: Buckets) -> DataFrame:
    """The counts at each bucket's end: socket, bucket, sent, received."""
    numbered = samples.withColumn("bucket", bucket_of(sf.col("at"), buckets))
    return numbered.groupBy("socket", "bucket").agg(
        sf.max("sent").alias("sent"), sf.max("received").alias("received")
    )


def _more(highest: DataFrame) -> DataFrame:
    """How many more by bucket: socket, bucket, sent, received; between two samples far apart, evenly."""
    in_order = Window.partitionBy("socket").orderBy("bucket")

    def more(name: str) -> Column:
        return sf.greatest(sf.col(name) - sf.lag(name, 1, 0).over(in_order), sf.lit(0)).alias(name)

    return (
        highest.select(
            "socket",
            sf.coalesce(sf.lag("bucket").over(in_order) + 1, sf.col("bucket")).alias("first"),
            sf.col("bucket").alias("last"),
            more("sent"),
            more("received"),
        )
        .transform(lambda spans: _shared_out(spans, "sent", "received"))
        .where(sf.col("bucket") != OUTSIDE)
        .select("socket", "bucket", "sent", "received")
    )


def _shared_out(spans: DataFrame, *names: str) -> DataFrame:
    """One row a bucket from ``first`` to ``last``, with its whole-numbered share of each amount."""
    shares = {
        name: sf.expr(
            f"{name} * (bucket - first + 1) div (last - first + 1) - {name} * (bucket - first) div (last - first + 1)"
        )
        for name in names
    }
    return spans.withColumn("bucket", sf.explode(sf.sequence("first", "last"))).withColumns(shares)


def _with_nodes(edges: DataFrame, sockets: DataFrame) -> DataFrame:
    nodes = sockets.select("socket", "node", (sf.col("node_type") == "PROXY").alias("proxy"))
    return (
        edges.join(
            nodes.select(sf.col("socket").alias("from_socket"), sf.col("node").alias("from_node")),
            on="from_socket",
            how="left",
        )
        .join(nodes.toDF("to_socket", "to_node", "to_proxy"), on="to_socket", how="left")
        .withColumns({"from_node": _node("from"), "to_node": _node("to")})
        .withColumn("to_proxy", sf.coalesce("to_proxy", sf.lit(False)))
    )


def _node(side: str) -> Column:
    return sf.coalesce(f"{side}_node", f"{side}_socket", sf.lit(NOWHERE))
