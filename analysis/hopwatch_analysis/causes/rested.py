"""Ends of a hop between which nothing was on its way any more when the first of them was closed."""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.reasons import died, x_first
from hopwatch_analysis.doubts.watched import idle_between
from hopwatch_analysis.terms.delays import FOUND_DEAD_WITHIN


def said_nothing_was_left() -> Column:
    """The receiver said so when it was closed. One that is still there, that died, or that did not say so may have stopped to read with some
    left, however long ago.
    """
    return sf.coalesce(sf.col("y_unread") == sf.lit(False), sf.lit(False))


def both_rested() -> Column:
    """The receiver was closed in order and had read all, and for a while before the first end went nothing was sent and nothing came, each by its own clock:
    what is missing was in no queue any more. A sender that was killed had gone some time before it was found dead.
    """
    found_late = sf.make_dt_interval(
        secs=sf.when(died("x"), FOUND_DEAD_WITHIN).otherwise(0).cast("decimal(18,6)")
    )
    sender_ended_at = sf.when(x_first(), sf.col("x_ended_at") - found_late).otherwise(sf.col("left_at"))
    receiver_ended_at = sf.when(x_first(), sf.col("to_end_down_at")).otherwise(sf.col("y_ended_at"))
    sender_rested = idle_between(sf.col("sent_at"), sender_ended_at)
    receiver_rested = idle_between(sf.col("way_moved_at"), receiver_ended_at)
    in_order = sf.coalesce((sf.col("y_end") == "closed") & (sf.col("part") == "tail"), sf.lit(False))
    return in_order & said_nothing_was_left() & sender_rested & receiver_rested
