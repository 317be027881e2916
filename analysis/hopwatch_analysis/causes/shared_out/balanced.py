"""Streams that are shared out among receivers (PUSH, DEALER, REQ): what is missing is known from all of them together.

Whose hop lost it is told by what happened to the receivers: one left or was cut off while the others went on,
or there is only one. Where several could have lost it, it is not told.
"""

from datetime import datetime
from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.ended import sender_let_go
from hopwatch_analysis.causes.reasons import died
from hopwatch_analysis.causes.rested import (
    had_all_that_came,
    said_nothing_was_left,
    said_some_was_left,
)
from hopwatch_analysis.causes.shared_out.before_proxies import (
    counted_out,
    lost_before,
    lost_in_cuts,
    with_lost_before,
)
from hopwatch_analysis.causes.shared_out.conflated import of_several, of_the_only_one
from hopwatch_analysis.causes.shared_out.cut_shares import IN_THE_CUT, in_parts, is_cut, of_cut
from hopwatch_analysis.causes.shared_out.held_by_others import reading_on, with_held_by_others
from hopwatch_analysis.causes.shared_out.kept import (
    KEPT,
    is_proved,
    of_queue,
    outlives_its_receiver,
    surely_gone,
)
from hopwatch_analysis.causes.shared_out.shares import left_with_some_unread
from hopwatch_analysis.doubts.watched import idle_between
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.accounts import COLUMNS, IN_FLIGHT, UNEXPLAINED

PLACE = ("receiver", "depth", "from_socket", "to_socket")


def balanced_accounts(
    shares: DataFrame,
    arrivals: DataFrame,
    way_edges: DataFrame,
    strangers: DataFrame,
    *,
    window_end: datetime,
    guard: float,
) -> DataFrame:
    """Accounts of shared-out streams that something is missing of; those whose hop is not known have no receiver and no edge."""
    counted = settle(counted_out(shares, arrivals, way_edges, strangers))
    whole = settle(shares.transform(lambda frame: with_lost_before(frame, counted)))
    conflated = whole.where("missing > 0 and conflates")
    lacking = whole.where("missing > 0 and not conflates")
    split = (
        lacking.where(~is_cut())
        .transform(lambda frame: with_held_by_others(frame, window_end, guard))
        .withColumn("of_suspect", _of_suspect())
    )
    in_cuts = in_parts(
        lacking.where(is_cut()),
        of_end=sf.when(sf.col("left_first"), _why_left()).otherwise(_why_rest(window_end, guard)),
        reads_on=reading_on(window_end, guard),
        sure=_sure_behind_a_cut(),
    )
    rest = sf.col("missing") - sf.col("of_suspect")
    one_is_gone = (sf.col("suspects") == 1) & (sf.col("gone") == 1)
    others = sf.col("receivers") - sf.when(one_is_gone & (sf.col("held") == 0), 1).otherwise(0)
    only_one_left = (sf.col("receivers") == 1) | ((others == 1) & ~sf.col("suspect"))
    of_the_one_left = split.where(only_one_left & (rest > 0)).withColumn("rest", rest)
    known = (
        _of_the_suspect(split.where("suspect and of_suspect > 0"))
        .unionByName(_of_the_one_left(of_the_one_left, window_end, guard), allowMissingColumns=True)
        .unionByName(in_cuts, allowMissingColumns=True)
        .unionByName(of_the_only_one(conflated), allowMissingColumns=True)
        .withColumn("cause", _unless_unsure(sf.col("cause")))
        .transform(lambda frame: _on_their_edge(frame, way_edges))
    )
    unknown = (
        split.where((others > 1) & (rest > 0))
        .withColumn("nobody_left", sf.min(sf.col("y_ended_at").isNull()).over(Window.partitionBy("stream")))
        .withColumns({"messages": rest, "cause": _why_unknown(), "mark": sf.lit("any")})
        .select("stream", "messages", "cause", "mark", sf.col("x_ended_at").alias("at"))
        .distinct()
    )
    accounts = known.unionByName(unknown.unionByName(of_several(conflated)), allowMissingColumns=True)
    in_cuts_before = lost_before(shares, lost_in_cuts(shares, counted))
    return accounts.unionByName(in_cuts_before, allowMissingColumns=True).transform(_as_accounts)


def _of_the_suspect(shares: DataFrame) -> DataFrame:
    """``of_suspect`` in two: what is gone, and what may have stayed in the queue of its sender."""
    went_so = left_with_some_unread() & ~sf.col("cut_off") & ~sf.col("cut_for_good")
    gone = sf.when(went_so, surely_gone(sf.col("of_suspect"))).otherwise(sf.col("of_suspect"))
    sure = _all_known() & (~sf.col("left_first") | sf.col("y_ended_at").isNotNull())
    of_those = {
        "cause": _why_suspect(),
        "mark": sf.lit("left"),
        "sure": sure & is_proved(sf.col("of_suspect")),
    }
    of_queue_ = {"cause": of_queue(), "mark": sf.lit(KEPT), "sure": sf.lit(False)}
    told = shares.withColumn("messages", gone).withColumns(of_those)
    kept = shares.withColumn("messages", sf.col("of_suspect") - gone).withColumns(of_queue_)
    return told.unionByName(kept).where("messages > 0")


def _of_the_one_left(shares: DataFrame, window_end: datetime, guard: float) -> DataFrame:
    """``rest`` in parts: what the receiver of a killed sender had in its inbox as it closed, what a queue was still to bring, and what was overtaken on a way of
    one pipe. Messages do not overtake each other there: a REQ, for one, throws away replies that it waits for no longer.
    """
    to_come = sf.greatest(sf.lit(0), sf.col("sent") - sf.col("next"))
    queued = sf.when(sf.col("receivers") == 1, sf.least("rest", to_come)).otherwise(sf.col("rest"))
    unread = sf.when(died("x") & said_some_was_left(), _held_by_the_inbox(queued)).otherwise(0)
    parts = (
        (unread, sf.lit("closed"), "unread"),
        (queued - unread, _why_rest(window_end, guard), "rest"),
        (sf.col("rest") - queued, sf.lit(UNEXPLAINED), "overtaken"),
    )
    sure = _all_known() & _had_read_all_that_came()
    told = [
        shares.withColumns({"messages": messages, "cause": cause, "mark": sf.lit(mark), "sure": sure})
        for messages, cause, mark in parts
    ]
    return reduce(DataFrame.unionByName, told).where("messages > 0").drop("rest")


def _held_by_the_inbox(messages: Column) -> Column:
    """An inbox fills before a sender has to keep anything."""
    bound = sf.when(sf.col("y_rcvhwm") == 0, messages).otherwise(sf.least(messages, sf.col("y_rcvhwm")))
    return sf.coalesce(bound, sf.lit(0))


def _all_known() -> Column:
    """How this receiver is connected, that there are no others, that no other connection went down than is told, that this one did as an end went, and as which one."""
    watched = sf.col("all_watched") & ~sf.col("seen_by_one") & ~sf.col("unseen")
    return sf.col("linked") & ~sf.col("uncounted") & watched


def _sure_behind_a_cut() -> Column:
    """What it lacks had been sent when the receiver had got something by its new connection, and how that ended is known."""
    got_some_since = ~sf.col("cut_off") | sf.coalesce(
        sf.col("next") > sf.col("sent_when_back"), sf.lit(False)
    )
    how_it_ended = sf.when(sf.col("left_first"), sf.col("y_ended_at").isNotNull()).otherwise(
        _had_read_all_that_came()
    )
    is_gone = is_proved(sf.col("sent") - sf.col("next"))
    return _all_known() & got_some_since & how_it_ended & is_gone


def _had_read_all_that_came() -> Column:
    """Where both ends were closed, that is why, whichever had it."""
    had_it_all = ~died("x") | had_all_that_came(sf.col("seen_to_go_at"), sf.col("moved_at"))
    return said_nothing_was_left() & had_it_all


def _may_have_been_cut() -> Column:
    """Nobody watched its connection all the time, and nothing had come over it for a while before an end was gone."""
    return ~sf.col("watched") & idle_between(sf.col("moved_at"), sf.least("x_ended_at", "y_ended_at"))


def _of_suspect() -> Column:
    """Messages that nobody but the one suspect can have lost."""
    sent_later = sf.col("sent") - sf.col("until")
    lost = sf.greatest(sf.lit(0), sf.col("missing") - sf.greatest(sf.lit(0), sent_later) - sf.col("held"))
    return sf.when(sf.col("suspects") == 1, lost).otherwise(0)


def _unless_unsure(cause: Column) -> Column:
    """Where it is not known whether the sender or a receiver went first, who else received, or over whom it went, nor is who had taken what is
    missing.

    A REQ with ZMQ_REQ_RELAXED throws away what is in its queue when it asks anew.
    """
    throws_away = sf.coalesce(sf.col("y_relaxed") == 1, sf.lit(False))
    strangers = sf.col("shared_with_strangers") | (~sf.col("linked") & sf.col("connected"))
    unsure = sf.col("unsure") | strangers | throws_away | _may_have_been_cut()
    in_an_inbox = (cause == IN_FLIGHT) & (sf.col("mark") != KEPT)
    return sf.when(unsure & ~in_an_inbox, UNEXPLAINED).otherwise(cause)


def _why_suspect() -> Column:
    """Of one among several, nothing tells what was lost when its connection was cut from what was lost when it ended."""
    return (
        sf.when(sf.col("cut_for_good"), "reconnect")
        .when(left_with_some_unread() & sf.col("cut_off"), UNEXPLAINED)
        .when(left_with_some_unread(), _why_left())
        .otherwise(of_cut())
    )


def _why_left() -> Column:
    return sf.when(died("y"), "receiver_died").otherwise("closed")


def _why_rest(window_end: datetime, guard: float) -> Column:
    return (
        sf.when(reading_on(window_end, guard), IN_FLIGHT)
        .when(outlives_its_receiver() & sf.col("queue_ended_at").isNull(), IN_FLIGHT)
        .when(died("x"), "sender_died")
        .when(
            (sf.col("x_end") == "closed")
            & died("y")
            & ~sender_let_go(sf.col("moved_at"))
            & ~outlives_its_receiver(),
            "receiver_died",
        )
        .when(sf.col("x_end") == "closed", "closed")
        .when(sf.col("y_ended_at").isNull(), IN_FLIGHT)
        .otherwise(UNEXPLAINED)
    )


def _why_unknown() -> Column:
    all_read_on = (sf.col("suspects") == 0) | ((sf.col("suspects") == 1) & (sf.col("gone") == 0))
    queued = sf.col("x_ended_at").isNull() & sf.col("nobody_left") & all_read_on
    return sf.when(queued, IN_FLIGHT).otherwise(UNEXPLAINED)


def _on_their_edge(rows: DataFrame, way_edges: DataFrame) -> DataFrame:
    """The edge of each account. What is missing behind a proxy that got everything was lost behind it; what never
    reached the proxy, before it; else the first edge stands for an unknown one, or none where several may have lost it.
    """
    lacking = sf.col("never_arrived") - sf.col("lost_before")
    all_arrived = sf.coalesce(lacking <= 0, sf.lit(False))
    none_arrived = sf.coalesce(
        (lacking >= sf.col("messages")) & (sf.col("never_arrived_first") >= sf.col("messages")), sf.lit(False)
    )
    lost_behind = sf.col("missing") - lacking
    left_behind = (sf.col("mark") == "left") & sf.coalesce(lost_behind >= sf.col("messages"), sf.lit(False))
    at_end = (sf.col("length") == 1) | all_arrived | left_behind | _surely_at_the_end()
    at_start = ~at_end & none_arrived & (sf.col("mark") == "rest") & ~sf.col("cut_before")
    relayed_by_who_went = (sf.col("length") > 1) & sf.col("relay_gone")
    is_known = (at_end | at_start) & ~relayed_by_who_went
    over_somebody = ~sf.col("linked") & (sf.col("cause") == UNEXPLAINED)
    is_anybodys = (~is_known | over_somebody) & (sf.col("receivers") > 1) & (sf.col("cause") != IN_FLIGHT)
    edges = way_edges.select("stream", "receiver", "depth", "from_socket", "to_socket")
    return (
        rows.withColumn("depth", sf.when(at_end, sf.col("length")).otherwise(1))
        .withColumn(
            "cause",
            sf.when(sf.col("cause") == IN_FLIGHT, IN_FLIGHT)
            .when(is_known, sf.col("cause"))
            .otherwise(UNEXPLAINED),
        )
        .withColumn("at", sf.coalesce(sf.least("x_ended_at", "y_ended_at", "left_at"), sf.col("moved_at")))
        .withColumn("is_anybodys", is_anybodys)
        .join(edges, on=["stream", "receiver", "depth"], how="inner")
        .withColumns({name: sf.when(~sf.col("is_anybodys"), sf.col(name)) for name in PLACE})
    )


def _surely_at_the_end() -> Column:
    """Who left with some unread, or was cut off, lost them on the last hop, unless the proxy's counts, or a cut before it, tell otherwise."""
    of_last_hop = sf.col("mark").isin("left", "unread", KEPT, "around", IN_THE_CUT)
    came_to_the_first = sf.coalesce("never_arrived_first", sf.lit(0)) == 0
    return of_last_hop & ~sf.col("cut_before") & sf.col("never_arrived").isNull() & came_to_the_first


def _as_accounts(rows: DataFrame) -> DataFrame:
    named = rows.withColumns(
        {
            "lane": sf.lit(0).cast("long"),
            "mark": sf.concat_ws(" ", "mark", "receiver"),
            "certainty": sf.when(
                sf.col("cause").isin("reconnect", "oversize", IN_FLIGHT, UNEXPLAINED)
                | ~sf.coalesce("sure", sf.lit(False)),
                "inferred",
            ).otherwise("exact"),
            "started_at": sf.col("at"),
            "ended_at": sf.col("at"),
            "at_onset": sf.lit(False),
        }
    )
    return named.select(*COLUMNS)
