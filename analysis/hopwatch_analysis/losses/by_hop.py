"""Missing ranges by hop: each once, however many receivers behind that hop miss it; tails cut at the onset in them."""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import WHOLE_STREAM_LANE
from hopwatch_analysis.losses.onsets import with_beginning_at_onset
from hopwatch_analysis.losses.whose_onset import onsets_in_ends
from hopwatch_analysis.spark.frames import seconds, settle
from hopwatch_analysis.terms.keys import EDGE_OF_STREAM

RANGE_OF_EDGE = ("stream", "lane", "first", "last", "from_socket", "to_socket", "hop_known")
PARTS = ("inner", "tail", "head", "all", "unsure")


def by_hop(pieces: DataFrame, owed: DataFrame) -> DataFrame:
    """One row a range and edge: the columns of RANGE_OF_EDGE, part, before, after, before_sent_at, after_sent_at,
    seen_at and seen_by (the receiver that saw it first), took_over, and those that ``_progress`` adds.
    """
    ranks = sf.array_position(sf.array(*[sf.lit(part) for part in PARTS]), sf.col("part"))
    return (
        pieces.join(_progress(owed), on=["stream", "receiver", "lane"], how="left")
        .groupBy(*RANGE_OF_EDGE)
        .agg(
            sf.min_by("part", ranks).alias("part"),
            sf.max("before").alias("before"),
            sf.min("after").alias("after"),
            sf.max("before_sent_at").alias("before_sent_at"),
            sf.min("after_sent_at").alias("after_sent_at"),
            sf.min("seen_at").alias("seen_at"),
            sf.min_by("receiver", "seen_at").alias("seen_by"),
            sf.max("took_over").alias("took_over"),
            sf.max("moved_at").alias("moved_at"),
            sf.min("heard_until").alias("heard_until"),
            sf.max("way_moved_at").alias("way_moved_at"),
            sf.max("way_newest_sent_at").alias("way_newest_sent_at"),
            sf.max("joined_before").alias("joined_before"),
            sf.max("joined_midway").alias("joined_midway"),
            sf.max("got_of_stream").alias("got_of_stream"),
            sf.max("pace").alias("pace"),
            sf.max("sparse").alias("sparse"),
            sf.max("reached").alias("reached"),
            sf.min("got_first_at").alias("got_first_at"),
            sf.min("subscribed_at").alias("subscribed_at"),
            sf.max("unsubscribed").alias("unsubscribed"),
            sf.max("contested").alias("contested"),
            _when_all_had_left().alias("owed_until"),
        )
    )


def _progress(owed: DataFrame) -> DataFrame:
    """How far each receiver got in each lane: stream, receiver, lane, moved_at, heard_until, way_moved_at (in any lane), way_newest_sent_at, joined_before
    (it got a lane of the stream that had begun earlier, and was subscribed to no earlier, from its number 0 on),
    joined_midway (it lacks the beginning of a lane), got_of_stream, reached (the sum of the numbers that it expects next
    in each of its lanes), pace (seconds a message), got_first_at, subscribed_at, unsubscribed, contested, owed_until.
    """
    per_way = Window.partitionBy("stream", "receiver")
    got_some = (sf.col("count") > 0) & ~sf.col("by_count")
    subscribed_at = sf.coalesce("subscribed_at", sf.timestamp_seconds(sf.lit(0)))
    subscribed_no_earlier = per_way.orderBy(subscribed_at.desc()).rangeBetween(
        Window.unboundedPreceding, Window.currentRow
    )
    from_its_start = sf.min(sf.when(got_some & (sf.col("first") == 0), sf.col("lane"))).over(
        subscribed_no_earlier
    )
    # lanes are numbered in the order in which they begin, but for the one that lanes too many share
    in_order = sf.col("lane") != WHOLE_STREAM_LANE
    return owed.select(
        "stream",
        "receiver",
        "lane",
        "moved_at",
        "heard_until",
        sf.max("moved_at").over(per_way).alias("way_moved_at"),
        sf.max("newest_sent_at").over(per_way).alias("way_newest_sent_at"),
        sf.coalesce(in_order & (from_its_start < sf.col("lane")), sf.lit(False)).alias("joined_before"),
        sf.max(got_some & (sf.col("first") > 0)).over(per_way).alias("joined_midway"),
        sf.sum("count").over(per_way).alias("got_of_stream"),
        sf.sum("next").over(per_way).alias("reached"),
        _pace(per_way).alias("pace"),
        "got_first_at",
        "subscribed_at",
        "unsubscribed",
        "contested",
        "owed_until",
    )


def _pace(per_way: WindowSpec) -> Column:
    took = seconds(sf.max("moved_at").over(per_way), sf.min("got_first_at").over(per_way))
    return sf.try_divide(took, sf.sum("count").over(per_way) - 1)


def _when_all_had_left() -> Column:
    stays = sf.max(sf.col("owed_until").isNull())
    return sf.when(~stays, sf.max("owed_until"))


def cut_at_onset(losses: DataFrame, onsets: DataFrame, sockets: DataFrame, strangers: DataFrame) -> DataFrame:
    """Cut ends of lanes (tail, all) at the onset that was this edge's: behind it the pipe was full, before it was not.

    Adds whole_first (where the uncut range begins), begins_at_onset, maybe_dropped (an onset inside may be this edge's, or another's), and of an
    end that is cut: onsets_inside, and onset_number and onset_at, the first one's place in the stream and time.
    """
    marked = losses.transform(lambda frame: with_beginning_at_onset(frame, onsets, "first"))
    met = settle(onsets_in_ends(marked, onsets, sockets, strangers))
    cuts = (
        met.where("not doubtful")
        .groupBy(*EDGE_OF_STREAM, "lane", "first")
        .agg(
            sf.min("lane_number").alias("cut"),
            sf.min_by("number", "lane_number").alias("onset_number"),
            sf.min_by("at", "lane_number").alias("onset_at"),
            sf.count("*").alias("onsets_inside"),
        )
    )
    doubtful = met.where("doubtful").select(*EDGE_OF_STREAM, "lane", "first").distinct()
    return (
        marked.join(cuts, on=[*EDGE_OF_STREAM, "lane", "first"], how="left")
        .join(
            doubtful.withColumn("maybe_dropped", sf.lit(True)),
            on=[*EDGE_OF_STREAM, "lane", "first"],
            how="left",
        )
        .fillna(False, subset=["maybe_dropped"])
        .withColumn("whole_first", sf.col("first"))
        .withColumn("half", sf.explode(_halves()))
        .withColumns(
            {
                "first": sf.col("half.first"),
                "last": sf.col("half.last"),
                "begins_at_onset": sf.col("begins_at_onset")
                | (sf.col("half.first") == sf.coalesce("cut", sf.lit(-1))),
            }
        )
        .drop("half", "cut")
    )


def _halves() -> Column:
    def part(first: Column, last: Column) -> Column:
        return sf.struct(first.alias("first"), last.alias("last"))

    first, last, cut = sf.col("first"), sf.col("last"), sf.col("cut")
    whole = sf.array(part(first, last))
    return sf.when(cut > first, sf.array(part(first, cut - 1), part(cut, last))).otherwise(whole)
