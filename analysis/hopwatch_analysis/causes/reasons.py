"""What causes are told by: how sure one is, and how a loss, its hop and the two ends of that stand to each other."""

from datetime import datetime

from hopwatch_judge.socket_types import DROPPING_TYPES
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.went_first import Ended, sender_went_first
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import SAMPLED_WITHIN, STILL_READING, UNDER_WAY

FULL_PIPE = "full_pipe"
DEAD = ("died", "exited")


def exact(cause: str) -> Column:
    return sf.struct(sf.lit(cause).alias("cause"), sf.lit("exact").alias("certainty"))


def inferred(cause: str) -> Column:
    return sf.struct(sf.lit(cause).alias("cause"), sf.lit("inferred").alias("certainty"))


def conflates() -> Column:
    """One end keeps the newest message only, so that neither has a full pipe: an onset in a range was another receiver's."""
    either = (sf.col("x_conflate") == 1) | (sf.col("y_conflate") == 1)
    return sf.coalesce(either & sf.col("linked").isNotNull(), sf.lit(False))


def went_down() -> Column:
    """A receiver with ZMQ_MAXMSGSIZE hangs up on whoever sends it more: then, and not whenever the connection goes down."""
    sent_by = sf.coalesce("after_sent_at", "sent_at")

    def about_then(down: Column) -> Column:
        began = sf.coalesce(seconds(down["start"], sent_by) <= UNDER_WAY, sf.lit(True))
        return began & sf.coalesce(down["end"] >= sf.col("before_sent_at"), sf.lit(True))

    hung_up = sf.coalesce(sf.exists("hang_ups", about_then), sf.lit(False))
    return sf.when(hung_up, inferred("oversize")).otherwise(inferred("reconnect"))


def drops_unseen() -> Column:
    """The sending socket drops at a full pipe, and nothing can tell when it did: a proxy's, or one not probed.

    Full pipes are seen until the probing stops; with XPUB_NODROP it blocks, or refuses, and drops nothing. Where no connection between
    the two ends is known, it may as well be somebody between them who drops.
    """
    all_sent_at = sf.coalesce("after_sent_at", "sent_at")
    probed_then = sf.col("x_probing_stopped_at").isNull() | (all_sent_at < sf.col("x_probing_stopped_at"))
    probed = sf.col("x_probed") & sf.coalesce(probed_then, sf.lit(False))
    seen = (probed & (sf.col("from_socket") == sf.col("stream"))) | sf.col("x_never_drops")
    drops = sf.col("x_type").isin(*DROPPING_TYPES) & sf.col("linked").isNotNull()
    return sf.coalesce(drops & ~seen, sf.lit(False))


def heard_until(window_end: datetime) -> Column:
    """Until when what its receivers got is known."""
    return sf.coalesce("heard_until", sf.lit(window_end))


def moved_within(moved_at: Column, window_end: datetime, guard: float) -> Column:
    return reads_on(moved_at, heard_until(window_end), sent_until=sf.col("sent_at"), guard=guard)


def reads_on(moved_at: Column, until: Column, *, sent_until: Column, guard: float) -> Column:
    """Whether a receiver that got something at ``moved_at`` is taken to go on: it did so just before ``until``, or takes so long (``pace``, seconds a
    message) for each of those that had been sent before.
    """
    had_some_left = seconds(moved_at, sent_until) > SAMPLED_WITHIN
    patience = sf.greatest(sf.lit(guard), sf.when(had_some_left, STILL_READING * sf.col("pace")))
    return sf.coalesce(seconds(until, moved_at) <= patience, sf.lit(False))


def still_open(end: str) -> Column:
    return sf.col(f"{end}_ended_at").isNull()


def died(end: str) -> Column:
    """Its process was killed, or exited without closing it."""
    return sf.coalesce(sf.col(f"{end}_end").isin(*DEAD), sf.lit(False))


def both_open() -> Column:
    return still_open("x") & still_open("y")


def sender_keeps(immediate: str) -> Column:
    """Who connects keeps its queue when its peer goes, for whoever comes to that place: not so with ZMQ_IMMEDIATE, nor who is bound."""
    at_once = sf.coalesce(sf.col(immediate) == 1, sf.lit(False))
    return sf.coalesce(sf.col("sender_connects"), sf.lit(False)) & ~at_once


def with_who_went_first(losses: DataFrame) -> DataFrame:
    """Adds ``sender_first``: else it would be worked out anew wherever a reason asks for it."""
    x, y = (Ended(sf.col(f"{end}_ended_at"), sf.col(f"{end}_end")) for end in ("x", "y"))
    return losses.withColumn("sender_first", sender_went_first(x, y))


def x_first() -> Column:
    return sf.col("sender_first")


def y_first() -> Column:
    return sf.col("y_ended_at").isNotNull() & ~x_first()


def cut_off() -> Column:
    return both_open() & sf.coalesce(sf.col("is_down"), sf.lit(False))
