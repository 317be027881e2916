"""Sockets: when each opened and ended, how it ended, and which node (a socket, or a proxy) it belongs to."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.files.schemas import COUNTERS
from hopwatch_analysis.sockets.options import with_options
from hopwatch_analysis.sockets.probing import with_probing
from hopwatch_analysis.sockets.rests import rests
from hopwatch_analysis.spark.frames import best


def sockets(tables: Tables) -> DataFrame:
    """One row a socket: socket, host, process, command, name, type, probed, probing_stopped_at, never_drops, stamped, sequence, opened_at, end,
    ended_at, unread, took_last_at, asked_until (see sockets.rests), sndhwm, rcvhwm, linger, sndbuf, rcvbuf, req_relaxed, conflate, maxmsgsize, immediate, memory_limit, killed_of, proxy, passes_to (the proxy's other socket), node, node_name, node_type.

    ``unread``: messages had reached it that it had not received when it was closed; null where that is not known.
    ``killed_of``: its process vanished when the kernel killed for memory, in a cgroup of so many bytes (``memory_limit``); it is
    the one that was killed where it is 1, and one of so many that vanished then where it is more; null for all others.
    ``end`` is ``closed``, ``exited`` (its process exited with it open), ``died`` or ``open``.
    """
    return (
        _opened(tables["socket"])
        .transform(
            lambda opened: with_options(opened, tables["option"], tables["endpoint"], tables["connection"])
        )
        .transform(lambda opened: with_probing(opened, tables["socket"], tables["option"]))
        .drop("options")
        .join(_closed(tables["socket"]), on="socket", how="left")
        .join(_processes(tables["process"]), on="process", how="left")
        .join(_killed_for_memory(tables["oom"]), on="process", how="left")
        .join(_proxy_sides(tables["proxy"]), on="socket", how="left")
        .join(rests(tables["counters"]), on="socket", how="left")
        .withColumn("end", _end())
        .withColumn("ended_at", sf.coalesce("closed_at", "exited_at", "gone_at"))
        .withColumn("node", sf.coalesce("proxy", "socket"))
        .withColumn("name", sf.coalesce("name", _derived_name()))
        .withColumn("node_name", sf.coalesce("proxy_name", "name"))
        .withColumn("node_type", sf.when(sf.col("proxy").isNotNull(), "PROXY").otherwise(sf.col("type")))
        .drop("closed_at", "exited_at", "gone_at", "proxy_name")
    )


def conflating(sockets: DataFrame) -> DataFrame:
    """Sockets with ZMQ_CONFLATE in force: socket."""
    return sockets.where("conflate = 1").select("socket")


def leaving_out(tables: Tables, sockets: DataFrame) -> DataFrame:
    """Sockets that leave messages out by design, or where subscriptions do not say what is sent: socket."""
    return conflating(sockets).unionByName(filtering_otherwise(tables)).distinct()


def filtering_otherwise(tables: Tables) -> DataFrame:
    """Sockets where subscriptions do not say what is sent: socket.

    ZMQ_INVERT_MATCHING turns them round, and with ZMQ_XPUB_MANUAL (or _LAST_VALUE) the sender's application decides of them.
    """
    return with_option_set(tables, "invert_matching", "xpub_manual", "xpub_manual_last_value")


def with_option_set(tables: Tables, *names: str) -> DataFrame:
    """Sockets of which any of these options was ever set to 1: socket."""
    own = tables["option"].where(sf.col("option").isin(*names) & (sf.col("value") == "1"))
    return own.select("socket").distinct()


def latest_counters(tables: Tables) -> DataFrame:
    """The last word on each socket's counters."""
    last_word = sf.struct("final", "at")
    return (
        tables["counters"]
        .groupBy("socket")
        .agg(sf.max_by(sf.struct(*COUNTERS), last_word).alias("last"))
        .select("socket", "last.*")
    )


def _opened(rows: DataFrame) -> DataFrame:
    opened = best(rows.where("state = 'opened'"), ["socket"], [sf.col("at")])
    return opened.select(
        "socket",
        "host",
        "process",
        "name",
        "type",
        sf.coalesce("probed", sf.lit(False)).alias("probed"),
        (sf.col("sequence") == "stamp").alias("stamped"),
        "sequence",
        "options",
        sf.col("at").alias("opened_at"),
    )


def _closed(rows: DataFrame) -> DataFrame:
    return (
        rows.where("state = 'closed'")
        .groupBy("socket")
        .agg(sf.max("at").alias("closed_at"), sf.max("unread").alias("unread"))
    )


def _processes(rows: DataFrame) -> DataFrame:
    def at(state: str) -> Column:
        return sf.max(sf.when(sf.col("state") == state, sf.col("at")))

    return rows.groupBy("process").agg(
        sf.max("command").alias("command"), at("exited").alias("exited_at"), at("gone").alias("gone_at")
    )


def _killed_for_memory(rows: DataFrame) -> DataFrame:
    vanished = rows.where("process is not null and vanished > 0")
    return vanished.groupBy("process").agg(
        sf.min("vanished").alias("killed_of"), sf.min_by("limit", "vanished").alias("memory_limit")
    )


def _proxy_sides(rows: DataFrame) -> DataFrame:
    proxies = best(rows, ["proxy"], [sf.col("at")])  # when it started: its end repeats the same
    front = proxies.select(
        sf.col("frontend").alias("socket"),
        "proxy",
        sf.col("name").alias("proxy_name"),
        sf.col("backend").alias("passes_to"),
    )
    back = proxies.select(
        sf.col("backend").alias("socket"),
        "proxy",
        sf.col("name").alias("proxy_name"),
        sf.col("frontend").alias("passes_to"),
    )
    sides = front.unionByName(back)
    return best(sides, ["socket"], [sf.col("proxy")])


def _end() -> Column:
    return (
        sf.when(sf.col("closed_at").isNotNull(), "closed")
        .when(sf.col("exited_at").isNotNull(), "exited")
        .when(sf.col("gone_at").isNotNull(), "died")
        .otherwise("open")
    )


def _derived_name() -> Column:
    return sf.concat_ws(" ", "type", sf.substring("socket", 1, 6))
