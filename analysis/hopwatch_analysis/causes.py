"""Why each range was lost: one cause a range, from the facts about the two ends of its hop and the link between them."""

from datetime import datetime

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import seconds
from hopwatch_analysis.joining import came_back_first, joins, never_joined, sent_before_joining
from hopwatch_analysis.limits import NETWORK, RECEIVER
from hopwatch_analysis.links import sender_went_first
from hopwatch_analysis.nodes import DROPPING_TYPES
from hopwatch_analysis.place import TOLD_LATE, overlaps_a_down, shows_behind_a_down

IN_FLIGHT, UNEXPLAINED = "in_flight", "unexplained"
IDLE_SECONDS = 0.3  # without a message for as long, a receiver has read all that had reached it

A_WHILE = 0.3  # seconds: an end that closes sees its connections go down about then

FOUND_DEAD_WITHIN = 2  # seconds: its agent notices some time later that a process is gone

FULL_PIPE = "full_pipe"
DEAD = ("died", "exited")


def with_cause(losses: DataFrame, window_end: datetime, guard: float) -> DataFrame:
    """Adds ``cause`` (also "in_flight" or "unexplained") and ``certainty``, by part: ends of lanes, heads, and gaps."""
    by_part = (
        sf.when(sf.col("part") == "unsure", _inferred(UNEXPLAINED))
        .when(~sf.col("hop_known"), _unknown_hop(window_end, guard))
        .when(sf.col("part") == "inner", _why_inner())
        .when(sf.col("part") == "head", _why_head())
        .otherwise(_why_end(window_end, guard))
    )
    told = losses.withColumn("why", by_part)
    full_pipe = sf.col("why.cause") == FULL_PIPE
    cause = sf.when(full_pipe, _why_full()).otherwise(sf.col("why.cause"))
    sparse = sf.col("sparse") & ((sf.col("part") == "inner") | full_pipe)
    unclear = sf.coalesce("unclear", sf.lit(False))
    guessed = sparse | (full_pipe & (_network_may_be_why() | unclear))
    certainty = sf.when(guessed, "inferred").otherwise(sf.col("why.certainty"))
    return told.withColumns({"cause": cause, "certainty": certainty}).drop("why")


def _why_full() -> Column:
    by_network = sf.coalesce(sf.col("limited_by") == NETWORK, sf.lit(False))
    return sf.when(by_network, NETWORK).when(sf.col("in_bursts"), "hwm_too_low").otherwise("slow_receiver")


def _network_may_be_why() -> Column:
    """Between two hosts, unless the kernel said that it was the receiver."""
    between_hosts = (sf.col("link_transport") == "tcp") & (sf.col("x_host") != sf.col("y_host"))
    told = sf.coalesce(sf.col("limited_by") == RECEIVER, sf.lit(False))
    by_network = sf.coalesce(sf.col("limited_by") == NETWORK, sf.lit(False))
    return by_network | (sf.coalesce(between_hosts, sf.lit(True)) & ~told)


def _exact(cause: str) -> Column:
    return sf.struct(sf.lit(cause).alias("cause"), sf.lit("exact").alias("certainty"))


def _inferred(cause: str) -> Column:
    return sf.struct(sf.lit(cause).alias("cause"), sf.lit("inferred").alias("certainty"))


def _unknown_hop(window_end: datetime, guard: float) -> Column:
    under_way = sf.col("part").isin("tail", "all") & _both_open() & sf.col("sender_ended_at").isNull()
    moving = _moved_within(sf.col("moved_at"), window_end, guard) & sf.col("part").isin("tail", "all")
    return sf.when(under_way | (moving & _still_open("y")), _inferred(IN_FLIGHT)).otherwise(
        _inferred(UNEXPLAINED)
    )


def _why_inner() -> Column:
    return (
        sf.when(overlaps_a_down(), _went_down())
        .when(_conflates(), _inferred("conflated"))
        .when(sf.col("begins_at_onset"), _exact(FULL_PIPE))
        .when(sf.col("onset_between").isNotNull(), _inferred(FULL_PIPE))
        .when(sf.col("linked").isNotNull() & (shows_behind_a_down() | _before_it_came_back()), _went_down())
        .when(_drops_unseen(), _inferred(FULL_PIPE))
        .otherwise(_inferred(UNEXPLAINED))
    )


def _before_it_came_back() -> Column:
    """The receiver was not connected yet to a proxy that came in another's place."""
    gap_began_before = seconds(sf.col("connected_at"), sf.col("before_sent_at")) >= -TOLD_LATE
    return sf.col("took_over") & sf.coalesce(gap_began_before, sf.lit(False))


def _went_down() -> Column:
    """A receiver with ZMQ_MAXMSGSIZE hangs up on whoever sends it more."""
    return sf.when(sf.col("hung_up").isNotNull(), _inferred("oversize")).otherwise(_inferred("reconnect"))


def _conflates() -> Column:
    """One end keeps the newest message only, so that neither has a full pipe: an onset in a range was another receiver's."""
    either = (sf.col("x_conflate") == 1) | (sf.col("y_conflate") == 1)
    return sf.coalesce(either & sf.col("linked").isNotNull(), sf.lit(False))


def _why_head() -> Column:
    """Who had got a lane that began earlier from its start on was there when this one began."""
    joined_before = sf.col("joined_before")
    there_before = joined_before | sf.coalesce(sf.col("sent_when_connected") == 0, sf.lit(False))
    return (
        sf.when(there_before & came_back_first(), _inferred("reconnect"))
        .when(joined_before & _conflates(), _inferred("conflated"))
        .when(joined_before & sf.col("begins_at_onset"), _exact(FULL_PIPE))
        .when(joined_before & (_drops_unseen() | sf.col("met_full_pipe")), _inferred(FULL_PIPE))
        .when(joined_before, _inferred(UNEXPLAINED))
        .when(joins() & sent_before_joining(), _exact("slow_joiner"))
        .when(_conflates(), _inferred("conflated"))
        .when(joins(), _inferred("slow_joiner"))
        .otherwise(_inferred(UNEXPLAINED))
    )


def _why_end(window_end: datetime, guard: float) -> Column:
    """Tails, and lanes of which nothing arrived at all: of those, it is not certain that the receiver had joined."""
    ended = _why_ended(window_end, guard)
    why = sf.when(_conflates(), _unless_conflated(ended)).otherwise(ended)
    unsure = (sf.col("part") == "all") & joins() & ~sf.col("joined_before")
    told = sf.when(unsure, sf.struct(why["cause"].alias("cause"), sf.lit("inferred").alias("certainty")))
    return (
        sf.when(unsure & sent_before_joining(), _exact("slow_joiner"))
        .when(unsure & never_joined(), _inferred("slow_joiner"))
        .otherwise(told.otherwise(why))
    )


def _unless_conflated(why: Column) -> Column:
    """Of several that did not come all but the newest were thrown away for it; how far the last one had come is not known."""
    several = (sf.col("first") < sf.col("last")) & (why["cause"] != IN_FLIGHT)
    told = sf.struct(why["cause"].alias("cause"), sf.lit("inferred").alias("certainty"))
    return sf.when(several, _inferred("conflated")).otherwise(told)


def _why_ended(window_end: datetime, guard: float) -> Column:
    """A receiver that got all that was sent before an onset, and nothing behind it, lost the ends of all its lanes there.

    Behind the onset's own message the pipe may have had room again: what it took then was lost with its queue, unless
    the receiver is known to have read on until nothing was left.
    """
    sender_gone, receiver_gone = _x_first(), _y_first()
    alone = sf.col("first") == sf.col("last")
    return (
        sf.when(sf.col("begins_at_onset") & (alone | _nothing_was_left(window_end)), _exact(FULL_PIPE))
        .when(sf.col("begins_at_onset"), _inferred(FULL_PIPE))
        .when(sf.col("stopped_at_onset"), _inferred(FULL_PIPE))
        .when(sf.col("full_in_another_lane") & _had_read_all(window_end), _inferred(FULL_PIPE))
        .when(_still_open("y") & _moved_within(sf.col("moved_at"), window_end, guard), _inferred(IN_FLIGHT))
        .when(_drops_unseen() & _had_read_all(window_end) & ~_cut_off(), _inferred(FULL_PIPE))
        .when(sf.col("unsubscribed"), _inferred(UNEXPLAINED))
        .when(sf.col("linked").isNull(), _inferred(UNEXPLAINED))
        .when(_went_down_for_good(), _went_down())
        .when(sender_gone, _why_sender_went())
        .when(receiver_gone & sf.col("y_end").isin(*DEAD), _unless_dropped_unseen("receiver_died"))
        .when(receiver_gone, _unless_dropped_unseen("closed"))
        .when(_cut_off() | overlaps_a_down(), _went_down())
        .when(_both_open(), _inferred(IN_FLIGHT))
        .otherwise(_inferred(UNEXPLAINED))
    )


def _why_sender_went() -> Column:
    """What the receiver had got by then it may still have read, or not have come to before its own end."""
    sender_died = sf.col("x_end").isin(*DEAD)
    cause = sf.when(sender_died, "sender_died").otherwise("closed")
    left_behind = sf.struct(
        sf.when(~sender_died & sf.col("y_end").isin(*DEAD), "receiver_died").otherwise(cause).alias("cause"),
        sf.lit("inferred").alias("certainty"),
    )
    of_sender = sf.when(sender_died, _unless_dropped_unseen("sender_died")).otherwise(
        _unless_dropped_unseen("closed")
    )
    return sf.when(_read_on_to_the_end(), of_sender).otherwise(left_behind)


def _read_on_to_the_end() -> Column:
    """The receiver is still there, or had nothing left to read when it ended."""
    pause = sf.when(sf.col("y_end") == "died", FOUND_DEAD_WITHIN).otherwise(IDLE_SECONDS)
    idle = seconds(sf.col("y_ended_at"), sf.col("way_moved_at")) >= pause
    return (
        _still_open("y")
        | sf.coalesce(sf.col("y_unread") == sf.lit(False), sf.lit(False))
        | sf.coalesce(idle, sf.lit(False))
    )


def _drops_unseen() -> Column:
    """The sending socket drops at a full pipe, and nothing can tell when it did: a proxy's, or one not probed.

    Where no connection between the two ends is known, it may as well be somebody between them who drops.
    """
    seen = sf.col("x_probed") & (sf.col("from_socket") == sf.col("stream"))
    drops = sf.col("x_type").isin(*DROPPING_TYPES) & sf.col("linked").isNotNull()
    return sf.coalesce(drops & ~seen, sf.lit(False))


def _unless_dropped_unseen(cause: str) -> Column:
    """What was queued when an end was gone is lost with it; a sender may have dropped some of it before: unseen, or at an
    onset that is known of another lane.
    """
    unsure = _drops_unseen() | sf.col("full_in_another_lane")
    return sf.when(unsure, _inferred(cause)).otherwise(_exact(cause))


def _had_read_all(window_end: datetime) -> Column:
    """The receiver had nothing left to read: it said so when it was closed, or had got nothing for a while."""
    said_so = _y_first() & (sf.col("y_unread") == sf.lit(False)) & (sf.col("part") == "tail")
    return sf.coalesce(said_so, sf.lit(False)) | _idle_before_the_end(window_end)


def _nothing_was_left(window_end: datetime) -> Column:
    """The receiver had read all when one of the ends was closed, and it had stayed to the end of its subscription."""
    in_order = ~sf.col("x_end").isin("died") & (sf.col("y_end") == "closed") & ~sf.col("unsubscribed")
    unread = sf.coalesce("y_unread", sf.lit(False))
    return _idle_before_the_end(window_end) & sf.coalesce(in_order, sf.lit(False)) & ~unread


def _idle_before_the_end(window_end: datetime) -> Column:
    until = sf.least(
        sf.coalesce("x_ended_at", sf.lit(window_end)), sf.coalesce("y_ended_at", sf.lit(window_end))
    )
    return sf.coalesce(seconds(until, sf.col("way_moved_at")) >= IDLE_SECONDS, sf.lit(False)) & (
        sf.col("part") == "tail"
    )


def _moved_within(moved_at: Column, window_end: datetime, guard: float) -> Column:
    return sf.coalesce(seconds(sf.lit(window_end), moved_at) <= guard, sf.lit(False))


def _still_open(end: str) -> Column:
    return sf.col(f"{end}_ended_at").isNull()


def _both_open() -> Column:
    return _still_open("x") & _still_open("y")


def _x_first() -> Column:
    return sender_went_first(sf.col("x_ended_at"), sf.col("y_ended_at"))


def _y_first() -> Column:
    return sf.col("y_ended_at").isNotNull() & ~_x_first()


def _went_down_for_good() -> Column:
    """The connection was down for a while before either end was gone, each end by its own clock, and did not come back."""
    sender_was_there = _still_open("x") | (seconds(sf.col("x_ended_at"), sf.col("left_at")) > A_WHILE)
    receiver_was_there = _still_open("y") | (
        seconds(sf.col("y_ended_at"), sf.col("to_end_down_at")) > A_WHILE
    )
    both_saw_it = sf.col("left_at").isNotNull() & sf.col("to_end_down_at").isNotNull()
    return sf.coalesce(both_saw_it & sender_was_there & receiver_was_there, sf.lit(False))


def _cut_off() -> Column:
    return _both_open() & sf.coalesce(sf.col("is_down"), sf.lit(False))


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
        .when(sf.col("part") == "inner", sf.coalesce("after_sent_at", "seen_at"))
        .otherwise(sf.coalesce("sent_at", "last_sent_at", end_of_way))
    )
    return losses.withColumn("started_at", started).withColumn("ended_at", sf.greatest(ended, started))
