"""What never came to the proxies of a shared-out stream: their counts tell, whoever they would have given it to.

Of a stream that goes through one proxy after the other, to all of its receivers alike, each proxy's count and the one before it tell what
was lost between the two.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.shared_out.cut_shares import IN_THE_CUT
from hopwatch_analysis.terms.keys import EDGE


def with_lost_before(shares: DataFrame, counted_out: DataFrame) -> DataFrame:
    """Adds of each stream whose proxies' counts are final (or have all), and of no other stream: ``never_arrived`` at the last of them (else null), of
    those ``never_arrived_first`` at the first one, and, where connections before proxies were cut, ``lost_before``: those that later messages had overtaken by then, which
    ``missing`` has no more. ``counted_out``: see there.
    """
    per_stream = counted_out.groupBy("stream").agg(
        sf.sum("lacking").alias("never_arrived"),
        sf.sum(sf.when(sf.col("depth") == 1, sf.col("lacking"))).alias("never_arrived_first"),
    )
    lost = lost_in_cuts(shares, counted_out).groupBy("stream").agg(sf.sum("messages").alias("lost_before"))
    return (
        shares.join(per_stream, on="stream", how="left")
        .join(lost, on="stream", how="left")
        .fillna(0, subset=["lost_before"])
        .withColumn("missing", sf.col("missing") - sf.col("lost_before"))
    )


def counted_out(shares: DataFrame, arrivals: DataFrame, way_edges: DataFrame) -> DataFrame:
    """One row a stream and hop into a proxy, of streams all of whose hops into proxies tell how many of their messages did not come over
    them: stream, depth, from_socket, to_socket, lacking.
    """
    linear = sf.max("edges").over(Window.partitionBy("stream")) == 1
    known = sf.min("told").over(Window.partitionBy("stream"))
    before = sf.lag("never_came").over(Window.partitionBy("stream").orderBy("depth"))
    return (
        _hops_into_proxies(way_edges)
        .join(shares.select("stream", "sent", "frames_each").distinct(), on="stream", how="inner")
        .join(arrivals, on="to_socket", how="left")
        .join(_streams_in(way_edges), on="to_socket", how="left")
        .withColumn("never_came", _never_came())
        .withColumn("told", sf.coalesce(linear & sf.col("proxied") & _is_told(), sf.lit(False)))
        .withColumn("known", known)
        .withColumn("lacking", sf.greatest(sf.lit(0), sf.col("never_came") - sf.coalesce(before, sf.lit(0))))
        .where("known")
        .select("stream", "depth", *EDGE, "lacking")
    )


def _hops_into_proxies(way_edges: DataFrame) -> DataFrame:
    """By stream and depth: edges (how many different ones), proxied (all receivers are as far or further behind), and one of the edges."""
    inner = sf.col("depth") < sf.col("length")
    shortest = way_edges.groupBy("stream").agg(sf.min("length").alias("shortest"))
    return (
        way_edges.where(inner)
        .groupBy("stream", "depth")
        .agg(
            sf.count_distinct(*EDGE).alias("edges"),
            *(sf.min(end).alias(end) for end in EDGE),
        )
        .join(shortest, on="stream", how="inner")
        .withColumn("proxied", sf.col("shortest") > sf.col("depth"))
        .drop("shortest")
    )


def _streams_in(way_edges: DataFrame) -> DataFrame:
    return way_edges.groupBy("to_socket").agg(sf.count_distinct("stream").alias("streams_in"))


def _never_came() -> Column:
    reached = (sf.col("arrived") - sf.col("strays")) / sf.col("frames_each")
    lacking = sf.greatest(sf.lit(0), sf.col("sent") - reached).cast("long")
    return sf.when(reached.isNotNull(), lacking)  # greatest() passes nulls over


def _is_told() -> Column:
    final = sf.col("is_final") | (sf.col("is_no_newer") & (sf.col("never_came") == 0))
    return (sf.col("streams_in") == 1) & final & sf.col("never_came").isNotNull()


def lost_in_cuts(shares: DataFrame, counted_out: DataFrame) -> DataFrame:
    """One row a stream and hop into a proxy whose connection was cut: stream, depth, from_socket, to_socket, messages. Of several such hops
    only if later messages had overtaken all that never arrived: which of it was lost in which cut is not known else.
    """
    overtaken = sf.greatest(sf.lit(0), sf.col("highest") - (sf.col("sent") - sf.col("missing")))
    streams = shares.groupBy("stream", "missing").agg(
        sf.max(overtaken).alias("overtaken"),
        sf.array_distinct(sf.flatten(sf.collect_list("cut_depths"))).alias("cut_depths"),
    )
    whole = Window.partitionBy("stream")
    lacking = sf.sum("lacking").over(whole)
    alone = sf.sum((sf.col("lacking") > 0).cast("int")).over(whole) == 1
    told = sf.when(alone | (lacking <= sf.col("overtaken")), sf.col("lacking")).otherwise(0)
    return (
        counted_out.join(streams, on="stream", how="inner")
        .withColumn("messages", sf.least(told, "missing", "overtaken"))
        .where(sf.array_contains("cut_depths", sf.col("depth")) & (sf.col("messages") > 0))
        .select("stream", "depth", *EDGE, "messages")
    )


def lost_before(shares: DataFrame, lost: DataFrame) -> DataFrame:
    """One row a stream and hop (see ``lost_in_cuts``): of its only receiver, or of none."""
    receiver = sf.when(sf.col("receivers") == 1, sf.col("receiver"))
    streams = shares.select("stream", receiver.alias("receiver"), sf.col("sent_until").alias("at")).distinct()
    return lost.join(streams, on="stream", how="inner").select(
        "stream",
        "receiver",
        "messages",
        sf.lit("reconnect").alias("cause"),
        sf.concat(sf.lit(f"before {IN_THE_CUT} "), sf.col("depth")).alias("mark"),
        "depth",
        *EDGE,
        "at",
    )
