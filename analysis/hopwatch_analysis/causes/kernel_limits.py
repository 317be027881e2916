"""What the kernel at the sending end said limited each edge while it lost messages: the receiver that does not read, or the way there."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.terms.keys import EDGE

NETWORK, RECEIVER, UNKNOWN = "network", "receiver", "unknown"
COVERED_SECONDS = 1
"""What a reading says is about the second before it."""
HOLDS_SECONDS = 30
"""A reading is landed when something else limits, and every ten seconds while the figures change."""
FIRST_WITHIN_SECONDS = 5
"""A connection that has just come up is read for the first time after a second or two."""
FIRST_WORD_WITHIN_SECONDS = 15
"""It takes two readings to tell the network from a receiver whose buffers are only filling, and an agent with much to read does so every six seconds."""


def readings(tables: Tables, mirrored: DataFrame) -> DataFrame:
    """What the kernel told of each edge's sending end: from_socket, to_socket, at, limited_by, masqueraded, and figures."""
    peers = mirrored.select("socket", "connection", "peer", "masqueraded")
    return (
        tables["tcp"]
        .join(peers, on=["socket", "connection"], how="inner")
        .select(
            sf.col("socket").alias("from_socket"),
            sf.col("peer").alias("to_socket"),
            "connection",
            "masqueraded",
            "at",
            "limited_by",
            "rtt_us",
            "min_rtt_us",
            "retransmissions",
            "segments_sent",
            "unsent",
        )
    )


def with_limit(losses: DataFrame, readings: DataFrame) -> DataFrame:
    """Adds ``limited_by``: "network", "receiver" or "neither", as last told when the run was lost; null if nobody told.

    "unknown" leaves it at what was told before. Something limits a pipe that is full: where the kernel last said that nothing did, what it said
    next is meant, if it said so soon. Where it had said nothing at all yet, or that it did not know, and what it said next is that it was the network, that may have
    come later: between two hosts, of a receiver that is not shown to be too slow by what it read.
    """
    reading = sf.struct("at", "limited_by")
    told = sf.when(sf.col("limited_by") != UNKNOWN, reading)
    limit = sf.when(sf.col("limited_by").isin(NETWORK, RECEIVER), reading)
    marks = readings.select(
        *EDGE,
        sf.unix_micros("at").alias("position"),
        reading.alias("reading"),
        told.alias("told"),
        limit.alias("limit"),
    )
    lost_at = sf.coalesce("before_sent_at", "onset_at", "after_sent_at", "seen_at")
    placed = losses.withColumns(
        {
            "lost_at": lost_at,
            "position": sf.unix_micros(lost_at) + COVERED_SECONDS * 1_000_000,
            "is_loss": sf.lit(True),
        }
    )
    is_loss = sf.col("is_loss").isNotNull()
    in_time = Window.partitionBy(*EDGE).orderBy("position", is_loss)
    # what follows is looked up backwards: a frame that ends at the last row is gone through anew for each row
    backwards = Window.partitionBy(*EDGE).orderBy(sf.desc("position"), is_loss.desc())
    before = in_time.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    behind = backwards.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    return (
        placed.unionByName(marks, allowMissingColumns=True)
        .withColumns(
            {
                "last_told": sf.last("told", ignorenulls=True).over(before),
                "next_limit": sf.last("limit", ignorenulls=True).over(behind),
                "next_told": sf.last("told", ignorenulls=True).over(behind),
                "last_reading": sf.last("reading", ignorenulls=True).over(before),
                "next_reading": sf.last("reading", ignorenulls=True).over(behind),
            }
        )
        .where("is_loss")
        .withColumn("limited_by", _in_force())
        .drop("lost_at", "position", "is_loss", "reading", "told", "limit")
        .drop("last_told", "next_told", "next_limit", "last_reading", "next_reading")
    )


def _in_force() -> Column:
    def apart(told: str) -> Column:
        return sf.abs(sf.unix_micros(f"{told}.at") - sf.unix_micros("lost_at"))

    holds = apart("last_told") <= HOLDS_SECONDS * 1_000_000
    soon = apart("next_limit") <= FIRST_WITHIN_SECONDS * 1_000_000
    had_no_word = sf.col("last_told").isNull() | (sf.col("last_reading.limited_by") == UNKNOWN)
    knew_not_yet = (sf.col("next_reading.limited_by") == UNKNOWN) & (
        apart("next_reading") <= FIRST_WITHIN_SECONDS * 1_000_000
    )
    in_time = apart("next_told") <= FIRST_WORD_WITHIN_SECONDS * 1_000_000
    between_hosts = sf.col("x_host") != sf.col("y_host")
    shown_to_be_slow = sf.coalesce("clearly", sf.lit(False))
    first_word = (had_no_word | knew_not_yet) & (sf.col("next_told.limited_by") == NETWORK) & in_time
    return (
        sf.when(
            holds & sf.col("last_told.limited_by").isin(NETWORK, RECEIVER), sf.col("last_told.limited_by")
        )
        .when(soon, sf.col("next_limit.limited_by"))
        .when(first_word & between_hosts & ~shown_to_be_slow, NETWORK)
        .when(holds, sf.col("last_told.limited_by"))
    )


def figures(readings: DataFrame) -> DataFrame:
    """Figures of each edge: from_socket, to_socket, window_was_full (the kernel said once that the receiver was the limit, and of nobody else), and of
    the time that the network was: rtt_us (longest), min_rtt_us (of the connection, ever), retransmissions and segments_sent
    (since the connection came up).
    """

    def by_network(name: str) -> Column:
        return sf.when(sf.col("limited_by") == NETWORK, sf.col(name))

    per_connection = readings.groupBy(*EDGE, "connection").agg(
        sf.max((sf.col("limited_by") == RECEIVER) & ~sf.col("masqueraded")).alias("window_was_full"),
        sf.max(by_network("rtt_us")).alias("rtt_us"),
        sf.min(by_network("min_rtt_us")).alias("min_rtt_us"),
        sf.max(by_network("retransmissions")).alias("retransmissions"),
        sf.max(by_network("segments_sent")).alias("segments_sent"),
    )
    return per_connection.groupBy(*EDGE).agg(
        sf.max("window_was_full").alias("window_was_full"),
        sf.max("rtt_us").alias("rtt_us"),
        sf.min("min_rtt_us").alias("min_rtt_us"),
        sf.sum("retransmissions").alias("retransmissions"),
        sf.sum("segments_sent").alias("segments_sent"),
    )
