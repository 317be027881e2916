"""Who is connected to whom by endpoint: for transports without addresses, and where no monitor told."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.spark.frames import best

EVERY_HOST = ("*", "0.0.0.0", "[::]", "::")  # noqa: S104
LOOPBACK = r"^(localhost|127\..*|\[?::1\]?)$"
TOLD_BY_MONITOR = ("connected", "disconnected", "retried")


def endpoint_pairs(tables: Tables, sockets: DataFrame) -> DataFrame:
    """Pairs of one socket that connected to where another is bound: socket, peer, transport.

    A socket that was wrapped late names the last endpoint it had, as one that it was bound or connected to. Where several bound sockets fit, those on the connecting socket's own host are meant. TCP connections that
    monitors of both ends told of are known by their addresses: a pair by endpoint alone would be one that never was.
    """
    known = sockets.select("socket", "type", "host", "process", "opened_at", "ended_at")
    watched = (
        tables["connection"]
        .where(sf.col("action").isin(*TOLD_BY_MONITOR))
        .select("socket")
        .distinct()
        .withColumn("watched", sf.lit(True))
    )
    ends = (
        tables["endpoint"]
        .where(sf.col("action").isin("bind", "connect", "endpoint"))
        .select("socket", "action", "endpoint")
        .distinct()
        .join(known, on="socket", how="inner")
        .join(watched, on="socket", how="left")
        .transform(_with_parts)
    )
    connects = ends.where("action in ('connect', 'endpoint')").alias("c")
    binds = ends.where("action in ('bind', 'endpoint')").alias("b")
    pairs = connects.join(binds, _same_place(), how="inner").where(_alive_together())
    return (
        pairs.where(~_told_otherwise())
        .select(
            sf.col("c.socket").alias("socket"),
            sf.col("b.socket").alias("peer"),
            sf.col("c.transport").alias("transport"),
            (sf.col("c.host") == sf.col("b.host")).alias("same_host"),
            sf.col("c.endpoint").alias("endpoint"),
        )
        .transform(_prefer_same_host)
        .select("socket", "peer", "transport")
        .distinct()
    )


def _with_parts(ends: DataFrame) -> DataFrame:
    address = sf.regexp_extract("endpoint", r"^[a-z]+://(.*)$", 1)
    host = sf.regexp_extract(address, r"^(.*):[^:]*$", 1)
    is_tcp = sf.col("transport") == "tcp"
    return (
        ends.withColumn("transport", sf.regexp_extract("endpoint", r"^([a-z]+)://", 1))
        .withColumn("place", sf.when(is_tcp, sf.regexp_extract(address, r":([^:]*)$", 1)).otherwise(address))
        .withColumn("place_host", sf.when(is_tcp, _host_class(host)).otherwise(""))
    )


def _host_class(host: Column) -> Column:
    return sf.when(host.isin(*EVERY_HOST), "*").when(host.rlike(LOOPBACK), "loopback").otherwise(host)


def _same_place() -> Column:
    """One is bound where the other is connected. Two of one type, of which that is not known, may both be connected there."""
    same_host = (sf.col("b.place_host") == "*") | (sf.col("b.place_host") == sf.col("c.place_host"))
    reachable = (sf.col("c.transport") != "inproc") | (sf.col("c.process") == sf.col("b.process"))
    return (
        (sf.col("c.transport") == sf.col("b.transport"))
        & (sf.col("c.place") == sf.col("b.place"))
        & (sf.col("c.socket") != sf.col("b.socket"))
        & ((sf.col("c.type") != sf.col("b.type")) | _from_the_start())
        & same_host
        & reachable
    )


def _alive_together() -> Column:
    c_in_time = sf.col("b.ended_at").isNull() | (sf.col("c.opened_at") <= sf.col("b.ended_at"))
    b_in_time = sf.col("c.ended_at").isNull() | (sf.col("b.opened_at") <= sf.col("c.ended_at"))
    return c_in_time & b_in_time


def _told_otherwise() -> Column:
    both_watched = sf.col("c.watched").isNotNull() & sf.col("b.watched").isNotNull()
    return (sf.col("c.transport") == "tcp") & both_watched & _from_the_start()


def _from_the_start() -> Column:
    """Both were wrapped before they were bound or connected."""
    return (sf.col("c.action") != "endpoint") & (sf.col("b.action") != "endpoint")


def _prefer_same_host(pairs: DataFrame) -> DataFrame:
    near = best(pairs.where("same_host"), ["socket", "endpoint"], [sf.col("peer")]).select(
        "socket", "endpoint", sf.lit(True).alias("has_near")
    )
    return pairs.join(near, on=["socket", "endpoint"], how="left").where("same_host or has_near is null")
