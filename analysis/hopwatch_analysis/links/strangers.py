"""Sockets with a peer that nobody tells of: it is not instrumented, or no agent reads what it writes."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from hopwatch_judge.socket_types import BALANCED_TYPES
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.links.links import DOUBTS
from hopwatch_analysis.spark.frames import seconds

PROBES_LAST = 1
"""Seconds: a connection that was over sooner was a probe of the port."""


def with_strangers(
    connections: DataFrame, mirrored: DataFrame, links: DataFrame, silent_ones: DataFrame
) -> DataFrame:
    """Sockets (socket, silent: how many such peers) that had more TCP connections at one time of which the other end is not known than they have peers that do not tell of
    all of theirs: those may be at the other end of any of them. Such a peer is among ``silent_ones`` (socket; see ``wrapped_late``), has another
    monitor, or is known by its stamps alone.
    """
    untold = silent_ones.select(sf.col("socket").alias("peer")).distinct()
    over_tcp = peers(links).where(sf.col("transport").isin("tcp", UNKNOWN_TRANSPORT))
    silent = (
        over_tcp.where("not mirrored")
        .unionByName(over_tcp.join(untold, on="peer", how="left_semi"), allowMissingColumns=True)
        .groupBy("socket")
        .agg(sf.count_distinct("peer").alias("silent"))
    )
    return (
        _most_at_one_time(connections, mirrored)
        .join(silent, on="socket", how="left")
        .fillna(0, ["silent"])
        .where("most > silent")
        .select("socket", "silent")
    )


def wrapped_late(endpoints: DataFrame) -> DataFrame:
    """Sockets (socket) that were connected before they were wrapped."""
    return endpoints.where("action = 'endpoint'").select("socket").distinct()


def with_unknown_ways(links: DataFrame, way_edges: DataFrame) -> DataFrame:
    """The links, and whoever is known to be behind a socket by stamps alone."""
    by_stamps = way_edges.select(
        "from_socket",
        "to_socket",
        sf.lit(UNKNOWN_TRANSPORT).alias("transport"),
        sf.lit(False).alias("mirrored"),
    ).join(links, on=["from_socket", "to_socket"], how="left_anti")
    return links.drop(*DOUBTS).unionByName(by_stamps.distinct())


def with_brief_strangers(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Sockets (socket) that had a TCP connection of which the other end is not known, and which may have been a probe of the port."""
    brief = _with_ends(connections).where(_is_brief())
    return of_nobody_known(brief, mirrored).select("socket").distinct()


def peers(links: DataFrame) -> DataFrame:
    """Who is linked to whom, once from each end: socket, peer, transport, mirrored."""
    about = ["transport", "mirrored"]
    one_way = links.select(sf.col("from_socket").alias("socket"), sf.col("to_socket").alias("peer"), *about)
    other_way = links.select(sf.col("to_socket").alias("socket"), sf.col("from_socket").alias("peer"), *about)
    return one_way.unionByName(other_way)


def lasting(connections: DataFrame) -> DataFrame:
    """Connections that were no probes, with when they ended (``ended_at``, null: they did not)."""
    return _with_ends(connections).where(~_is_brief())


def most_up(changes: DataFrame) -> DataFrame:
    """The highest sum that the changes (socket, at, change) of each socket came to: socket, most."""
    so_far = (
        Window.partitionBy("socket")
        .orderBy("at", "change")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    summed = changes.withColumn("up", sf.sum("change").over(so_far))
    return summed.groupBy("socket").agg(sf.max("up").alias("most"))


def comings_and_goings(spans: DataFrame, each: int = 1) -> DataFrame:
    """Changes by ``each`` where spans (socket, at, ended_at) begin, and back where they end."""
    began = spans.select("socket", "at", sf.lit(each).alias("change"))
    over = spans.where("ended_at is not null")
    return began.unionByName(
        over.select("socket", sf.col("ended_at").alias("at"), sf.lit(-each)).toDF(*began.columns)
    )


def _most_at_one_time(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Connections of which the other end is not known: socket, most."""
    return most_up(comings_and_goings(of_nobody_known(lasting(connections), mirrored)))


def of_nobody_known(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Those by TCP that no other socket tells of."""
    return connections.where("local is not null and remote is not null").join(
        mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti"
    )


def first_strangers(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Where the first of those that lasted led to: socket, remote."""
    alone = of_nobody_known(lasting(connections), mirrored)
    return alone.groupBy("socket").agg(sf.min_by("remote", "at").alias("remote"))


def _with_ends(connections: DataFrame) -> DataFrame:
    ended = connections.where("action = 'disconnected'").select(
        "socket", "connection", sf.col("at").alias("ended_at")
    )
    came = connections.where("action = 'connected'")
    return came.join(ended, on=["socket", "connection"], how="left")


def _is_brief() -> Column:
    return sf.coalesce(seconds(sf.col("ended_at"), sf.col("at")) < PROBES_LAST, sf.lit(False))


def streams_shared_with(strangers: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    """Shared-out streams that pass a socket with a connection to somebody of whom nobody tells, and who may have got some messages: stream."""
    shared_out = sockets.where(sf.col("type").isin(*BALANCED_TYPES)).select(sf.col("socket").alias("stream"))
    passing = strangers.where("counted").select(sf.col("socket").alias("from_socket"))
    return (
        way_edges.join(passing, on="from_socket", how="left_semi")
        .select("stream")
        .distinct()
        .join(shared_out, on="stream", how="left_semi")
    )
