"""What is missing of a stream with one receiver whose connection was cut: what was lost in the cut apart from what was lost later."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.rested import said_nothing_was_left
from hopwatch_analysis.causes.shared_out.kept import KEPT, of_queue, surely_gone
from hopwatch_analysis.terms.accounts import IN_FLIGHT, UNEXPLAINED

IN_THE_CUT = "cut"
"""The mark of what was lost in it."""


def is_cut() -> Column:
    """There is one receiver, and the connection to it was cut."""
    return (sf.col("receivers") == 1) & (sf.col("cut_off") | sf.col("cut_for_good"))


def in_parts(shares: DataFrame, *, of_end: Column, reads_on: Column, sure: Column) -> DataFrame:
    """``shares`` that are cut, a row for each part with its messages, cause, mark, sure, and ``before``, how many are missing before it.

    Messages stay in order on a way of one pipe. So what the receiver lacks of the numbers that it has passed was lost in a cut (where it is
    bound, once it has read what it had of the connection before), and what it lacks behind those that had been sent when the connection was
    back was not. Between the two, a sender that is bound lost what it had queued; one that connects keeps its queue, which went with
    the cut or later (later, if something of it came); and so did what the receiver's inbox had by then.
    """
    passed = sf.greatest(sf.lit(0), sf.col("next") - sf.col("delivered") - sf.col("lost_before"))
    mended_at = sf.when(sf.col("cut_off"), sf.col("sent_when_back")).otherwise(sf.col("next"))
    behind = sf.least("sent", sf.greatest("next", mended_at))
    went_with_an_end = sf.col("sender_connects") & (passed > 0)
    kept_of_last = sf.least(_in_the_queue_still(), sf.col("sent") - behind)
    kept_around = sf.when(went_with_an_end & ~reads_on, _in_the_queue_still() - kept_of_last).otherwise(0)
    kept = kept_of_last + kept_around
    in_the_queue = sf.col("sender_connects") & (sf.col("left_first") | sf.col("x_ended_at").isNotNull())
    in_the_inbox = sf.col("left_first") & ~said_nothing_was_left()
    around = (
        sf.when(reads_on, IN_FLIGHT)
        .when(went_with_an_end, of_end)
        .when(in_the_queue | in_the_inbox, UNEXPLAINED)
        .otherwise(of_cut())
    )
    last = (
        sf.when(reads_on, IN_FLIGHT)
        .when(sf.col("cut_for_good"), "reconnect")
        .when(mended_at.isNull() & (passed == 0), UNEXPLAINED)
        .otherwise(of_end)
    )
    parts = (
        (
            passed,
            sf.when(in_the_inbox & _may_have_overtaken(), UNEXPLAINED).otherwise(of_cut()),
            IN_THE_CUT,
            sf.lit(0),
        ),
        (behind - sf.col("next") - kept_around, around, "around", passed),
        (sf.col("sent") - behind - kept_of_last, last, "left", passed + behind - sf.col("next")),
        (kept, of_queue(), KEPT, passed + sf.col("sent") - kept - sf.col("next")),
    )
    told = [
        shares.withColumns(
            {"messages": messages, "cause": cause, "mark": sf.lit(mark), "before": before, "sure": sure}
        )
        for messages, cause, mark, before in parts
    ]
    return reduce(DataFrame.unionByName, told).where("messages > 0")


def _in_the_queue_still() -> Column:
    """How many of those that it has not passed its sender may have kept as it went, the highest ones."""
    unread = sf.col("sent") - sf.col("next")
    return sf.when(sf.col("cut_for_good"), 0).otherwise(unread - surely_gone(unread))


def _may_have_overtaken() -> Column:
    """A bound receiver reads in turn what came over the new connection and what it still had of the one before, which is no more than its mark."""
    since = sf.col("delivered") - sf.col("received_when_back")
    has_read_it = sf.coalesce((sf.col("y_rcvhwm") > 0) & (since > sf.col("y_rcvhwm")), sf.lit(False))
    return sf.col("cut_off") & sf.col("sender_connects") & ~has_read_it


def of_cut() -> Column:
    return sf.when(sf.col("hung_up").isNotNull(), "oversize").otherwise("reconnect")
