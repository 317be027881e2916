"""What is known of the two ends of each loss's hop, of the link between them, and of the sender's messages."""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import messages_sent
from hopwatch_analysis.links.links import DOUBTS
from hopwatch_analysis.spark.frames import prefixed, seconds

OF_ENDS = (
    "socket",
    "type",
    "probed",
    "probing_stopped_at",
    "never_drops",
    "end",
    "ended_at",
    "unread",
    "took_last_at",
    "asked_until",
    "opened_at",
    "node_type",
    "host",
    "name",
    "rcvhwm",
    "sndhwm",
    "linger",
    "conflate",
    "immediate",
)

HARDLY_ANY = 0.1
"""Of what was lost with the end of a lane: the share of it that may have had another cause than the rest."""


def with_facts(
    losses: DataFrame,
    sockets: DataFrame,
    links: DataFrame,
    link_facts: DataFrame,
    *,
    lanes: DataFrame,
    hang_ups: DataFrame,
    unwatched_links: DataFrame,
    unknown_downs: DataFrame,
) -> DataFrame:
    """Adds what is known of each end of the hop (``x_*`` sends, ``y_*`` receives), of the link, the sender's lane and its messages.

    What is known of sockets and links is sent to where the losses are: those are wide, many, and maybe all of one stream.
    ``linked`` is null where no connection between the two ends is known: somebody who is not wrapped may stand between.
    """
    ends = sockets.select(*OF_ENDS)
    sender = ends.select(sf.col("socket").alias("stream"), sf.col("ended_at").alias("sender_ended_at"))
    linked = links.select(
        "from_socket",
        "to_socket",
        sf.lit(True).alias("linked"),
        sf.col("transport").alias("link_transport"),
        *DOUBTS,
    )
    return (
        losses.transform(_with_full_pipes)
        .join(sf.broadcast(prefixed(ends, "x", "socket", "from_socket")), on="from_socket", how="left")
        .join(sf.broadcast(prefixed(ends, "y", "socket", "to_socket")), on="to_socket", how="left")
        .join(sf.broadcast(sender), on="stream", how="left")
        .join(sf.broadcast(link_facts), on=["from_socket", "to_socket"], how="left")
        .join(sf.broadcast(linked), on=["from_socket", "to_socket"], how="left")
        .join(sf.broadcast(unwatched_links), on=["from_socket", "to_socket"], how="left")
        .join(sf.broadcast(unknown_downs), on="from_socket", how="left")
        .join(_last_sent(lanes), on=["stream", "lane"], how="left")
        .join(sf.broadcast(hang_ups), on=["from_socket", "to_socket"], how="left")
    )


def _with_full_pipes(losses: DataFrame) -> DataFrame:
    """Adds whether the edge's pipe was full at all, in another lane at that time, and whether its receiver got all before and nothing since."""
    per_edge = Window.partitionBy("stream", "from_socket", "to_socket")
    full_at_the_end = sf.col("begins_at_onset") & sf.col("part").isin("tail", "all")
    met_full = sf.col("begins_at_onset") | sf.col("onset_between").isNotNull()
    full_until = sf.max(sf.when((sf.col("part") == "inner") & met_full, sf.col("after_sent_at"))).over(
        per_edge
    )
    stamped = sf.col("way_newest_sent_at").isNotNull()  # samples are too far apart to tell
    full_later = sf.coalesce(
        (sf.col("part") == "tail") & stamped & (full_until > sf.col("before_sent_at")), sf.lit(False)
    )
    got_all_before_it = sf.coalesce(sf.col("reached") == sf.col("onset_number"), sf.lit(False))
    return losses.withColumns(
        {
            "met_full_pipe": sf.max("begins_at_onset").over(per_edge),
            "full_in_another_lane": _in_another_lane(full_at_the_end, per_edge) | full_later,
            "stopped_at_onset": sf.max(
                full_at_the_end & (got_all_before_it | _left_hardly_any_behind())
            ).over(per_edge),
        }
    )


def _left_hardly_any_behind() -> Column:
    """Whether what may have been under way when the pipe was full is little beside what was sent behind that.

    A pipe passes messages on in order, so that of all the receiver's lanes only what was sent behind the newest message that it got was still in there:
    by its pace (of what it got; it was sent more where some was lost) so many messages.
    """
    sent_behind = seconds(sf.col("onset_at"), sf.col("way_newest_sent_at"))
    share_got = sf.try_divide(sf.col("got_of_stream"), sf.col("reached"))
    in_the_pipe = sf.try_divide(sent_behind, sf.col("pace") * share_got)
    tail = sf.col("last") - sf.col("first") + 1
    return sf.coalesce((sent_behind >= 0) & (in_the_pipe <= tail * HARDLY_ANY), sf.lit(False))


def _last_sent(lanes: DataFrame) -> DataFrame:
    """When each lane moved last, where its numbers are in its socket's count (``counted_from``), and its stream's sum: stream, lane, stream_sent (null, where
    that is not what its socket counts), counted_from, sent_at, sent_after, announced_at.
    """
    per_stream = Window.partitionBy("stream")
    return lanes.select(
        "stream",
        "lane",
        sf.when(sf.col("all_counted"), sf.sum(messages_sent()).over(per_stream)).alias("stream_sent"),
        "counted_from",
        sf.col("moved_at").alias("sent_at"),
        sf.col("moved_after").alias("sent_after"),
        "announced_at",
    )


def _in_another_lane(condition: Column, group: WindowSpec) -> Column:
    lane = sf.when(condition, sf.col("lane"))
    other = (sf.min(lane).over(group) != sf.col("lane")) | (sf.max(lane).over(group) != sf.col("lane"))
    return sf.coalesce(other, sf.lit(False))
