"""Ends of connections of which no other end has been found: what they are compared by."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.paired import OURS, THEIRS
from hopwatch_analysis.spark.frames import seconds, settle

WITHIN = 10  # seconds: clocks of hosts may differ, where nothing tells by how much


def unmatched_ends(
    connection_rows: DataFrame, mirrored: DataFrame, sockets: DataFrame
) -> tuple[DataFrame, DataFrame]:
    """Those that called, and those that accepted: socket, connection, at, port (that is called), caller (who calls), type, tells (its messages bear stamps
    that it puts on itself), gone_at, found_dead, sent_at_down; of those that accepted as peer, peer_connection, peer_at ...
    """
    unmirrored = (
        connection_rows.where("action = 'connected'")
        .join(mirrored, on=list(OURS), how="left_anti")
        .join(_downs(connection_rows), on=list(OURS), how="left")
    )
    tells = sf.col("stamped") & sf.col("proxy").isNull()
    about = sockets.select("socket", "type", tells.alias("tells"), "ended_at", "end")
    calling = (
        unmirrored.where("not accepted")
        .withColumns({"port": _port("endpoint"), "caller": sf.col("local")})
        .transform(lambda ends: _with_sockets(ends, about))
    )
    accepting = (
        unmirrored.where("accepted")
        .withColumns({"port": _port("local"), "caller": sf.col("remote")})
        .transform(lambda ends: _with_sockets(ends, about))
    )
    theirs = {name: f"peer_{name}" for name in accepting.columns if name not in OURS}
    renamed = accepting.withColumnsRenamed(theirs | dict(zip(OURS, THEIRS, strict=True)))
    return settle(calling), settle(renamed)


def near(flows: dict[str, tuple[str, ...]]) -> Column:
    """Whether two ends came up at about one time, and messages may go between them."""
    one, other = sf.col("type"), sf.col("peer_type")
    ways = [
        ((one == sender) & other.isin(*receivers)) | ((other == sender) & one.isin(*receivers))
        for sender, receivers in flows.items()
    ]
    at_one_time = sf.abs(seconds(sf.col("peer_at"), sf.col("at"))) <= WITHIN
    return at_one_time & reduce(Column.__or__, ways)


def not_in(ends: DataFrame, pairs: DataFrame, keys: tuple[str, str]) -> DataFrame:
    """The ends that are none of the pairs'."""
    return settle(ends.join(pairs, on=list(keys), how="left_anti"))


def last_heard(counters: DataFrame) -> DataFrame:
    """When the counters of each socket were last told: socket, heard_at."""
    return counters.groupBy("socket").agg(sf.max("at").alias("heard_at"))


def _downs(connection_rows: DataFrame) -> DataFrame:
    """When ends of connections went down: socket, connection, down_at, sent_at_down (what the socket had sent by then, to anybody)."""
    gone = connection_rows.where("action = 'disconnected'")
    return gone.groupBy("socket", "connection").agg(
        sf.min("at").alias("down_at"), sf.min_by("sent", "at").alias("sent_at_down")
    )


def _with_sockets(ends: DataFrame, about: DataFrame) -> DataFrame:
    """Ends with what is known of their sockets, and ``gone_at``, when they went down or their sockets ended: ``found_dead``, some time before that."""
    gone_at = sf.coalesce("down_at", "ended_at").alias("gone_at")
    found_dead = sf.coalesce(sf.col("down_at").isNull() & (sf.col("end") == "died"), sf.lit(False))
    return ends.join(about, on="socket", how="inner").select(
        *OURS,
        "at",
        "port",
        "caller",
        "type",
        "tells",
        gone_at,
        found_dead.alias("found_dead"),
        "sent_at_down",
    )


def _port(address: str) -> Column:
    return sf.regexp_extract(address, r":(\d+)$", 1)
