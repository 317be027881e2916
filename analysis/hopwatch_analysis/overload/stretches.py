"""Stretches of time in which a receiver lost messages again and again, and those in which it was asked to read more than it can."""

from hopwatch_judge.thresholds import LONGEST_BURST
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds, with_number_behind_pauses

PAUSE_SECONDS = 10
"""Between two losses of one stretch, at most."""
CLEARLY = 0.9
"""Of what it was asked to read: who was seen to read less than that was too slow, however rates are measured."""
BUSY = 0.5
"""Of the time that losses should take of a receiver that was too slow all the time."""
BURSTS = 2
"""So many times a receiver has to be seen idle between losses that are then taken for bursts: once, an overload is over and a burst comes soon after."""
STRETCH = ("to_socket", "stretch")


def with_stretches(losses: DataFrame) -> DataFrame:
    """Adds ``stretch`` to losses with lost_since and lost_until: those of its receiver, numbered; null if not known when it was."""
    span = ("lost_since", "lost_until")
    return with_number_behind_pauses(losses, "stretch", ["to_socket"], span, PAUSE_SECONDS).withColumn(
        "stretch", sf.when(sf.col("lost_since").isNotNull(), sf.col("stretch"))
    )


def spanned(until: str) -> Column:
    """Seconds of an edge's losses ``until`` then, those of its lanes that overlap once: of rows with what ``with_lost_already`` adds."""
    since = sf.greatest("lost_since", f"{until}_already")
    span = seconds(sf.col(until), since)
    return sf.sum(sf.when(span.isNotNull(), sf.greatest(span, sf.lit(0.0))))


def with_lost_already(losses: DataFrame, *ends: str) -> DataFrame:
    """Adds of each of the ``ends``, as "..._already", when those of the edge's losses that began before were over."""
    earlier = (
        Window.partitionBy("stream", "from_socket", "to_socket")
        .orderBy("lost_since", *ends)
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    return losses.withColumns({f"{end}_already": sf.max(end).over(earlier) for end in ends})


def long_stretches(losses: DataFrame) -> DataFrame:
    """Stretches too long for a burst: to_socket, stretch, since, until, covered (seconds of the losses of the lane that lost most), proven (seconds
    in which the pipe that lost most is proven to have been full).

    Other lanes' losses may span much more, where these lanes are slow. What is proven is of one of the lanes that lost at a time.
    """
    of_lane = (
        losses.where("stretch is not null")
        .groupBy(*STRETCH, "stream", "from_socket", "lane")
        .agg(
            sf.min("lost_since").alias("since"),
            sf.max("lost_until").alias("until"),
            sf.sum(seconds(sf.col("lost_until"), sf.col("lost_since"))).alias("covered"),
            sf.sum(seconds(sf.col("proven_until"), sf.col("lost_since"))).alias("proven"),
            sf.sum(sf.col("last") - sf.col("first") + 1).alias("lost"),
        )
    )
    of_edge = of_lane.groupBy(*STRETCH, "stream", "from_socket").agg(
        sf.min("since").alias("since"),
        sf.max("until").alias("until"),
        sf.max(sf.struct("lost", "covered")).alias("most"),
        sf.sum("proven").alias("proven"),
        sf.sum("lost").alias("lost"),
    )
    return (
        of_edge.groupBy(*STRETCH)
        .agg(
            sf.min("since").alias("since"),
            sf.max("until").alias("until"),
            sf.max("most")["covered"].alias("covered"),
            sf.max_by("proven", sf.struct("lost", "proven")).alias("proven"),
        )
        .where(seconds(sf.col("until"), sf.col("since")) > LONGEST_BURST)
    )


def overloads(asked: DataFrame, rates: DataFrame) -> DataFrame:
    """Stretches in which the receiver was ``asked`` to read more than the most it then read: to_socket, stretch, since, until, seconds, asked, read,
    clearly (by so much that no way to measure makes up for it, while its senders are proven to have been sending, and never was there
    no message to read).

    Where it was too slow all the time, losses take about as much of the time as of the messages. Where they take much less, those came in
    bursts, and the receiver may have been idle between them: then nobody saw how fast it can read.
    """
    most = (
        _within(asked, rates)
        .groupBy(*STRETCH)
        .agg(sf.max("rate").alias("read"), sf.max("waited").alias("waited"))
    )
    took = seconds(sf.col("until"), sf.col("since"))
    if_busy = BUSY * took * (1 - sf.col("read") / sf.col("asked"))
    never_idle = (sf.col("proven") >= if_busy) & sf.coalesce(~sf.col("waited"), sf.lit(False))
    return (
        asked.join(most, on=list(STRETCH), how="inner")
        .where((sf.col("read") < sf.col("asked")) & (sf.col("covered") >= if_busy))
        .select(
            *STRETCH,
            "since",
            "until",
            took.alias("seconds"),
            "asked",
            "read",
            ((sf.col("read") < CLEARLY * sf.col("asked")) & never_idle).alias("clearly"),
        )
    )


def without_bursts(overloads: DataFrame, returns: DataFrame) -> DataFrame:
    """The ``overloads`` without those in which the receiver rested between losses again and again (``returns_from_rest``): then those came in bursts, and
    nobody saw how fast it can read. None is ``clearly`` one in which it was idle once.
    """
    return (
        overloads.join(returns, on=list(STRETCH), how="left")
        .where(sf.coalesce("rests", sf.lit(0)) < BURSTS)
        .withColumn("clearly", sf.col("clearly") & sf.col("returns").isNull())
        .drop("returns", "rests")
    )


def returns_from_rest(losses: DataFrame, idle: DataFrame) -> DataFrame:
    """How often losses began again, within a stretch, when the receiver had been ``idle`` (to_socket, at, rested): to_socket, stretch, returns, rests (those of
    them before which it had rested).
    """
    in_order = Window.partitionBy("to_socket").orderBy("at", sf.col("stretch").isNotNull())
    lost = losses.where("stretch is not null").select(
        "to_socket", sf.col("lost_since").alias("at"), "stretch"
    )
    moments = idle.groupBy("to_socket", "at").agg(sf.max("rested").alias("rested"))
    so_far = in_order.rowsBetween(Window.unboundedPreceding, -1)
    return (
        lost.unionByName(moments, allowMissingColumns=True)
        .withColumns(
            {
                "was_idle": sf.lag(sf.col("stretch").isNull()).over(in_order),
                "had_rested": sf.lag("rested").over(in_order),
                "stretch_before": sf.last("stretch", ignorenulls=True).over(so_far),
            }
        )
        .where("was_idle and stretch = stretch_before")
        .groupBy(*STRETCH)
        .agg(sf.count("*").alias("returns"), sf.count_if("had_rested").alias("rests"))
    )


def _within(stretches: DataFrame, rates: DataFrame) -> DataFrame:
    """The rates that were measured within a stretch: to_socket, stretch, rate, waited. No two stretches of a receiver overlap."""
    current = sf.struct("stretch", "until")
    marks = stretches.select("to_socket", "since", current.alias("current"))
    in_order = (
        Window.partitionBy("to_socket")
        .orderBy("since", sf.col("rate").isNotNull())
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        rates.unionByName(marks, allowMissingColumns=True)
        .withColumn("current", sf.last("current", ignorenulls=True).over(in_order))
        .where("rate is not null and at <= current.until")
        .select("to_socket", "current.stretch", "rate", "waited")
    )
