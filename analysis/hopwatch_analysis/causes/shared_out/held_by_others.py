"""How many of a shared-out stream's missing messages another receiver than the one suspect may have, or have had."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.reasons import died, reads_on
from hopwatch_analysis.causes.rested import said_nothing_was_left
from hopwatch_analysis.doubts.watched import idle_between


def with_held_by_others(shares: DataFrame, window_end: datetime, guard: float) -> DataFrame:
    """Adds ``until``, the number from which on nothing is the suspect's, and ``held``, how many below it may be others'.

    Each receiver gets its own in order: of what it has passed it has none in its inbox, whenever it came. So from the number on
    that the last of the others has passed, all may be others', but for the newest one that each got.
    """
    whole = Window.partitionBy("stream")
    passed = sf.min(sf.when(_may_have_some(window_end, guard), sf.col("next"))).over(whole)
    ahead = sf.sum((sf.col("next") > sf.col("passed")).cast("int")).over(whole)
    held = sf.greatest(sf.lit(0), sf.col("until") - sf.col("passed") - ahead)
    of_one = (sf.col("suspects") == 1) & sf.col("passed").isNotNull()
    return (
        shares.withColumns({"until": _until(), "passed": passed})
        .withColumn("held", sf.when(of_one, held).otherwise(0))
        .drop("passed")
    )


def reading_on(window_end: datetime, guard: float) -> Column:
    """The receiver is there, and is taken to go on at the end of the window, or of what is known of its host."""
    until = sf.coalesce("y_heard_until", sf.lit(window_end))
    goes_on = reads_on(sf.col("moved_at"), until, sent_until=sf.col("sent_until"), guard=guard)
    return sf.col("y_ended_at").isNull() & goes_on


def _until() -> Column:
    """What was sent later than the suspect had gone, or was connected again, is not its, unless somebody got a later one."""
    is_bounded = sf.col("sent_when_left").isNotNull() | (sf.col("gone") == 0)
    known = sf.greatest("highest", "sent_when_left", "sent_when_mended")
    return sf.when(is_bounded, sf.least("sent", known)).otherwise(sf.col("sent"))


def _may_have_some(window_end: datetime, guard: float) -> Column:
    """Another one, or the suspect itself reading on after its connection was mended."""
    threw_away = died("x") | sf.coalesce(
        (sf.col("x_end") == "closed") & (sf.col("x_linger") == 0), sf.lit(False)
    )
    # with more to read before its sender went, it would have read on
    was_idle = (sf.col("length") == 1) & idle_between(sf.col("moved_at"), sf.col("seen_to_go_at"))
    nothing_was_left = said_nothing_was_left() & (~threw_away | was_idle)
    return ~nothing_was_left & (~sf.col("suspect") | reading_on(window_end, guard))
