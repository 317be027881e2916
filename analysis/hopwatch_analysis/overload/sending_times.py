"""For how long a pipe was full as messages of a lost range were sent: at most, and at least as far as the sender's pace proves it.

They were sent between the message before them and the one behind, which may have come long after: a sender that has nothing to say sends
nothing, and that is no time in which its receiver is shown to be too slow.
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import only_of, seconds
from hopwatch_analysis.terms.keys import EDGE_OF_STREAM, LANE

READ_AT_ONCE_WITHIN = 0.02  # seconds between a message's send and its receipt
AS_EVEN = 0.8
"""Of the time that a lost range would take at the pace of what came through beside it: where it took less, its sender is uneven, and no pace of
it proves anything."""


def with_lost_between(
    losses: DataFrame, lanes: DataFrame, lane_rows: DataFrame, sockets: DataFrame
) -> DataFrame:
    """Adds to losses with ``unbroken``: lost_since and lost_until (between which the range's messages were sent; null if not known), ``proven_until`` (as long
    behind lost_since as the pipe is proven to have been full), and ``seen_late`` (seconds from the send of the message behind them to its
    receipt; null if by two clocks, or none, or without a stamp).

    If that message was read at once, the pipe was empty when it came: then they end when the sender's sample has counted them.
    """
    ends = lanes.select(*LANE, sf.col("sent").alias("sent_in_all"), sf.col("moved_at").alias("sent_until"))
    return (
        losses.join(ends, on=list(LANE), how="left")
        .withColumn("lost_until", _until())
        .withColumn("lost_since", sf.when(sf.col("lost_until").isNotNull(), sf.col("before_sent_at")))
        .transform(lambda frame: _with_seen_late(frame, sockets))
        .transform(lambda frame: _with_counted_at(frame, lane_rows))
        .transform(_with_seconds_each)
        .withColumns({"lost_until": _bounded(_at_once()), "proven_until": _proven()})
        .drop(
            "sent_in_all",
            "sent_until",
            "begun_at",
            "counted_at",
            "not_yet_at",
            "seconds_each",
            "shortest_each",
        )
    )


def _until() -> Column:
    """Until when the messages of a range were sent: between others, or to the end of their lane."""
    to_the_end = (sf.col("part") == "tail") & (sf.col("last") + 1 >= sf.col("sent_in_all"))
    until = sf.when(sf.col("part") == "inner", sf.col("after_sent_at")).when(to_the_end, sf.col("sent_until"))
    known = until.isNotNull() & sf.col("before_sent_at").isNotNull()
    return sf.when(known, sf.greatest(until, "before_sent_at"))  # greatest() passes nulls over


def _bounded(when: Column) -> Column:
    """The end, or if so, no later than the sender had counted them, nor than they take at its pace."""
    bounds = sf.least("lost_until", sf.when(when, sf.col("counted_at")), sf.when(when, _at_pace()))
    return sf.when(sf.col("lost_until").isNotNull(), sf.greatest(bounds, "lost_since"))


def _proven() -> Column:
    """While no message of a range found room the pipe was full from its first one to its last. That lasts as long as samples show, or as these take at
    the pace of an even sender; where neither is known, nothing is proven.
    """
    apart = sf.unix_micros("not_yet_at") - sf.unix_micros("begun_at")
    by_samples = sf.timestamp_micros(sf.unix_micros("lost_since") + sf.greatest(apart, sf.lit(0)))
    shown = sf.least(
        "lost_until", sf.greatest(_evenly(), by_samples, "lost_since")
    )  # greatest() passes nulls over
    proven = sf.when(sf.col("unbroken"), shown).otherwise(sf.col("lost_since"))
    return sf.when(sf.col("lost_until").isNotNull(), proven)


def _evenly() -> Column:
    """When they had been sent, if the sender sent them as evenly as it did what came through just before or behind; null if it did not."""
    took = sf.col("shortest_each") * (sf.col("last") - sf.col("first") + 2)
    even = AS_EVEN * took <= seconds(sf.col("after_sent_at"), sf.col("before_sent_at"))
    return sf.when(even, _behind(sf.col("lost_since"), took))


def _at_pace() -> Column:
    """When they had been sent, if at the pace at which the sender sent what came through between losses."""
    took = sf.col("seconds_each") * (sf.col("after") - sf.col("before"))
    most = seconds(sf.col("lost_until"), sf.col("lost_since"))
    return sf.when(took.isNotNull(), _behind(sf.col("lost_since"), sf.least(took, most)))


def _behind(when: Column, took: Column) -> Column:
    return sf.timestamp_micros(sf.unix_micros(when) + (took * 1e6).cast("long"))


def _at_once() -> Column:
    return sf.coalesce(sf.col("seen_late") <= READ_AT_ONCE_WITHIN, sf.lit(False))


def _with_seen_late(losses: DataFrame, sockets: DataFrame) -> DataFrame:
    hosts = sockets.select("socket", "host")
    late = sf.abs(seconds(sf.col("seen_at"), sf.col("after_sent_at")))
    is_stamped = (sf.col("part") == "inner") & sf.col("after").isNotNull()
    one_clock = (sf.col("sender_host") == sf.col("reader_host")) & is_stamped
    return (
        losses.join(hosts.toDF("stream", "sender_host"), on="stream", how="left")
        .join(hosts.toDF("seen_by", "reader_host"), on="seen_by", how="left")
        .withColumn("seen_late", sf.when(one_clock, late))
        .drop("sender_host", "reader_host")
    )


def _with_counted_at(losses: DataFrame, lane_rows: DataFrame) -> DataFrame:
    """Adds, of the sender's samples of its lane, when it had counted what: ``begun_at`` the first of the range, ``counted_at`` the last of
    it, ``not_yet_at`` not yet that one. Of sparse stamps that is not known: such a range stands for others.

    All of a range is in one column here: there are many more samples than ranges, and they would be as wide.
    """
    samples = only_of(
        lane_rows.where("role = 'send' and count > 0").select(
            *LANE, (sf.greatest("count", "next") - 1).alias("number"), sf.col("at").alias("sampled_at")
        ),
        losses,
        "stream",
    )
    told = {"begun_at": _first_behind("first"), "counted_at": _first_behind("last"), "not_yet_at": _last_before("last")}  # fmt: skip
    return (
        losses.select(*LANE, sf.struct(*losses.columns).alias("range"))
        .unionByName(samples, allowMissingColumns=True)
        .withColumns(told)
        .where("range is not null")
        .select("range.*", *(sf.when(~sf.col("range.sparse"), sf.col(name)).alias(name) for name in told))
    )


def _first_behind(end: str) -> Column:
    """When the first sample was taken that has this end of the range."""
    return sf.min("sampled_at").over(_so_far(_place(end).desc(), sf.col("range").isNotNull()))


def _last_before(end: str) -> Column:
    """When the last sample was taken that does not have this end of the range yet."""
    return sf.max("sampled_at").over(_so_far(_place(end).asc(), sf.col("range").isNull()))


def _place(end: str) -> Column:
    return sf.coalesce("number", f"range.{end}")


def _so_far(*order: Column) -> WindowSpec:
    return Window.partitionBy(*LANE).orderBy(*order).rowsBetween(Window.unboundedPreceding, Window.currentRow)


def _with_seconds_each(losses: DataFrame) -> DataFrame:
    """Adds, of what came through between the lane's losses on this edge, ``seconds_each`` (between two messages of the stream), and
    ``shortest_each`` (between two of the lane, just before the range or behind it, where that is less); null if not known.
    """
    of_lane = Window.partitionBy(*EDGE_OF_STREAM, "lane")
    in_order = of_lane.orderBy("first", "last")
    steps = sf.col("before") - sf.lag("after").over(in_order)
    of_its_own = sf.col("first") - sf.lag("last").over(in_order) - 2
    took = seconds(sf.col("before_sent_at"), sf.lag("after_sent_at").over(in_order))
    told = losses.withColumns({"steps": steps, "took": took})
    usable = (sf.col("steps") > 0) & (sf.col("took") >= 0)
    each = sf.try_divide(
        sf.sum(sf.when(usable, sf.col("took"))).over(of_lane),
        sf.sum(sf.when(usable, sf.col("steps"))).over(of_lane),
    )
    own_each = sf.when(usable & (of_its_own > 0), sf.col("took") / of_its_own)
    shortest = sf.least("own_each", sf.lead("own_each").over(in_order))
    return (
        told.withColumns({"seconds_each": each, "own_each": own_each})
        .withColumn("shortest_each", shortest)
        .drop("steps", "took", "own_each")
    )
