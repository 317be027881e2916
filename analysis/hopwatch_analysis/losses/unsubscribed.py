"""What a receiver was owed of a lane that it unsubscribed from: the numbers sent until then, as far as samples tell."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import only_of, seconds, settle
from hopwatch_analysis.terms.numbered_by_then import numbered_behind, numbered_by_then

CAUGHT_UP_WITHIN = 0.3
"""Seconds: who got a message sent so shortly before was reading what there was. And so much two hosts' clocks may differ."""


def with_count_when_unsubscribed(candidates: DataFrame, samples: DataFrame) -> DataFrame:
    """Adds what the sender had numbered at least and at most when the receiver unsubscribed: at_least, at_most."""
    leavers = candidates.where("not in_force and unsubscribed_at is not null").select(
        "stream", "lane", sf.col("unsubscribed_at").alias("moment")
    )
    told = only_of(samples, leavers, "stream")
    at_least = numbered_by_then(leavers, told).withColumnRenamed("count", "at_least")
    at_most = numbered_behind(leavers, told).withColumnRenamed("count", "at_most")
    moment = ["stream", "lane", "moment"]
    bounds = settle(at_least.join(at_most, on=moment, how="inner")).withColumnRenamed(
        "moment", "unsubscribed_at"
    )
    return candidates.join(bounds, on=["stream", "lane", "unsubscribed_at"], how="left")


def sure_end_of_unsubscribed() -> Column:
    """One past the last number that had been sent for certain."""
    known_no_further = _wanted_no_more() | _wanted_still()
    return sf.when(known_no_further, sf.col("next")).otherwise(sf.greatest("next", "at_least"))


def end_of_unsubscribed() -> Column:
    """One past the last number that may have been sent."""
    at_most = sf.least(sf.coalesce("at_most", "sent"), "sent")
    return (
        sf.when(_wanted_no_more(), sf.col("next"))
        .when(_wanted_still(), sf.greatest("next", "sent"))
        .otherwise(sf.greatest("next", "at_least", at_most))
    )


def _wanted_no_more() -> Column:
    """It never subscribed, as far as is known, or it was reading the newest messages when it unsubscribed."""
    caught_up = _lag().between(-CAUGHT_UP_WITHIN, CAUGHT_UP_WITHIN)
    return sf.col("unsubscribed_at").isNull() | sf.coalesce(caught_up, sf.lit(False))


def _wanted_still() -> Column:
    """It got what was sent long after: it had subscribed once more than is known, or clocks differ."""
    return sf.coalesce(_lag() < -CAUGHT_UP_WITHIN, sf.lit(False))


def _lag() -> Column:
    return seconds(sf.col("unsubscribed_at"), sf.col("newest_sent_at"))
