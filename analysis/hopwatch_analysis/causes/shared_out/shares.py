"""Streams that are shared out: what each receiver has of them, and what is missing in all."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from hopwatch_judge.socket_types import BALANCED_TYPES
from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.rested import said_nothing_was_left
from hopwatch_analysis.causes.shared_out.conflated import ways_that_conflate
from hopwatch_analysis.causes.shared_out.cut_ways import cut_ways
from hopwatch_analysis.doubts.watched import idle_between, is_watched
from hopwatch_analysis.lanes.lanes import messages_sent
from hopwatch_analysis.losses.missing import gap_rows
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.keys import EDGE, LANE, LANE_OF_RECEIVER


def shares(
    endings: DataFrame,
    way_edges: DataFrame,
    *,
    lanes: DataFrame,
    receipts: DataFrame,
    gaps: DataFrame,
    sockets: DataFrame,
    link_facts: DataFrame,
    connections: DataFrame,
    hang_ups: DataFrame,
    strangers: DataFrame,
    unwatched_links: DataFrame,
) -> DataFrame:
    """One row a shared-out stream and receiver, with what is missing of the stream as a whole.

    Columns of the way: stream, receiver, length, delivered, next, moved_at, pace (seconds a message), x_end, x_ended_at, x_linger (the sender),
    y_end, y_ended_at, y_unread, y_relaxed, y_rcvhwm, y_heard_until (the receiver), linked (the connection of its last hop is known), watched (those of all its hops were, all the time), hung_up, left_first,
    left_sent, suspect, and the columns of ``cut_ways``. Of the stream: sent (messages, as are next and highest), in_one_lane, sent_until, missing, highest, receivers, conflates (an end of a last hop keeps the newest message only), all_watched, unsure (it is not known whether the sender or a receiver went
    first), shared_with_strangers (receivers that nobody tells of), connected (its sender tells of a connection), uncounted (there may be such), suspects, gone. And succeeded: somebody who came to the receiver's place shows that its sender kept none of what is missing.
    """
    return (
        endings.drop("receiver_went_at")
        .join(_senders(sockets), on="stream", how="inner")
        .join(_receivers(sockets), on="receiver", how="left")
        .join(_last_edges(way_edges), on=["stream", "receiver"], how="inner")
        .join(link_facts.select(*EDGE, "downs"), on=list(EDGE), how="left")
        .join(hang_ups, on=list(EDGE), how="left")
        .join(cut_ways(way_edges, endings, link_facts, sockets), on=["stream", "receiver"], how="inner")
        .join(ways_that_conflate(way_edges, sockets), on=["stream", "receiver"], how="left")
        .join(_watched(way_edges, unwatched_links), on=["stream", "receiver"], how="inner")
        .join(_received(receipts, lanes, gaps), on=["stream", "receiver"], how="left")
        .join(_sent(lanes), on="stream", how="inner")
        .join(_shared_with(strangers, way_edges), on="stream", how="left")
        .join(_connected(connections), on="stream", how="left")
        .transform(_without_counts_of_others)
        .fillna(0, subset=["delivered", "next"])
        .fillna(False, subset=["shared_with_strangers", "uncounted", "connected", "conflates"])
        .withColumn(
            "hung_up", sf.when(sf.size("hang_ups") == sf.size("downs"), sf.col("hung_up"))
        )  # else which of them it was lost in is not known
        .withColumnsRenamed({"receiver_left_first": "left_first"})
        .withColumn("suspect", left_with_some_unread() | sf.col("cut_off") | sf.col("cut_for_good"))
        .drop(*EDGE, "downs", "hang_ups")
        .transform(_with_stream_totals)
    )


def left_with_some_unread() -> Column:
    """A pipe passes messages on in order: who has read the last number of all had nothing before it left to read. Nor had who said so long
    after the last one had been sent, by the clock that tells of either.
    """
    idle = ~sf.col("left_elsewhere") & idle_between(sf.col("sent_until"), sf.col("left_at"))
    had_read_all = said_nothing_was_left() & idle
    return sf.col("left_first") & (sf.col("next") < sf.col("sent")) & ~had_read_all


def _takes_no_more() -> Column:
    """A sender that connects goes on to queue for a receiver that it has lost."""
    return left_with_some_unread() | (sf.col("cut_for_good") & ~sf.col("sender_connects"))


def _senders(sockets: DataFrame) -> DataFrame:
    senders = sockets.where(sf.col("type").isin(*BALANCED_TYPES))
    return senders.select("socket", "end", "ended_at", "linger").toDF(
        "stream", "x_end", "x_ended_at", "x_linger"
    )


def _receivers(sockets: DataFrame) -> DataFrame:
    return sockets.select("socket", "end", "ended_at", "unread", "req_relaxed", "rcvhwm", "heard_until").toDF(
        "receiver", "y_end", "y_ended_at", "y_unread", "y_relaxed", "y_rcvhwm", "y_heard_until"
    )


def _last_edges(way_edges: DataFrame) -> DataFrame:
    linked = sf.col("transport") != UNKNOWN_TRANSPORT
    return way_edges.where("depth = length").select("stream", "receiver", *EDGE, linked.alias("linked"))


def _watched(way_edges: DataFrame, unwatched_links: DataFrame) -> DataFrame:
    return (
        way_edges.join(unwatched_links, on=list(EDGE), how="left")
        .groupBy("stream", "receiver")
        .agg(sf.min(is_watched()).alias("watched"))
    )


def _received(receipts: DataFrame, lanes: DataFrame, gaps: DataFrame) -> DataFrame:
    """How many messages came, and how many were sent up to the last of them (``next``): at least so many, where several lanes have numbers of their own."""
    passed = sf.col("next") + sf.col("since") - sf.coalesce("unused", sf.lit(0))
    came = sf.sum(sf.col("count") + sf.col("since"))
    took = seconds(sf.max("moved_at"), sf.min("got_first_at"))
    return (
        receipts.join(_unused_before(receipts, lanes, gaps), on=list(LANE_OF_RECEIVER), how="left")
        .groupBy("stream", "receiver")
        .agg(
            came.alias("delivered"),
            sf.sum(passed).alias("next"),
            sf.max("moved_at").alias("moved_at"),
            sf.try_divide(took, came - 1).alias("pace"),
        )
    )


def _unused_before(receipts: DataFrame, lanes: DataFrame, gaps: DataFrame) -> DataFrame:
    """How many numbers before the one that a receiver expects next no message has: stream, receiver, lane, unused."""
    skipped = gap_rows(gaps, "skipped").select(*LANE_OF_RECEIVER, sf.col("first").alias("from"), "last")
    below = sf.least(sf.col("last") + 1, sf.col("next")) - sf.col("from")
    return (
        receipts.join(lanes.where("unused > 0").select(*LANE), on=list(LANE), how="left_semi")
        .select(*LANE_OF_RECEIVER, "next")
        .join(skipped, on=list(LANE_OF_RECEIVER), how="inner")
        .where(sf.col("from") < sf.col("next"))
        .groupBy(*LANE_OF_RECEIVER)
        .agg(sf.sum(below).alias("unused"))
    )


def _sent(lanes: DataFrame) -> DataFrame:
    return lanes.groupBy("stream").agg(
        sf.sum(messages_sent()).alias("sent"),
        sf.max("frames_each").alias("frames_each"),
        sf.max("moved_at").alias("sent_until"),
        sf.min("all_counted").alias("all_counted"),
        (sf.count("*") == 1).alias("in_one_lane"),
    )


def _without_counts_of_others(shares: DataFrame) -> DataFrame:
    """A socket's own counts of what it has sent tell nothing of messages with numbers, where others have none."""
    of_these = {
        name: sf.when(sf.col("all_counted"), sf.col(name)) for name in ("left_sent", "sent_when_back")
    }
    return shares.withColumns(of_these).drop("all_counted")


def streams_shared_with(strangers: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """Shared-out streams of which somebody of whom nobody tells may have got some messages: stream."""
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    known = _shared_with(strangers, way_edges).where("shared_with_strangers").select("stream")
    return known.join(shared_out, on="stream", how="left_semi")


def _shared_with(strangers: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Streams that pass a socket with a connection to somebody of whom nobody tells, or where nobody knows of one."""
    passing = way_edges.select("stream", "from_socket").join(
        strangers.withColumnRenamed("socket", "from_socket"), on="from_socket", how="inner"
    )
    return passing.groupBy("stream").agg(
        sf.max("counted").alias("shared_with_strangers"), sf.max(~sf.col("counted")).alias("uncounted")
    )


def _connected(connections: DataFrame) -> DataFrame:
    told = connections.where("action = 'connected'").select(sf.col("socket").alias("stream"))
    return told.distinct().withColumn("connected", sf.lit(True))


def _succeeded(whole: WindowSpec) -> Column:
    """Whoever came to its place got a later number than it, and so all that the sender's queue had before that one."""
    successor = sf.when(sf.size("came_after") > 0, sf.struct("next", "came_after"))
    others = sf.collect_list(successor).over(whole)
    return sf.exists(
        others,
        lambda other: (
            sf.col("in_one_lane")
            & (other["next"] > sf.col("next"))
            & sf.array_contains(other["came_after"], sf.col("receiver"))
        ),
    )


def _with_stream_totals(shares: DataFrame) -> DataFrame:
    whole = Window.partitionBy("stream")
    return shares.withColumns(
        {
            "missing": sf.col("sent") - sf.sum("delivered").over(whole),
            "highest": sf.max("next").over(whole),
            "receivers": sf.count("*").over(whole),
            "conflates": sf.max("conflates").over(whole),
            "all_watched": sf.min("watched").over(whole),
            "unsure": sf.max(sf.col("left_unsure") & (sf.col("next") < sf.col("sent"))).over(whole),
            "suspects": sf.sum(sf.col("suspect").cast("int")).over(whole),
            "gone": sf.sum((left_with_some_unread() | sf.col("cut_for_good")).cast("int")).over(whole),
            "succeeded": _succeeded(whole),
            "sent_when_left": sf.max(sf.when(_takes_no_more(), sf.col("left_sent"))).over(whole),
            "sent_when_mended": sf.max(sf.when(sf.col("cut_off"), sf.col("sent_when_back"))).over(whole),
        }
    )
