"""When messages were sent that carry numbers of their own: they have no stamps, and so no send times.

A sender's samples tell no more than between which two of them a number was sent; an onset tells of its own message when that was sent.
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import only_of
from hopwatch_analysis.terms.keys import LANE


def with_times_by_samples(
    losses: DataFrame, lanes: DataFrame, samples: DataFrame, onsets: DataFrame
) -> DataFrame:
    """Gaps and tails of such numbers with before_sent_at and after_sent_at: no earlier than the one before them was sent, and no later than the
    one behind. Where they begin at an onset, before_sent_at is that one's time. ``samples``: see ``lanes.sent_by``.
    """
    carried = lanes.where("carried").select(*LANE, "announced_at", sf.lit(True).alias("untimed"))
    if carried.isEmpty():
        return losses
    met = onsets.groupBy(*LANE, sf.col("lane_number").alias("first")).agg(sf.min("at").alias("met_at"))
    untimed = sf.col("untimed") & sf.col("part").isin("inner", "tail")
    met_at = sf.when(sf.col("begins_at_onset"), sf.col("met_at"))
    since = sf.coalesce(met_at, sf.greatest("no_earlier", "announced_at"))
    until = sf.when(
        sf.col("part") == "inner", sf.greatest(sf.least("no_later", "seen_at"), since)
    )  # both pass nulls over
    return (
        _between_samples(losses, only_of(samples, carried, "stream"))
        .join(sf.broadcast(carried), on=list(LANE), how="left")
        .join(met, on=[*LANE, "first"], how="left")
        .withColumns(
            {
                name: sf.coalesce(name, sf.when(untimed, told))
                for name, told in (("before_sent_at", since), ("after_sent_at", until))
            }
        )
        .select(*losses.columns)
    )


def _between_samples(losses: DataFrame, samples: DataFrame) -> DataFrame:
    """Adds ``no_earlier``, the time of the sender's last sample without the number before the range, and ``no_later``, that of its first one with the
    number behind it.
    """
    counted = samples.select(*LANE, sf.col("count").alias("counted"), sf.col("at").alias("sampled_at"))
    is_range = sf.col("range").isNotNull()
    before = sf.coalesce("counted", sf.col("range.first") - 1)
    behind = sf.coalesce("counted", sf.col("range.last") + 2)
    return (
        losses.select(*LANE, sf.struct(*losses.columns).alias("range"))
        .unionByName(counted, allowMissingColumns=True)
        .withColumns(
            {
                "no_earlier": sf.max("sampled_at").over(_so_far(before.asc(), is_range)),
                "no_later": sf.min("sampled_at").over(_so_far(behind.desc(), is_range)),
            }
        )
        .where(is_range)
        .select("range.*", "no_earlier", "no_later")
    )


def _so_far(*order: Column) -> WindowSpec:
    return Window.partitionBy(*LANE).orderBy(*order).rowsBetween(Window.unboundedPreceding, Window.currentRow)
