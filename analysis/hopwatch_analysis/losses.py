"""Missing ranges by hop: each once, however many receivers behind that hop miss it; tails cut at the onset in them."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.onsets import EDGE, with_beginning_at_onset

RANGE_OF_EDGE = ("stream", "lane", "first", "last", "from_socket", "to_socket", "hop_known")
PARTS = ("inner", "tail", "head", "all")


def by_hop(pieces: DataFrame, owed: DataFrame) -> DataFrame:
    """One row a range and edge: the columns of RANGE_OF_EDGE, part, before, after, before_sent_at, after_sent_at,
    seen_at, moved_at, started_elsewhere (the receiver got another lane of the stream from its number 0 on), reached
    (the sum of the numbers that the receiver expects next in each of its lanes).
    """
    per_way = Window.partitionBy("stream", "receiver")
    progress = owed.select(
        "stream",
        "receiver",
        "lane",
        "moved_at",
        sf.max((sf.col("count") > 0) & (sf.col("first") == 0)).over(per_way).alias("started_elsewhere"),
        sf.sum("next").over(per_way).alias("reached"),
    )
    ranks = sf.array_position(sf.array(*[sf.lit(part) for part in PARTS]), sf.col("part"))
    return (
        pieces.join(progress, on=["stream", "receiver", "lane"], how="left")
        .groupBy(*RANGE_OF_EDGE)
        .agg(
            sf.min_by("part", ranks).alias("part"),
            sf.max("before").alias("before"),
            sf.min("after").alias("after"),
            sf.max("before_sent_at").alias("before_sent_at"),
            sf.min("after_sent_at").alias("after_sent_at"),
            sf.min("seen_at").alias("seen_at"),
            sf.max("moved_at").alias("moved_at"),
            sf.max("started_elsewhere").alias("started_elsewhere"),
            sf.max("reached").alias("reached"),
            sf.max("sparse").alias("sparse"),
        )
    )


def cut_at_onset(losses: DataFrame, onsets: DataFrame) -> DataFrame:
    """Cut ends of lanes (tail, all) at the onset that was this edge's: behind it the pipe was full, before it was not.

    Adds whole_first (where the uncut range begins), begins_at_onset, and of an end with onsets: onsets_inside, and
    onset_number, the first one's place in the stream.
    An onset at which another edge's loss begins was that edge's, unless this range begins at it too.
    """
    marked = losses.transform(lambda frame: with_beginning_at_onset(frame, onsets, "first"))
    claimed = marked.where("begins_at_onset").select(
        "stream", "lane", sf.col("first").alias("lane_number"), sf.col("to_socket").alias("claimed_by")
    )
    ends = marked.where("hop_known and part in ('tail', 'all') and from_socket = stream")
    of_others = sf.col("claimed_by").isNotNull() & (sf.col("claimed_by") != sf.col("to_socket"))
    cuts = (
        ends.join(onsets, on=["stream", "lane"], how="inner")
        .where("lane_number between first and last")
        .join(claimed, on=["stream", "lane", "lane_number"], how="left")
        .groupBy(*EDGE, "lane", "first", "lane_number")
        .agg(
            sf.min("number").alias("number"),
            sf.max(of_others).alias("of_others"),
            sf.max(sf.col("claimed_by") == sf.col("to_socket")).alias("own"),
        )
        .where("not of_others or lane_number = first")
        .groupBy(*EDGE, "lane", "first")
        .agg(
            sf.min("lane_number").alias("cut"),
            sf.min_by("number", "lane_number").alias("onset_number"),
            sf.count("*").alias("onsets_inside"),
        )
    )
    return (
        marked.join(cuts, on=[*EDGE, "lane", "first"], how="left")
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
