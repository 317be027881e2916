"""Whether messages were sent when a connection was down, or lost with it."""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import TOLD_LATE, UNDER_WAY


def in_a_down() -> Column:
    """Whether all of a range may have been lost with the edge's connection: it was sent, between ``sent_from`` and ``sent_to``, while that was down,
    shortly before, or before what came over the next one.
    """
    return sf.coalesce(sf.exists("downs", _may_have_taken_all), sf.lit(False))


def _may_have_taken_all(down: Column) -> Column:
    went_soon = seconds(down["start"], sf.col("sent_from")) <= UNDER_WAY
    mended_soon = sf.coalesce(seconds(sf.col("sent_to"), down["end"]) <= UNDER_WAY, sf.lit(True))
    no_later = down["start"] <= sf.coalesce(sf.col("sent_to"), down["start"])
    no_earlier = sf.coalesce(down["end"], sf.col("sent_from")) >= sf.col("sent_from")
    return went_soon & mended_soon & no_later & no_earlier


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
                & (_was_seen_behind(down) | _was_sent_just_before(down))
            ),
        ),
        sf.lit(False),
    )


def _was_seen_behind(down: Column) -> Column:
    mended = seconds(sf.col("seen_at"), down["end"]).between(-TOLD_LATE, UNDER_WAY)
    return (seconds(sf.col("seen_at"), down["start"]) > -TOLD_LATE) & sf.coalesce(mended, sf.lit(False))


def _was_sent_just_before(down: Column) -> Column:
    """What tells when it was seen missing is a clock that is behind the sender's: no message is read before it is sent."""
    behind = sf.col("seen_at") < sf.col("after_sent_at")
    soon = seconds(down["start"], sf.col("after_sent_at")) <= TOLD_LATE
    of_the_sender = sf.col("from_socket") == sf.col("stream")
    return sf.coalesce(of_the_sender & behind & soon & down["end"].isNotNull(), sf.lit(False))


def went_with_the_proxy() -> Column:
    """Whether the connection went down for good when the proxy ended: then all its connections did, and what had not
    arrived by then may have been before the proxy, in it or behind it.
    """
    before = sf.col("before_sent_at")
    stayed_up = sf.forall(
        "downs", lambda down: down["end"].isNull() | before.isNull() | (down["end"] < before)
    )
    at_the_end = sf.col("part").isin("tail", "all") & sf.col("to_ended_at").isNotNull()
    return at_the_end & sf.coalesce(stayed_up, sf.lit(False))
