"""Ends of a hop between which nothing was on its way any more when the first of them was closed."""

from datetime import datetime

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.reasons import died, heard_until, still_open, x_first
from hopwatch_analysis.doubts.watched import idle_between
from hopwatch_analysis.terms.delays import FOUND_DEAD_WITHIN


def said_nothing_was_left() -> Column:
    """The receiver said so when it was closed. One that is still there, that died, or that did not say so may have stopped to read with some
    left, however long ago.
    """
    return sf.coalesce(sf.col("y_unread") == sf.lit(False), sf.lit(False))


def said_some_was_left() -> Column:
    """Its inbox fills before its sender has to keep anything: what has room in that lay there."""
    return sf.coalesce("y_unread", sf.lit(False))


def had_all_that_came(seen_to_go_at: Column, moved_at: Column) -> Column:
    """The receiver had all in its inbox that its sender had passed on, where alone one that closes looks for what is left: it had seen the connection
    go, which comes behind that, or nothing had come for a while.
    """
    return seen_to_go_at.isNotNull() | idle_between(moved_at, sf.col("y_ended_at"))


def counts_itself() -> Column:
    """The receiver is a proxy that was not killed, nor left anything unread, and its counts tell until when it took something in: who is behind it may have
    gone before, or be slow.
    """
    left_some = sf.coalesce("y_unread", sf.lit(False))
    return sf.col("y_took_last_at").isNotNull() & ~died("y") & ~left_some


def proxy_had_rested(window_end: datetime) -> Column:
    """A proxy that ``counts_itself`` was asked for its counts, and took in nothing more, for a while before the first end of the hop went: so it had read all
    that had come. One that is still there is asked on, which is worth no row.
    """
    asked_until = sf.when(still_open("y"), heard_until(window_end)).otherwise(sf.col("y_asked_until"))
    sender_went = sf.when(x_first(), sf.coalesce("to_end_down_at", "x_ended_at"))
    return idle_between(sf.col("y_took_last_at"), sf.least(asked_until, sender_went))


def both_rested(window_end: datetime) -> Column:
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
    by_its_receivers = said_nothing_was_left() & receiver_rested
    had_read_all = by_its_receivers | (counts_itself() & proxy_had_rested(window_end))
    return in_order & had_read_all & sender_rested
