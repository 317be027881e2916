"""Records of streams and lanes: each frame has the stream that it is of, and the columns that its record has as fields."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.terms.keys import LANE, LANE_OF_RECEIVER, WAY
from hopwatch_analysis.topology import Topology


def ways(topology: Topology) -> DataFrame:
    """Way, with its hops in order."""
    former = topology.replaced.select(*WAY, "depth", "former", sf.lit(True).alias("replaced"))
    hop = sf.struct("depth", "from_socket", "to_socket", "transport", "former", "replaced")
    hops = (
        topology.edges.join(former, on=[*WAY, "depth"], how="left")
        .fillna(False, subset=["replaced"])
        .groupBy(*WAY)
        .agg(sf.array_sort(sf.collect_list(hop)).alias("hops"))
        .withColumn("hops", sf.transform("hops", lambda each: each.dropFields("depth")))
    )
    otherwise = topology.filtered_otherwise.select(*WAY, sf.lit(True).alias("filtered_otherwise"))
    return (
        topology.endings.join(hops, on=list(WAY), how="inner")
        .join(otherwise, on=list(WAY), how="left")
        .select(
            *WAY,
            "hops",
            "receiver_left_first",
            "left_unsure",
            _seconds("left_at"),
            "left_elsewhere",
            "left_n",
            "left_sent",
            "sent_when_joined",
            _seconds("receiver_went_at"),
            "filtered_otherwise",
        )
    )


def lanes(topology: Topology) -> DataFrame:
    """Lane."""
    return topology.lanes.select(
        *LANE,
        "topic",
        "sent",
        "begins",
        "unused",
        "carried",
        "sent_at_last",
        "frames_each",
        *map(_seconds, ("moved_at", "moved_after", "announced_at")),
        sf.coalesce("all_counted", sf.lit(False)).alias("all_counted"),
        "counted_from",
    )


def receipts(topology: Topology) -> DataFrame:
    """Receipt."""
    return topology.receipts.select(
        *LANE_OF_RECEIVER,
        "count",
        "first",
        "next",
        "since",
        *map(_seconds, ("newest_sent_at", "moved_at", "got_first_at")),
        "by_count",
    )


def gaps(topology: Topology) -> DataFrame:
    """Gap."""
    return topology.gaps.select(
        "stream",
        sf.col("socket").alias("receiver"),
        "lane",
        "action",
        "first",
        "last",
        "lost",
        "before",
        "after",
        *map(_seconds, ("before_sent_at", "after_sent_at")),
        "received",
        _seconds("at"),
    )


def onsets(tables: Tables, topology: Topology) -> DataFrame:
    """Onset: where messages carry numbers of their own the onset has the stream's number alone. If all messages of the stream, by its counters, are
    in one lane whose numbers follow each other, that is the lane's number too, counted from its first.
    """
    told = (
        tables["onset"]
        .select(sf.col("socket").alias("stream"), "number", "lane", "lane_number", "at")
        .distinct()
    )
    numbered = sf.col("only_first") + sf.col("number")
    only_lanes = _only_lanes(tables["lane"], topology.counters)
    return told.join(only_lanes, on="stream", how="left").select(
        "stream",
        "number",
        sf.coalesce("lane", "only_lane").alias("lane"),
        sf.coalesce("lane_number", sf.when(sf.col("lane").isNull(), numbered)).alias("lane_number"),
        _seconds("at"),
    )


def progress(tables: Tables) -> DataFrame:
    """Progress: of senders' own rows, and of what receivers had got."""
    rows = tables["lane"]
    own = rows.where("role = 'send' and state in ('sample', 'final')").select(
        *LANE,
        _seconds("at"),
        sf.col("state").alias("kind"),
        "n",
        sf.greatest("count", "next").alias("numbered"),
        sf.col("count").alias("messages"),
    )
    got = rows.where("role = 'receive' and newest_sent_at is not null").select(
        *LANE,
        _seconds("newest_sent_at").alias("at"),
        sf.lit("got").alias("kind"),
        sf.lit(None).cast("long").alias("n"),
        sf.col("next").alias("numbered"),
        sf.lit(None).cast("long").alias("messages"),
    )
    return own.unionByName(got).where("numbered is not null")


def reads(tables: Tables) -> DataFrame:
    """Read."""
    rows = tables["lane"].where("role = 'receive' and n is null and newest_sent_at is not null")
    return rows.select(
        "stream", sf.col("socket").alias("receiver"), _seconds("at"), _seconds("newest_sent_at")
    )


def swallowed(ranges: DataFrame) -> DataFrame:
    """Swallowed."""
    return ranges.select("stream", "lane", "first", "last", _seconds("at"))


def not_checked(topology: Topology) -> DataFrame:
    """Lanes of receivers that cannot be checked."""
    if topology.unchecked is None:
        return topology.receipts.select(*LANE_OF_RECEIVER).limit(0)
    return topology.unchecked.select(*LANE_OF_RECEIVER)


def _only_lanes(lane_rows: DataFrame, counters: DataFrame) -> DataFrame:
    """Streams of one lane, in which as many messages were sent as there are numbers: stream, only_lane, only_first."""
    sent = lane_rows.where("role = 'send' and count > 0")
    return (
        sent.groupBy("stream")
        .agg(
            sf.min("lane").alias("only_lane"),
            sf.max("lane").alias("other"),
            sf.min("first").alias("only_first"),
            sf.max("next").alias("next"),
            sf.max("count").alias("count"),
        )
        .where("only_lane = other and next - only_first = count")
        .join(counters.select(sf.col("socket").alias("stream"), "sent"), on="stream", how="inner")
        .where("count = sent")
        .select("stream", "only_lane", "only_first")
    )


def _seconds(name: str) -> Column:
    return (sf.unix_micros(name) / sf.lit(1e6)).alias(name)
