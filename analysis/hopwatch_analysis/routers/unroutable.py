"""What ROUTERs swallowed: exactly known at the sender, whether or not a receiver ever shows that it is missing."""

from hopwatch_judge.incident import PEERS_KEPT
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.terms.accounts import COLUMNS
from hopwatch_analysis.terms.keys import LANE
from hopwatch_analysis.terms.ranges import without

NO_SOCKET = ""
"""Stands for the receiving socket of messages whose peer was not there."""


def swallowed_ranges(rows: DataFrame, samples: DataFrame) -> DataFrame:
    """One row a run: stream, lane (null where messages are not stamped), first, last (lane numbers, else numbers of the
    stream, of which only their count is meant), at.

    A run is told of when it is over, which may be as late as when the socket closes. So ``at`` is no later than the sample which first
    had counted all.
    """
    first = sf.coalesce("lane_number", "number")
    return (
        rows.join(sf.broadcast(_all_counted(samples)), on="socket", how="left")
        .select(
            sf.col("socket").alias("stream"),
            "lane",
            first.alias("first"),
            (first + sf.col("messages") - 1).alias("last"),
            sf.least("at", "all_counted_at").alias("at"),
        )
        .distinct()
    )


def _all_counted(samples: DataFrame) -> DataFrame:
    """When the first sample was taken that has counted all that a socket swallowed: socket, all_counted_at."""
    counted = samples.where("unroutable > 0").groupBy("socket", "unroutable").agg(sf.min("at").alias("at"))
    return counted.groupBy("socket").agg(sf.max_by("at", "unroutable").alias("all_counted_at"))


def untold(
    swallowed: DataFrame,
    counters: DataFrame,
    sockets: DataFrame,
    *,
    elsewhere: tuple[DataFrame, DataFrame],
    mandatory: DataFrame,
) -> DataFrame:
    """What a ROUTER whose process ended was still to tell of: its counter is ahead of its events, which tell of runs as they double.

    Rows as of ``swallowed_ranges``, without a lane. ``elsewhere``: ranges, and counts, that receivers miss otherwise: any of
    them may be among these. ``mandatory``: sockets that count what was refused, and not taken.
    """
    ranges, counts = elsewhere
    length = (sf.col("last") - sf.col("first") + 1).alias("messages")
    known = (
        swallowed.select("stream", length)
        .unionByName(ranges.select("stream", length))
        .unionByName(counts.select("stream", "messages"))
        .groupBy("stream")
        .agg(sf.sum("messages").alias("known"))
    )
    rest = sf.col("unroutable") - sf.coalesce("known", sf.lit(0))
    return (
        sockets.where("type = 'ROUTER' and probed and end in ('died', 'exited')")
        .join(mandatory, on="socket", how="left_anti")
        .join(counters, on="socket", how="inner")
        .withColumnRenamed("socket", "stream")
        .join(known, on="stream", how="left")
        .where(rest > 0)
        .select(
            "stream",
            sf.lit(None).cast("long").alias("lane"),
            sf.col("sent").alias("first"),
            (sf.col("sent") + rest - 1).alias("last"),
            sf.col("ended_at").alias("at"),
        )
    )


def peers(rows: DataFrame) -> DataFrame:
    """Whom the swallowed messages of a lane (null: those without one) were for, and why they went nowhere: stream, lane, peers (hex), reasons."""
    return rows.groupBy(sf.col("socket").alias("stream"), "lane").agg(
        sf.slice(sf.sort_array(sf.collect_set("peer")), 1, PEERS_KEPT).alias("peers"),
        sf.sort_array(sf.collect_set("reason")).alias("reasons"),
    )


def with_peers(lost_runs: DataFrame, peers: DataFrame) -> DataFrame:
    """Adds ``peers`` and ``reasons`` to the runs that were swallowed."""
    of = peers.withColumnsRenamed({"stream": "stream_of_peers", "lane": "lane_of_peers"})
    is_theirs = (
        (sf.col("stream") == sf.col("stream_of_peers"))
        & sf.col("lane").eqNullSafe(sf.col("lane_of_peers"))
        & (sf.col("cause") == "unroutable")
    )
    return lost_runs.join(of, on=is_theirs, how="left").drop("stream_of_peers", "lane_of_peers")


def taken_over(owed: DataFrame, sockets: DataFrame) -> DataFrame:
    """Numbers of a ROUTER's lane that went to an earlier owner of its routing id, and so are not owed to the later one.

    Rows as of gaps that were skipped: socket (the later owner), stream, lane, action, first, last.
    """
    routers = sockets.where("type = 'ROUTER'").select(sf.col("socket").alias("stream"))
    in_order = Window.partitionBy(*LANE).orderBy("first").rowsBetween(Window.unboundedPreceding, -1)
    return (
        owed.join(routers, on="stream", how="left_semi")
        .withColumn("last", sf.max("end").over(in_order) - 1)
        .where("last >= 0")
        .select(
            sf.col("receiver").alias("socket"),
            *LANE,
            sf.lit("skipped").alias("action"),
            sf.least("last", sf.col("first") - 1).alias("last"),
            sf.lit(0).cast("long").alias("first"),
        )
        .where("last >= 0")
    )


def missing_because_swallowed(missing: DataFrame, swallowed: DataFrame) -> DataFrame:
    """The parts of missing ranges that the sender's ROUTER swallowed: stream, receiver, lane, first, last, at."""
    runs = swallowed.where("lane is not null").withColumnsRenamed({"first": "run_first", "last": "run_last"})
    return (
        missing.join(runs, on=list(LANE), how="inner")
        .where("run_first <= last and run_last >= first")
        .select(
            "stream",
            "receiver",
            "lane",
            sf.greatest("first", "run_first").alias("first"),
            sf.least("last", "run_last").alias("last"),
            "at",
        )
    )


def swallowed_accounts(found: DataFrame, swallowed: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Accounts of swallowed messages: of the receivers that miss them, and the rest, which nobody was there to miss."""
    edges = way_edges.where("depth = 1").select("stream", "receiver", "from_socket", "to_socket")
    nobodys = (
        without(swallowed.where("lane is not null"), found.select(*LANE, "first", "last").distinct(), LANE)
        .unionByName(swallowed.where("lane is null"))
        .withColumns(
            {
                "receiver": sf.lit(None).cast("string"),
                "from_socket": sf.col("stream"),
                "to_socket": sf.lit(NO_SOCKET),
            }
        )
    )
    return (
        found.join(edges, on=["stream", "receiver"], how="inner")
        .unionByName(nobodys)
        .select(
            "*",
            sf.concat_ws("-", sf.col("first").cast("string"), sf.col("last").cast("string")).alias("mark"),
            (sf.col("last") - sf.col("first") + 1).alias("messages"),
            sf.lit(1).alias("depth"),
            sf.lit("unroutable").alias("cause"),
            sf.lit("exact").alias("certainty"),
            sf.col("at").alias("started_at"),
            sf.col("at").alias("ended_at"),
            sf.lit(False).alias("at_onset"),
        )
        .select(*COLUMNS)
    )
