"""What a receiver was owed of a lane that it unsubscribed from: the numbers sent until then, as far as samples tell."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import only_of, seconds

CAUGHT_UP_WITHIN = 0.3  # seconds: who got a message sent so shortly before was reading what there was


def with_count_when_unsubscribed(candidates: DataFrame, samples: DataFrame) -> DataFrame:
    """Adds what the sender had numbered at least and at most when the receiver unsubscribed: at_least, at_most."""
    keys = ["stream", "receiver", "lane"]
    leavers = candidates.where("not in_force and unsubscribed_at is not null").select(
        *keys, "unsubscribed_at"
    )
    before = sf.col("at") <= sf.col("unsubscribed_at")
    bounds = (
        leavers.join(only_of(samples, leavers, "stream"), on=["stream", "lane"], how="inner")
        .groupBy(*keys)
        .agg(
            sf.max(sf.when(before, sf.col("count"))).alias("at_least"),
            sf.min(sf.when(~before, sf.col("count"))).alias("at_most"),
        )
    )
    return candidates.join(bounds, on=keys, how="left")


def sure_end_of_unsubscribed() -> Column:
    """One past the last number that had been sent for certain."""
    return sf.when(_wanted_no_more(), sf.col("next")).otherwise(sf.greatest("next", "at_least"))


def end_of_unsubscribed() -> Column:
    """One past the last number that may have been sent."""
    at_most = sf.least(sf.coalesce("at_most", "sent"), "sent")
    return sf.when(_wanted_no_more(), sf.col("next")).otherwise(sf.greatest("next", "at_least", at_most))


def _wanted_no_more() -> Column:
    """It never subscribed, as far as is known, or it was reading the newest messages when it unsubscribed."""
    lag = seconds(sf.col("unsubscribed_at"), sf.col("newest_sent_at"))
    return sf.col("unsubscribed_at").isNull() | sf.coalesce(lag <= CAUGHT_UP_WITHIN, sf.lit(False))
