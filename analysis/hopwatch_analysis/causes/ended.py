"""Why the end of a lane was lost: by who went first, and what was left to read then."""

from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.mended import overlaps_a_mended_down, went_with_a_mended_down
from hopwatch_analysis.causes.nothing_came import unless_never_joined
from hopwatch_analysis.causes.overtaken import dropped_before_others
from hopwatch_analysis.causes.reasons import (
    FULL_PIPE,
    both_open,
    conflates,
    cut_off,
    died,
    drops_unseen,
    exact,
    heard_until,
    inferred,
    moved_within,
    sender_keeps,
    still_open,
    went_down,
    with_who_went_first,
    x_first,
    y_first,
)
from hopwatch_analysis.causes.rested import (
    both_rested,
    counts_itself,
    had_all_that_came,
    proxy_had_rested,
    said_nothing_was_left,
    said_some_was_left,
)
from hopwatch_analysis.doubts.watched import idle_between, is_watched
from hopwatch_analysis.links.went_first import Ended, went_unseen
from hopwatch_analysis.losses.cuts import overlaps_a_down
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.accounts import IN_FLIGHT, UNEXPLAINED
from hopwatch_analysis.terms.delays import FOUND_DEAD_WITHIN

IDLE = ("idle_by_receivers", "idle_by_itself")


def with_why_end(losses: DataFrame, window_end: datetime, guard: float) -> DataFrame:
    """Adds ``why_end``, of tails, and of lanes of which nothing arrived at all.

    A step each for what several reasons ask for: written into each, it would make one of twenty times the size, which Spark takes
    longer to read than to compute.
    """
    at_the_end = sf.col("part").isin("tail", "all") & sf.col("hop_known")
    ended = sf.col("why_ended")
    return (
        with_who_went_first(losses)
        .withColumns(_idle_by_either(window_end))
        .withColumn("why_ended", sf.when(at_the_end, _why_ended(window_end, guard)))
        .withColumn("why_ended", sf.when(conflates(), _unless_conflated(ended)).otherwise(ended))
        .withColumn("why_end", unless_never_joined(ended))
        .drop("why_ended", "sender_first", *IDLE)
    )


def _unless_conflated(why: Column) -> Column:
    """Of several that did not come all but the newest were thrown away for it; how far the last one had come is not known."""
    several = (sf.col("first") < sf.col("last")) & (why["cause"] != IN_FLIGHT)
    told = sf.struct(why["cause"].alias("cause"), sf.lit("inferred").alias("certainty"))
    return sf.when(several, inferred("conflated")).otherwise(told)


def _why_ended(window_end: datetime, guard: float) -> Column:
    """A receiver that got all that was sent before an onset, and nothing behind it, lost the ends of all its lanes there.

    Behind the onset's own message the pipe may have had room again: what it took then is on its way while the receiver reads on, and was lost
    with its queue later, unless the receiver is known to have read until nothing was left.
    """
    sender_gone, receiver_gone = x_first(), y_first()
    link_held = ~cut_off() & ~_went_down_for_good() & ~overlaps_a_mended_down()
    return (
        sf.when(still_open("y") & moved_within(sf.col("moved_at"), window_end, guard), inferred(IN_FLIGHT))
        .when(sf.col("begins_at_onset") & _nothing_was_left() & link_held, exact(FULL_PIPE))
        .when(sf.col("begins_at_onset"), inferred(FULL_PIPE))
        .when(sf.col("stopped_at_onset"), inferred(FULL_PIPE))
        .when(
            sf.col("full_in_another_lane") & (sf.col("sparse") | _had_read_all()),
            inferred(FULL_PIPE),
        )
        .when(sf.col("linked").isNotNull() & went_with_a_mended_down(), went_down())
        .when(
            drops_unseen()
            & is_watched()
            & _had_read_all()
            & ~_may_have_hung()
            & ~cut_off()
            & ~_was_under_way(),
            inferred(FULL_PIPE),
        )
        .when(sf.col("unsubscribed"), inferred(UNEXPLAINED))
        .when(sf.col("linked").isNull(), inferred(UNEXPLAINED))
        .when(dropped_before_others(), inferred(FULL_PIPE))
        .when(_went_down_for_good(), went_down())
        .when((sender_gone | receiver_gone) & _may_have_been_cut(), inferred(UNEXPLAINED))
        .when((sender_gone | receiver_gone) & both_rested(window_end), inferred(UNEXPLAINED))
        .when(sender_gone, _why_sender_went())
        .when(receiver_gone & _cut_off_long_before(), _why_cut_off())
        .when(receiver_gone & died("y"), _unless_kept(_unless_dropped_unseen("receiver_died")))
        .when(receiver_gone & sf.col("y_unread").isNull(), inferred("closed"))
        .when(receiver_gone, _unless_kept(_unless_dropped_unseen("closed")))
        .when(cut_off() | overlaps_a_down(), went_down())
        .when(both_open(), inferred(IN_FLIGHT))
        .otherwise(inferred(UNEXPLAINED))
    )


def _may_have_hung() -> Column:
    """A receiver that stopped to read looks like one with nothing left to read, and has or took along what waits in its inbox.

    That messages were dropped instead shows where others were on the same hop, or where later ones of another lane came: a pipe
    passes messages on in order.
    """
    passed_by = sf.coalesce(sf.col("way_newest_sent_at") > sf.col("sent_at"), sf.lit(False))
    is_proxy = sf.coalesce(sf.col("y_node_type") == "PROXY", sf.lit(False))  # whose own counts tell
    return (still_open("y") | died("y")) & ~is_proxy & ~sf.col("dropped_between") & ~passed_by


def _was_under_way() -> Column:
    """The receiver was closed while its sender went on, and lacks no more than a pipe holds that does not drop yet."""
    went_on = sf.coalesce(sf.col("sent_at") >= sf.col("y_ended_at"), sf.lit(False))
    return y_first() & went_on & sf.col("fits_into_the_pipe") & ~_idle_before_the_end()


def _why_sender_went() -> Column:
    """What the receiver had got by then it may still have read, or not have come to before its own end."""
    sender_died = died("x")
    cause = sf.when(sender_died, "sender_died").otherwise("closed")
    with_receiver = ~sender_died & died("y") & ~sender_let_go(sf.col("way_moved_at"))
    left_behind = sf.struct(
        sf.when(with_receiver, "receiver_died").otherwise(cause).alias("cause"),
        sf.lit("inferred").alias("certainty"),
    )
    of_sender = sf.when(sender_died, _unless_dropped_unseen("sender_died")).otherwise(
        _unless_dropped_unseen("closed")
    )
    had_it_all = ~sender_died | had_all_that_came(sf.col("to_end_down_at"), sf.col("way_moved_at"))
    of_sender_or_unread = sf.when(sender_died, inferred("sender_died")).otherwise(inferred("closed"))
    return (
        sf.when(still_open("y"), of_sender_or_unread)
        .when(said_nothing_was_left() & had_it_all & ~_seen_long_before_it_went(), of_sender)
        .when(said_nothing_was_left(), of_sender_or_unread)
        .when(sender_died & said_some_was_left() & sf.col("fits_into_the_inbox"), inferred("closed"))
        .otherwise(left_behind)
    )


def _may_have_left_some() -> Column:
    """It was closed, and did not say that nothing was left to read: whoever closes may have been busy with a message for long."""
    told = said_nothing_was_left() | counts_itself()
    return sf.coalesce(sf.col("y_end") == "closed", sf.lit(False)) & ~told


def sender_let_go(moved_at: Column) -> Column:
    """It closed with no time to linger, and its receiver lived on for long enough to read what had come."""
    lived_on = seconds(sf.col("y_ended_at"), moved_at) >= FOUND_DEAD_WITHIN
    return sf.coalesce((sf.col("x_linger") == 0) & lived_on, sf.lit(False))


def _unless_dropped_unseen(cause: str) -> Column:
    """What was queued when an end was gone is lost with it; a sender may have dropped some of it before: unseen, at an onset
    that is known of another lane, or at one that may have been another receiver's. Which end it was lost with is not known where
    nobody saw which one was gone first.
    """
    may_have_dropped = drops_unseen() | sf.col("full_in_another_lane") | sf.col("maybe_dropped")
    ends = (Ended(sf.col(f"{end}_ended_at"), sf.col(f"{end}_end")) for end in "xy")
    unsure = may_have_dropped | overlaps_a_mended_down() | went_unseen(*ends)
    return sf.when(unsure, inferred(cause)).otherwise(exact(cause))


def _unless_kept(why: Column) -> Column:
    """A sender that connects keeps what was in its queue, for whoever comes to that place."""
    told = sf.struct(why["cause"].alias("cause"), sf.lit("inferred").alias("certainty"))
    return sf.when(sender_keeps("x_immediate"), told).otherwise(why)


def _had_read_all() -> Column:
    """The receiver had nothing left to read: it said so when it was closed, or had got nothing for a while."""
    said_so = y_first() & (sf.col("y_unread") == sf.lit(False)) & (sf.col("part") == "tail")
    idle = _idle_before_the_end() & ~_may_have_left_some()
    return sf.coalesce(said_so, sf.lit(False)) | idle


def _nothing_was_left() -> Column:
    """The receiver had read all when one of the ends was closed, and it had stayed to the end of its subscription."""
    in_order = ~sf.col("x_end").isin("died") & (sf.col("y_end") == "closed") & ~sf.col("unsubscribed")
    return _idle_before_the_end() & sf.coalesce(in_order, sf.lit(False)) & ~_may_have_left_some()


def _idle_before_the_end() -> Column:
    """Nothing came any more: to a proxy, as it counts itself, else to who is behind."""
    by_receivers, by_itself = map(sf.col, IDLE)
    return sf.when(counts_itself(), by_itself).otherwise(by_receivers)


def _idle_by_either(window_end: datetime) -> dict[str, Column]:
    """For a while before the first end went nothing came to the receivers of the stream; nor to the proxy at the end of the hop, of any stream."""
    until = sf.least(
        sf.coalesce("x_ended_at", sf.lit(window_end)), sf.coalesce("y_ended_at", heard_until(window_end))
    )
    at_the_end = sf.col("part") == "tail"
    by_receivers = idle_between(sf.col("way_moved_at"), until) & at_the_end
    by_itself = counts_itself() & proxy_had_rested(window_end) & at_the_end
    return dict(zip(IDLE, (by_receivers, by_itself), strict=True))


def _may_have_been_cut() -> Column:
    """Nobody watched the connection all the time, and what had been sent did not come over it for a while before an end was gone."""
    by_receivers, by_itself = map(sf.col, IDLE)
    return ~is_watched() & (by_receivers | by_itself)


def _went_down_for_good() -> Column:
    """The connection was down before either end was gone, each end by its own clock, and did not come back.

    An end that is closed does not see its own connections go down: what it saw, however shortly before, was no end of its own. Nor was
    what the other one alone saw, where that one is known to have been there for longer.
    """
    sender_was_there = still_open("x") | (sf.col("x_ended_at") > sf.col("left_at"))
    receiver_was_there = still_open("y") | (sf.col("y_ended_at") > sf.col("to_end_down_at"))
    both_saw_it = sf.col("left_at").isNotNull() & sf.col("to_end_down_at").isNotNull()
    both_were_there = both_saw_it & sender_was_there & receiver_was_there
    return sf.coalesce(sf.col("cut_alone") | both_were_there, sf.lit(False))


def _cut_off_long_before() -> Column:
    """Only the sender saw the connection go down, long before the receiver ended: that one hung, or the way between was dead."""
    apart = seconds(sf.col("y_ended_at"), sf.col("left_at")) > FOUND_DEAD_WITHIN
    return sf.col("to_end_down_at").isNull() & sf.coalesce(apart, sf.lit(False))


def _why_cut_off() -> Column:
    return sf.when(died("y"), inferred("receiver_died")).otherwise(inferred("reconnect"))


def _seen_long_before_it_went() -> Column:
    """One end alone saw the connection go down long before the sender ended, or was found dead."""
    seen_at = sf.coalesce("left_at", "to_end_down_at")
    alone = sf.col("left_at").isNull() | sf.col("to_end_down_at").isNull()
    apart = seconds(sf.col("x_ended_at"), seen_at) > FOUND_DEAD_WITHIN
    return sf.coalesce(alone & apart, sf.lit(False))
