"""What the kernel at the sending end said limited each edge while it lost messages: the receiver that does not read, or the way there."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.reading import Tables

EDGE = ("from_socket", "to_socket")
NETWORK, RECEIVER, UNKNOWN = "network", "receiver", "unknown"
COVERED_SECONDS = 1  # what a reading says is about the second before it
HOLDS_SECONDS = (
    30  # a reading is landed when something else limits, and every ten seconds while the figures change
)
FIRST_WITHIN_SECONDS = (
    5  # a connection that has just come up is read for the first time after a second or two
)


def readings(tables: Tables, mirrored: DataFrame) -> DataFrame:
    """What the kernel told of each edge's sending end: from_socket, to_socket, at, limited_by, and figures."""
    peers = mirrored.select("socket", "connection", "peer")
    return (
        tables["tcp"]
        .join(peers, on=["socket", "connection"], how="inner")
        .select(
            sf.col("socket").alias("from_socket"),
            sf.col("peer").alias("to_socket"),
            "connection",
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

    "unknown" leaves it at what was told before.
    """
    told = sf.when(sf.col("limited_by") != UNKNOWN, sf.struct("at", "limited_by"))
    marks = readings.select(*EDGE, sf.unix_micros("at").alias("position"), told.alias("told"))
    lost_at = sf.coalesce("before_sent_at", "onset_at", "after_sent_at", "seen_at")
    placed = losses.withColumns(
        {
            "lost_at": lost_at,
            "position": sf.unix_micros(lost_at) + COVERED_SECONDS * 1_000_000,
            "is_loss": sf.lit(True),
        }
    )
    in_time = Window.partitionBy(*EDGE).orderBy("position", sf.col("is_loss").isNotNull())
    before = in_time.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    behind = in_time.rowsBetween(Window.currentRow, Window.unboundedFollowing)
    return (
        placed.unionByName(marks, allowMissingColumns=True)
        .withColumns(
            {
                "last_told": sf.last("told", ignorenulls=True).over(before),
                "next_told": sf.first("told", ignorenulls=True).over(behind),
            }
        )
        .where("is_loss")
        .withColumn("limited_by", _in_force())
        .drop("lost_at", "position", "is_loss", "told", "last_told", "next_told")
    )


def _in_force() -> Column:
    def apart(told: str) -> Column:
        return sf.abs(sf.unix_micros(f"{told}.at") - sf.unix_micros("lost_at"))

    return sf.when(apart("last_told") <= HOLDS_SECONDS * 1_000_000, sf.col("last_told.limited_by")).when(
        apart("next_told") <= FIRST_WITHIN_SECONDS * 1_000_000, sf.col("next_told.limited_by")
    )


def figures(readings: DataFrame) -> DataFrame:
    """Figures of each edge: from_socket, to_socket, window_was_full (the kernel said once that the receiver was the limit), and of
    the time that the network was: rtt_us (longest), min_rtt_us (of the connection, ever), retransmissions and segments_sent
    (since the connection came up).
    """

    def by_network(name: str) -> Column:
        return sf.when(sf.col("limited_by") == NETWORK, sf.col(name))

    per_connection = readings.groupBy(*EDGE, "connection").agg(
        sf.max(sf.col("limited_by") == RECEIVER).alias("window_was_full"),
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
