"""Why nothing of a lane came at all: its receiver may have joined late, or all of it was lost as others were."""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.overtaken import dropped_before_others
from hopwatch_analysis.causes.reasons import FULL_PIPE, exact, inferred, still_open
from hopwatch_analysis.losses.joining import joins, never_joined, sent_before_joining
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import IDLE_SECONDS


def unless_never_joined(why: Column) -> Column:
    """Of lanes of which nothing arrived at all, it is not certain that the receiver had joined."""
    unsure = (sf.col("part") == "all") & joins() & ~sf.col("joined_before")
    told = sf.when(unsure, sf.struct(why["cause"].alias("cause"), sf.lit("inferred").alias("certainty")))
    return (
        sf.when(unsure & sent_before_joining(), exact("slow_joiner"))
        .when(unsure & never_joined(), inferred("slow_joiner"))
        .when(unsure & dropped_before_others(), _before_joining_or_dropped())
        .when(unsure & _came_later() & _lived_on_with_nothing_left(), inferred("slow_joiner"))
        .otherwise(told.otherwise(why))
    )


def _came_later() -> Column:
    """The receiver came, or subscribed, when the lane had begun."""
    return sf.coalesce(sf.greatest("connected_at", "subscribed_at") > sf.col("announced_at"), sf.lit(False))


def _lived_on_with_nothing_left() -> Column:
    """Both ends lived on for long enough to be rid of these, and they were not what it had left to read when it was closed: a proxy reads all that comes."""
    sender_did = still_open("x") | (seconds(sf.col("x_ended_at"), sf.col("sent_at")) > IDLE_SECONDS)
    receiver_did = seconds(sf.col("y_ended_at"), sf.col("sent_at")) > IDLE_SECONDS
    is_proxy = sf.coalesce(sf.col("y_node_type") == "PROXY", sf.lit(False))
    return sf.coalesce(sender_did & receiver_did & (is_proxy | ~sf.col("y_unread")), sf.lit(False))


def _before_joining_or_dropped() -> Column:
    """Of a lane of which nothing came to a receiver that came while it was sent: by what most of it was lost."""
    joined_at = sf.greatest("connected_at", "subscribed_at")
    sent_by = sf.coalesce("sent_after", "sent_at")
    mostly_before = seconds(joined_at, sf.col("announced_at")) > seconds(sent_by, joined_at)
    return sf.when(sf.coalesce(mostly_before, sf.lit(False)), inferred("slow_joiner")).otherwise(
        inferred(FULL_PIPE)
    )
