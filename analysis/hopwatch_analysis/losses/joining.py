"""Whether a range of messages was sent before its receiver had joined."""

from hopwatch_judge.socket_types import FILTERED_TYPES, PUBLISHING_TYPES
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import SURELY_JOINED_WITHIN


def asked_when_connected(subscriptions: DataFrame, connections: DataFrame) -> DataFrame:
    """Subscriptions with ``since`` no earlier than their receiver's first connection: what it had subscribed to by then is asked for at once."""
    first_up = (
        connections.where("action = 'connected'")
        .groupBy(sf.col("socket").alias("receiver"))
        .agg(sf.min("at").alias("first_up_at"))
    )
    return (
        subscriptions.join(first_up, on="receiver", how="left")
        .withColumn("since", sf.when(sf.col("since").isNotNull(), sf.greatest("since", "first_up_at")))
        .drop("first_up_at")
    )


def joins() -> Column:
    """The hop is one on which a receiver has to subscribe before it is sent anything."""
    return sf.col("x_type").isin(*PUBLISHING_TYPES) & sf.col("y_type").isin(*FILTERED_TYPES)


def sent_before_joining() -> Column:
    """The sender's own count proves that these were sent before the connection came up: as the stream's only lane, or
    because the receiver got all that was sent since then.
    """
    own = sf.col("from_socket") == sf.col("stream")
    by_number = sf.col("last") < sf.col("sent_when_connected") + sf.col("counted_from")
    sent_since = sf.col("stream_sent") - sf.col("sent_when_connected")
    return own & sf.coalesce(by_number | (sent_since <= sf.col("got_of_stream")), sf.lit(False))


def never_joined() -> Column:
    """All had been sent before the receiver connected and subscribed, or may have been, and it did join in mid-stream."""
    joined_at = sf.greatest("connected_at", "subscribed_at")
    before = sf.coalesce(joined_at > sf.col("sent_at"), sf.lit(False))
    maybe_before = sf.coalesce(joined_at > sf.col("sent_after"), sf.lit(False))
    return before | (sf.col("joined_midway") & maybe_before)


def began_behind_joining() -> Column:
    """The lane began when the receiver had long been connected and subscribed to it."""
    joined_at = sf.greatest("connected_at", "subscribed_at")
    both_known = sf.col("connected_at").isNotNull() & sf.col("subscribed_at").isNotNull()
    long_before = seconds(sf.col("announced_at"), joined_at) >= SURELY_JOINED_WITHIN
    direct = (sf.col("from_socket") == sf.col("stream")) & (sf.col("y_node_type") != "PROXY")
    return sf.coalesce(both_known & direct & long_before, sf.lit(False))


def came_back_first() -> Column:
    """The connection went down and came back before the receiver got the lane's first message."""
    went_before = sf.exists(
        "downs", lambda down: down["end"].isNotNull() & (down["start"] < sf.col("got_first_at"))
    )
    return sf.coalesce(went_before, sf.lit(False))
