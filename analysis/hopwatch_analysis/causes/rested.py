"""Ends of a hop between which nothing was on its way any more when the first of them was closed."""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.reasons import x_first
from hopwatch_analysis.doubts.watched import idle_between


def said_nothing_was_left() -> Column:
    """The receiver said so when it was closed. One that is still there, that died, or that did not say so may have stopped to read with some
    left, however long ago.
    """
    return sf.coalesce(sf.col("y_unread") == sf.lit(False), sf.lit(False))


def both_rested() -> Column:
    """Both were closed in order, the receiver had read all, and for a while before nothing was sent and nothing came, each by its own clock: so what is missing
    was in no queue any more.
    """
    in_order = (sf.col("x_end") == "closed") & (sf.col("y_end") == "closed") & (sf.col("part") == "tail")
    sender_ended_at = sf.when(x_first(), sf.col("x_ended_at")).otherwise(sf.col("left_at"))
    receiver_ended_at = sf.when(x_first(), sf.col("to_end_down_at")).otherwise(sf.col("y_ended_at"))
    sender_rested = idle_between(sf.col("sent_at"), sender_ended_at)
    receiver_rested = idle_between(sf.col("way_moved_at"), receiver_ended_at)
    return sf.coalesce(in_order, sf.lit(False)) & said_nothing_was_left() & sender_rested & receiver_rested
