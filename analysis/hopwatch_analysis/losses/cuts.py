"""Whether messages were sent when a connection was down, or lost with it."""

from collections.abc import Callable

from pyspark.sql import Column, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import TOLD_LATE, UNDER_WAY
from hopwatch_analysis.terms.keys import EDGE_OF_STREAM


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


def cut_took_the_next() -> Column:
    """Whether more of the range before this one in its lane, or behind it, was sent while the connection was down at this one's time: of a sender that keeps nothing
    one cut takes one range of a lane, up to the first message of the next connection.
    """
    in_order = Window.partitionBy(*EDGE_OF_STREAM, "lane").orderBy("first")
    until = sf.coalesce("after_sent_at", "sent_at")
    own = sf.array_max(
        sf.transform(
            "downs",
            lambda down: sf.struct(
                _shared(sf.col("before_sent_at"), until, down).alias("by"), down.alias("down")
            ),
        )
    )

    def is_anothers(neighbour: Callable[[Column], Column]) -> Column:
        since = neighbour(sf.col("before_sent_at")).over(in_order)
        theirs = _shared(since, neighbour(until).over(in_order), own["down"])
        return sf.coalesce(since.isNotNull() & (theirs > own["by"]), sf.lit(False))

    return is_anothers(sf.lag) | is_anothers(sf.lead)


def _shared(since: Column, until: Column, down: Column) -> Column:
    """Microseconds that a time and a down have in common; less than 0: that lie between them."""
    return sf.unix_micros(sf.least(until, down["end"])) - sf.unix_micros(sf.greatest(since, down["start"]))


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
