"""Why each range was lost: one cause a range, from the facts about the two ends of its hop and the link between them."""

from datetime import datetime

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.ended import with_why_end
from hopwatch_analysis.causes.kernel_limits import NETWORK, RECEIVER
from hopwatch_analysis.causes.reasons import (
    FULL_PIPE,
    both_open,
    conflates,
    drops_unseen,
    exact,
    inferred,
    moved_within,
    sender_keeps,
    still_open,
    went_down,
)
from hopwatch_analysis.doubts.watched import is_watched
from hopwatch_analysis.losses.cuts import cut_took_the_next, overlaps_a_down, shows_behind_a_down
from hopwatch_analysis.losses.joining import began_behind_joining, came_back_first, joins, sent_before_joining
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.accounts import IN_FLIGHT, UNEXPLAINED
from hopwatch_analysis.terms.delays import AT_ONCE, SURELY_BEFORE, TOLD_LATE


def with_cause(losses: DataFrame, window_end: datetime, guard: float) -> DataFrame:
    """Adds ``cause`` (also "in_flight" or "unexplained") and ``certainty``, by part: ends of lanes, heads, and gaps."""
    by_part = (
        sf.when(sf.col("part") == "unsure", inferred(UNEXPLAINED))
        .when(~sf.col("hop_known"), _unknown_hop(window_end, guard))
        .when(sf.col("part") == "inner", _why_inner())
        .when(sf.col("part") == "head", _why_head())
        .otherwise(sf.col("why_end"))
    )
    told = (
        losses.withColumn("fits_into_the_pipe", _fits_into_the_pipe())
        .withColumn("fits_into_the_inbox", _fits_into_the_inbox())
        .withColumn("cut_took_the_next", ~sender_keeps("x_immediate") & ~conflates() & cut_took_the_next())
        .withColumn("dropped_between", _dropped_between())
        .withColumn("overtaken", _overtaken())
        .withColumn("lacked_by_another", _lacked_by_another())
        .transform(lambda frame: with_why_end(frame, window_end, guard))
        .withColumn("why", by_part)
    )
    full_pipe = sf.col("why.cause") == FULL_PIPE
    of_whom = (
        sf.when(sf.col("lacked_by_another"), UNEXPLAINED)
        .when(_nobody_was_there(), "reconnect")
        .otherwise(_why_full())
    )
    cause = sf.when(full_pipe, of_whom).otherwise(sf.col("why.cause"))
    by_somebody_between = sf.col("linked").isNull()
    at_the_end = sf.col("part").isin("tail", "all")
    guessed = (
        sf.col("sparse")
        | ~is_watched()
        | ((sf.col("contested") | sf.coalesce("mistakable", sf.lit(False))) & at_the_end)
        | (full_pipe & (_network_may_be_why() | ~_is_overload() | by_somebody_between))
    )
    certainty = sf.when(guessed, "inferred").otherwise(sf.col("why.certainty"))
    return told.withColumns({"cause": cause, "certainty": certainty}).drop("why", "why_end")


def _lacked_by_another() -> Column:
    """Nobody knows how this receiver is connected, and one of whom that is known lacks the same: it may stand between."""
    same_start = Window.partitionBy("stream", "lane", "first")
    another = sf.max(sf.col("linked").isNotNull()).over(same_start)
    return sf.col("linked").isNull() & sf.coalesce(another, sf.lit(False))


def _dropped_between() -> Column:
    """A full pipe made a gap between messages that passed the same hop, shortly before this range, which is not all in the pipe.

    A pipe that drops holds more than half of its mark, so that what came to nobody begins with as many.
    """
    per_edge = Window.partitionBy("stream", "from_socket", "to_socket")
    gap = sf.col("hop_known") & (sf.col("part") == "inner") & (_why_inner()["cause"] == FULL_PIPE)
    full_until = sf.max(sf.when(gap, sf.col("after_sent_at"))).over(per_edge)
    got_until = sf.greatest("before_sent_at", "way_newest_sent_at")
    shortly_before = sf.coalesce(seconds(got_until, full_until) <= AT_ONCE, sf.lit(False))
    return shortly_before & ~sf.col("fits_into_the_pipe")


def _overtaken() -> Column:
    """These had been sent when something was that came over the same hop, of whatever stream: a pipe passes messages on in order, so that they were not in it.
    Of a lane of which nothing came it is enough that most had been, since its first message tells when it began; when those behind the last one that came began is not known.
    """
    per_edge = Window.partitionBy("from_socket", "to_socket")
    newest = sf.max(sf.greatest("way_newest_sent_at", "after_sent_at")).over(per_edge)
    since_its_first, behind = seconds(newest, sf.col("announced_at")), seconds(sf.col("sent_at"), newest)
    mostly = (sf.col("part") == "all") & (since_its_first > SURELY_BEFORE) & (since_its_first > behind)
    return sf.coalesce(sf.col("hop_known") & (mostly | (behind < -SURELY_BEFORE)), sf.lit(False))


def _fits_into_the_pipe() -> Column:
    """All that came to nobody at the end of this edge's streams."""
    return sf.coalesce((sf.col("x_sndhwm") > 0) & (_never_came() <= sf.col("x_sndhwm") / 2), sf.lit(False))


def _fits_into_the_inbox() -> Column:
    """The same, of the receiver's own queue."""
    unlimited = sf.col("y_rcvhwm") == 0
    return sf.coalesce(unlimited | (_never_came() <= sf.col("y_rcvhwm")), sf.lit(False))


def _never_came() -> Column:
    per_edge = Window.partitionBy("from_socket", "to_socket")
    at_the_end = sf.col("part").isin("tail", "all")
    return sf.sum(sf.when(at_the_end, sf.col("last") - sf.col("first") + 1)).over(per_edge)


def _why_full() -> Column:
    by_network = sf.coalesce(sf.col("limited_by") == NETWORK, sf.lit(False))
    in_bursts = sf.col("in_bursts") & sf.col("clearly").isNull()
    return sf.when(by_network, NETWORK).when(in_bursts, "hwm_too_low").otherwise("slow_receiver")


def _nobody_was_there() -> Column:
    """Nobody knows by what way the receiver gets its messages, and a connection of the sender's own, who keeps its pipe (not with ZMQ_IMMEDIATE), was down
    when that was full.
    """
    met_at = sf.when(sf.col("begins_at_onset"), sf.coalesce("onset_at", "before_sent_at"))
    since, until = sf.coalesce(met_at, "before_sent_at"), sf.coalesce("after_sent_at", "sent_at")

    def was_down(down: Column) -> Column:
        began = sf.when(met_at.isNotNull(), seconds(down["start"], met_at) <= AT_ONCE).otherwise(
            down["start"] <= until
        )
        return began & sf.coalesce(down["end"] >= since, sf.lit(True))

    kept = sf.col("linked").isNull() & ~sf.coalesce(sf.col("x_immediate") == 1, sf.lit(False))
    return kept & sf.coalesce(sf.exists("unknown_downs", was_down), sf.lit(False))


def _is_overload() -> Column:
    """It is shown that the receiver was too slow for longer than a burst: by what it read meanwhile, or by how long it lost messages."""
    return sf.coalesce("clearly", sf.lit(False)) | sf.coalesce("most_of_the_time", sf.lit(False))


def _network_may_be_why() -> Column:
    """Between two hosts, unless the kernel said that it was the receiver: it says so of whoever ends the connection."""
    between_hosts = (sf.col("link_transport") == "tcp") & (sf.col("x_host") != sf.col("y_host"))
    told = sf.coalesce(sf.col("limited_by") == RECEIVER, sf.lit(False))
    by_network = sf.coalesce(sf.col("limited_by") == NETWORK, sf.lit(False))
    masqueraded = sf.coalesce("masqueraded", sf.lit(False))
    return by_network | masqueraded | (sf.coalesce(between_hosts, sf.lit(True)) & ~told)


def _unknown_hop(window_end: datetime, guard: float) -> Column:
    under_way = sf.col("part").isin("tail", "all") & both_open() & sf.col("sender_ended_at").isNull()
    moving = moved_within(sf.col("moved_at"), window_end, guard) & sf.col("part").isin("tail", "all")
    return sf.when(under_way | (moving & still_open("y")), inferred(IN_FLIGHT)).otherwise(
        inferred(UNEXPLAINED)
    )


def _why_inner() -> Column:
    return (
        sf.when(sf.col("cut_took_the_next") & drops_unseen() & is_watched(), inferred(FULL_PIPE))
        .when(
            ~conflates() & sf.col("begins_at_onset") & overlaps_a_down() & ~_overlaps_a_down_soon(),
            inferred(FULL_PIPE),
        )
        .when(overlaps_a_down(), went_down())
        .when(conflates(), inferred("conflated"))
        .when(_met_full_pipe() & _overlaps_a_former_down(), went_down())
        .when(sf.col("onset_between").isNotNull() & _began_in_a_former_down(), went_down())
        .when(sf.col("begins_at_onset"), exact(FULL_PIPE))
        .when(sf.col("onset_between").isNotNull(), inferred(FULL_PIPE))
        .when(sf.col("linked").isNotNull() & (shows_behind_a_down() | _before_it_came_back()), went_down())
        .when(drops_unseen() & is_watched(), inferred(FULL_PIPE))
        .otherwise(inferred(UNEXPLAINED))
    )


def _met_full_pipe() -> Column:
    several = sf.col("last") > sf.col("first")  # one may have been under way to the former peer
    unseen = sf.col("onset_between").isNotNull() | drops_unseen()
    return sf.col("begins_at_onset") | (several & unseen)


def _overlaps_a_former_down() -> Column:
    """The pipe was full because the peer that was there before was gone: a sender that connects keeps its pipe until the next one comes."""
    meanwhile = sf.exists(
        "former_downs",
        lambda down: (down["start"] <= sf.col("after_sent_at")) & (down["end"] >= sf.col("before_sent_at")),
    )
    return sf.coalesce(meanwhile, sf.lit(False))


def _began_in_a_former_down() -> Column:
    """The message before it was sent while nobody was there."""
    meanwhile = sf.exists(
        "former_downs",
        lambda down: sf.col("before_sent_at").between(down["start"], down["end"]),
    )
    return sf.coalesce(meanwhile, sf.lit(False))


def _overlaps_a_down_soon() -> Column:
    """A connection that had gone down, or did so soon, made the pipe full in which the first of these did not find room."""
    soon = sf.exists("downs", lambda down: _began_soon(down) & _lasted_until(down))
    return sf.coalesce(soon, sf.lit(False))


def _began_soon(down: Column) -> Column:
    return seconds(down["start"], sf.col("before_sent_at")) <= AT_ONCE


def _lasted_until(down: Column) -> Column:
    return sf.coalesce(down["end"] >= sf.col("before_sent_at"), sf.lit(True))


def _before_it_came_back() -> Column:
    """The receiver was not connected yet to a proxy that came in another's place."""
    gap_began_before = seconds(sf.col("connected_at"), sf.col("before_sent_at")) >= -TOLD_LATE
    return sf.col("took_over") & sf.coalesce(gap_began_before, sf.lit(False))


def _why_head() -> Column:
    """Who had got a lane that began earlier from its start on was there when this one began."""
    joined_before = sf.col("joined_before") | began_behind_joining()
    there_before = joined_before | sf.coalesce(sf.col("sent_when_connected") == 0, sf.lit(False))
    return (
        sf.when(there_before & came_back_first(), inferred("reconnect"))
        .when(joined_before & conflates(), inferred("conflated"))
        .when(joined_before & sf.col("begins_at_onset"), exact(FULL_PIPE))
        .when(joined_before & (drops_unseen() | sf.col("met_full_pipe")), inferred(FULL_PIPE))
        .when(joined_before, inferred(UNEXPLAINED))
        .when(joins() & sent_before_joining(), exact("slow_joiner"))
        .when(conflates(), inferred("conflated"))
        .when(joins(), inferred("slow_joiner"))
        .otherwise(inferred(UNEXPLAINED))
    )


def sent_on(losses: DataFrame) -> DataFrame:
    """For how long each sender went on sending behind an onset after which nothing arrived, where the pipe may have had
    room again: stream, from_socket, to_socket, sent_on (seconds).
    """
    doubtful = losses.where("certainty = 'inferred' and begins_at_onset and onset_at is not null")
    took = sf.max(seconds(sf.col("sent_at"), sf.col("onset_at")))
    return doubtful.groupBy("stream", "from_socket", "to_socket").agg(took.alias("sent_on"))


def with_times(losses: DataFrame) -> DataFrame:
    """Adds ``started_at`` and ``ended_at``: when the lost messages were sent, else when the loss shows."""
    end_of_way = sf.coalesce(sf.least("x_ended_at", "y_ended_at"), sf.col("sent_at"))
    started = (
        sf.when(sf.col("part").isin("head", "all"), sf.coalesce("began_at", "x_opened_at"))
        .when(sf.col("part") == "tail", sf.coalesce("before_sent_at", end_of_way))
        .otherwise(sf.coalesce("before_sent_at", "seen_at"))
    )
    ended = (
        sf.when(sf.col("part") == "head", sf.coalesce("connected_at", "began_at"))
        .when(sf.col("part") == "inner", sf.coalesce("lost_until", "after_sent_at", "seen_at"))
        .otherwise(sf.least(sf.coalesce("sent_at", "last_sent_at", end_of_way), "owed_until"))
    )
    return losses.withColumn("started_at", started).withColumn("ended_at", sf.greatest(ended, started))
