"""What never came to the proxies of a shared-out stream: their counts tell, whoever they would have given it to.

Of a stream that goes through one proxy after the other, to all of its receivers alike, each proxy's count and the one before it tell what
was lost between the two.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.shared_out.cut_shares import IN_THE_CUT
from hopwatch_analysis.proxies.frontends import HALF_A_FRAME
from hopwatch_analysis.terms.keys import EDGE

A_BIT = 1e-6


def with_lost_before(shares: DataFrame, counted_out: DataFrame) -> DataFrame:
    """Adds of each stream whose proxies' counts are final (or have all), and of no other stream: ``never_arrived`` at the last of them (else null),
    ``never_arrived_first``: at the first one (null if that does not tell), and, where connections before proxies were cut, ``lost_before``: those that later messages
    had overtaken by then, which ``missing`` has no more. ``counted_out``: see there.
    """
    per_stream = counted_out.groupBy("stream").agg(
        sf.sum(sf.when(sf.col("whole"), sf.col("lacking"))).alias("never_arrived"),
        sf.sum(sf.when(sf.col("depth") == 1, sf.col("lacking"))).alias("never_arrived_first"),
    )
    lost = lost_in_cuts(shares, counted_out).groupBy("stream").agg(sf.sum("messages").alias("lost_before"))
    return (
        shares.join(per_stream, on="stream", how="left")
        .join(lost, on="stream", how="left")
        .fillna(0, subset=["lost_before"])
        .withColumn("missing", sf.col("missing") - sf.col("lost_before"))
    )


def counted_out(
    shares: DataFrame, arrivals: DataFrame, way_edges: DataFrame, strangers: DataFrame
) -> DataFrame:
    """One row a stream and hop into a proxy that tells, as do those before it, how many of the stream's messages did not come over it: stream, depth,
    from_socket, to_socket, lacking, told, whole (all hops into proxies tell, and no receiver is behind fewer of them than another). And one of the first hop, not
    ``told``, where its counts lack something, and not how many messages. A proxy that ``strangers`` send to counts their frames too.
    """
    by_depth = Window.partitionBy("stream").orderBy("depth")
    so_far = by_depth.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    whole = Window.partitionBy("stream")
    return (
        _hops_into_proxies(way_edges)
        .join(shares.select("stream", "sent", "frames_each").distinct(), on="stream", how="inner")
        .join(arrivals, on="to_socket", how="left")
        .join(_streams_in(way_edges), on="to_socket", how="left")
        .join(_sent_to_by(strangers), on="to_socket", how="left")
        .withColumn("never_came", _never_came())
        .withColumn("before", sf.coalesce(sf.lag("never_came").over(by_depth), sf.lit(0)))
        .withColumn("counts_others_so_far", sf.max(_counts_others()).over(so_far))
        .withColumn("told", sf.coalesce(_is_told(), sf.lit(False)))
        .withColumn("told_so_far", sf.min("told").over(so_far))
        .withColumn("whole", sf.min(sf.col("told") & (sf.col("shortest") == sf.col("longest"))).over(whole))
        .withColumn("lacking", sf.col("never_came") - sf.col("before"))
        .where(sf.col("told_so_far") | ((sf.col("depth") == 1) & sf.coalesce(_is_counted(), sf.lit(False))))
        .select("stream", "depth", *EDGE, "lacking", sf.col("told_so_far").alias("told"), "whole")
    )


def _hops_into_proxies(way_edges: DataFrame) -> DataFrame:
    """By stream and depth: edges (how many different ones), one of them, and how long the stream's ways are (shortest, longest)."""
    lengths = way_edges.groupBy("stream").agg(
        sf.min("length").alias("shortest"), sf.max("length").alias("longest")
    )
    return (
        way_edges.where("depth < length")
        .groupBy("stream", "depth")
        .agg(sf.count_distinct(*EDGE).alias("edges"), *(sf.min(end).alias(end) for end in EDGE))
        .join(lengths, on="stream", how="inner")
    )


def _streams_in(way_edges: DataFrame) -> DataFrame:
    return way_edges.groupBy("to_socket").agg(sf.count_distinct("stream").alias("streams_in"))


def _sent_to_by(strangers: DataFrame) -> DataFrame:
    theirs = strangers.where("counted").select(sf.col("socket").alias("to_socket"))
    return theirs.distinct().withColumn("by_strangers", sf.lit(True))


def _lacking_frames() -> Column:
    return sf.col("sent") * sf.col("frames_each") - (sf.col("arrived") - sf.col("strays"))


def _never_came() -> Column:
    """Where no whole number is lacking, the next one."""
    messages = sf.ceil((_lacking_frames() - A_BIT) / sf.col("frames_each"))
    return sf.when(
        messages.isNotNull(), sf.greatest(sf.lit(0), messages).cast("long")
    )  # greatest() passes nulls over


def _counts_others() -> Column:
    """Frames of strangers, or more than was sent: who counts such tells nothing of what is lost further on."""
    return sf.coalesce((sf.col("strays") > 0) | (_lacking_frames() < -HALF_A_FRAME), sf.lit(False))


def _is_counted() -> Column:
    """The only hop of its depth, for all receivers, into a proxy of this stream alone, whose counts are final."""
    alone = (sf.col("edges") == 1) & (sf.col("shortest") > sf.col("depth")) & (sf.col("streams_in") == 1)
    alone &= sf.col("by_strangers").isNull() & (_lacking_frames() > -HALF_A_FRAME)
    return alone & (sf.col("is_final") | (sf.col("is_no_newer") & (sf.col("never_came") == 0)))


def _is_told() -> Column:
    """It is counted, and lacks a whole number of messages: no fewer than did not come to the proxy before."""
    beside_whole_ones = sf.col("never_came") * sf.col("frames_each") - _lacking_frames()
    of_whole_ones = (sf.col("never_came") == 0) | (beside_whole_ones < HALF_A_FRAME)
    further = ~sf.col("counts_others_so_far") & (sf.col("never_came") >= sf.col("before"))
    return _is_counted() & of_whole_ones & ((sf.col("depth") == 1) | further)


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
        counted_out.where("told")
        .join(streams, on="stream", how="inner")
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
