"""What receivers are not owed of lanes that they left and came back to: what was sent in between.

Where messages come after such a pause, their receiver itself tells which numbers it was not owed. So only numbers before its first and behind
its last one are told of here, as far as samples of what was sent tell. Not known to be owed are those sent between the last
sample before a subscription came back and the first one behind that; and what had not come yet when the receiver left: it throws away itself what
it has not read of a topic that it unsubscribes from.
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.subscriptions import changes_of_returners
from hopwatch_analysis.losses.unsubscribed import CAUGHT_UP_WITHIN
from hopwatch_analysis.spark.frames import only_of, seconds, settle
from hopwatch_analysis.terms.delays import CLOCKS_TOLD_WITHIN
from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER, RANGE_OF_RECEIVER
from hopwatch_analysis.terms.numbered_by_then import numbered_behind, numbered_by_then
from hopwatch_analysis.terms.ranges import without

PAUSE = (*LANE_OF_RECEIVER, "since", "left_at", "back_at")
SKIPPED, UNSURE = "skipped", "unsure"


@dataclass(frozen=True)
class Pauses:
    """``pauses``: when lanes were covered by no subscription, though before (from ``since`` on) and after: stream, receiver, lane, since,
    left_at, back_at. ``ranges`` of numbers that were not owed (``kind`` "skipped") or may not have been ("unsure"): stream,
    receiver, lane, first, last, kind.
    """

    pauses: DataFrame
    ranges: DataFrame

    def not_owed(self, gaps: DataFrame) -> DataFrame:
        """Rows as of gaps that were skipped (socket, stream, lane, action, first, last), but for what such rows of ``gaps`` tell themselves."""
        told = gaps.where("action in ('skipped', 'late')").withColumnsRenamed({"socket": "receiver"})
        skipped = self.ranges.where(sf.col("kind") == SKIPPED).select(*RANGE_OF_RECEIVER)
        return without(skipped, told, LANE_OF_RECEIVER).select(
            sf.col("receiver").alias("socket"),
            "stream",
            "lane",
            sf.lit("skipped").alias("action"),
            "first",
            "last",
        )

    def since_the_first(self, owed: DataFrame) -> DataFrame:
        """What is owed, with ``subscribed_at`` of lanes of which the beginning is missing: since when they were covered when their first message came."""
        in_force = (
            owed.where("first > 0")
            .select(*LANE_OF_RECEIVER, "got_first_at")
            .join(self.pauses, on=list(LANE_OF_RECEIVER), how="inner")
            .where("back_at <= got_first_at")
            .groupBy(*LANE_OF_RECEIVER)
            .agg(sf.max("back_at").alias("back_at"))
        )
        joined = owed.join(in_force, on=list(LANE_OF_RECEIVER), how="left")
        return joined.withColumn("subscribed_at", sf.coalesce("back_at", "subscribed_at")).drop("back_at")

    def told_apart(self, missing: DataFrame) -> DataFrame:
        """Missing ranges, cut, with what may not have been owed as part "unsure"."""
        unsure = self.ranges.where(sf.col("kind") == UNSURE).select(*RANGE_OF_RECEIVER)
        other = unsure.select(
            *LANE_OF_RECEIVER, sf.col("first").alias("unsure_first"), sf.col("last").alias("unsure_last")
        )
        cut = {"first": sf.greatest("first", "unsure_first"), "last": sf.least("last", "unsure_last")}
        doubtful = (
            missing.join(other, on=list(LANE_OF_RECEIVER), how="inner")
            .withColumns(cut)
            .where("first <= last")
            .withColumn("part", sf.lit("unsure"))
        )
        return without(missing, unsure, LANE_OF_RECEIVER).unionByName(doubtful.select(*missing.columns))


def pauses_of(
    subscription_rows: DataFrame, owed: DataFrame, lanes: DataFrame, samples: DataFrame
) -> Pauses | None:
    """None: nobody came back to what it had left."""
    changes = settle(changes_of_returners(subscription_rows))
    if changes.isEmpty():
        return None
    numbered = owed.where("not by_count").join(
        lanes.select("stream", "lane", "topic"), on=["stream", "lane"], how="inner"
    )
    found = settle(_pauses(numbered, changes))
    return Pauses(found, settle(_ranges(numbered, found, samples)))


def _pauses(owed: DataFrame, changes: DataFrame) -> DataFrame:
    in_order = Window.partitionBy(*LANE_OF_RECEIVER).orderBy("at", "n")
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    begins = (sf.col("step") > 0) & (sf.col("cover") == 1)
    ends = (sf.col("step") < 0) & (sf.col("cover") == 0)
    return (
        owed.select(*LANE_OF_RECEIVER, "topic", "subscribed_at")
        .join(sf.broadcast(changes), on="receiver", how="inner")
        .where(sf.col("topic").startswith(sf.col("prefix")))
        .withColumn("cover", sf.sum("step").over(so_far))
        .where(begins | ends)
        .withColumns(
            {
                "since": sf.greatest("subscribed_at", sf.lag("at").over(in_order)),
                "back_at": sf.lead("at").over(in_order),
            }
        )
        .where(ends & sf.col("back_at").isNotNull())
        .select(*LANE_OF_RECEIVER, "since", sf.col("at").alias("left_at"), "back_at")
    )


def _ranges(owed: DataFrame, pauses: DataFrame, samples: DataFrame) -> DataFrame:
    """Numbers that were sent before each pause, in it and just behind it, as far as they are behind the last message that came, or before the first."""
    bounds = _with_bounds(owed, pauses, samples)
    behind, before = bounds.where(_behind_the_last()), bounds.where(_before_the_first())
    tails = _parts(
        behind,
        (UNSURE, "began", "left_from"),
        (SKIPPED, "left_from", "sent_when_back"),
        (UNSURE, "sent_when_back", "sent_soon"),
    ).withColumn("first", sf.greatest("first", "next"))
    heads = _parts(
        before, (UNSURE, "began", "sent_when_left"), (SKIPPED, "sent_when_left", "sent_soon")
    ).withColumn("last", sf.least("last", sf.col("got_first") - 1))
    return tails.unionByName(heads).where("first <= last").select(*RANGE_OF_RECEIVER, "kind")


def _parts(bounds: DataFrame, *parts: tuple[str, str, str]) -> DataFrame:
    """Adds ``kind``, ``first`` and ``last`` of parts, each given by a kind and two counts."""
    told = [
        sf.struct(
            sf.lit(kind).alias("kind"),
            sf.col(begin).cast("long").alias("first"),
            (sf.col(end) - 1).cast("long").alias("last"),
        )
        for kind, begin, end in parts
    ]
    return bounds.withColumn("part", sf.explode(sf.array(*told))).select("*", "part.*").drop("part")


def _with_bounds(owed: DataFrame, pauses: DataFrame, samples: DataFrame) -> DataFrame:
    """Pauses with how much had been sent: when it was covered before (``began``), ``left_from`` (by what came, else ``sent_when_left``),
    ``sent_when_back``, and ``sent_soon`` after that; and with what came of the lane.
    """
    in_order = Window.partitionBy(*LANE_OF_RECEIVER).orderBy("left_at")
    came = owed.select(
        *LANE_OF_RECEIVER,
        "count",
        sf.col("first").alias("got_first"),
        "next",
        "sent",
        "newest_sent_at",
        "got_first_at",
    )
    return (
        _with_counts(pauses, samples)
        .join(came, on=list(LANE_OF_RECEIVER), how="inner")
        .withColumn("sent_soon", sf.coalesce("sent_soon", "sent"))
        .withColumns(
            {
                "began": sf.coalesce(sf.lag("sent_soon").over(in_order), "sent_since"),
                "left_from": sf.when(_had_caught_up(), sf.col("next")).otherwise(sf.col("sent_when_left")),
                "sent_soon": sf.least("sent_soon", sf.lead("sent_when_left").over(in_order)),
            }
        )
    )


def _with_counts(pauses: DataFrame, samples: DataFrame) -> DataFrame:
    """Adds how many messages of the lane were sent by the begin of each time: sent_since, sent_when_left, sent_when_back; and by the first
    sample behind the last of them, when the subscription has come to the sender: sent_soon (null: there is none).
    """
    told = only_of(samples, pauses, "stream")
    of_known = pauses.join(told.select("stream", "lane").distinct(), on=["stream", "lane"], how="left_semi")
    soon = sf.timestamp_micros(sf.unix_micros("back_at") + int(CLOCKS_TOLD_WITHIN * 1e6))
    counted = settle(_with_counts_by_then(of_known, told)).withColumn("moment", soon)
    first_behind = settle(numbered_behind(counted, told)).withColumnRenamed("count", "sent_soon")
    return counted.join(first_behind, on=["stream", "lane", "moment"], how="left").drop("moment")


def _with_counts_by_then(pauses: DataFrame, samples: DataFrame) -> DataFrame:
    moments = sf.posexplode(sf.array("since", "left_at", "back_at")).alias("which", "moment")
    asked = settle(pauses.select(*PAUSE, moments))
    counts = [
        sf.coalesce(sf.max(sf.when(sf.col("which") == which, sf.col("count"))), sf.lit(0)).alias(name)
        for which, name in enumerate(("sent_since", "sent_when_left", "sent_when_back"))
    ]
    return (
        asked.join(numbered_by_then(asked, samples), on=["stream", "lane", "moment"], how="left")
        .groupBy(*PAUSE)
        .agg(*counts)
    )


def _had_caught_up() -> Column:
    """It had got what was sent just before it left."""
    lag = seconds(sf.col("left_at"), sf.col("newest_sent_at"))
    return sf.coalesce(lag.between(-CAUGHT_UP_WITHIN, CAUGHT_UP_WITHIN), sf.lit(False))


def _behind_the_last() -> Column:
    """Nothing came that was sent after it left: what did shows that it was covered again, or still."""
    later = seconds(sf.col("newest_sent_at"), sf.col("left_at")) > CAUGHT_UP_WITHIN
    return ~sf.coalesce(later, sf.lit(False))


def _before_the_first() -> Column:
    """The first message that came was sent after the pause."""
    by_number = (sf.col("count") > 0) & (sf.col("sent_when_back") <= sf.col("got_first"))
    return by_number & sf.coalesce(sf.col("back_at") <= sf.col("got_first_at"), sf.lit(False))
