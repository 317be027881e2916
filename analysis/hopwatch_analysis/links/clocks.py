"""One clock for all hosts: how far each host's clock is from the others', and every time of the tables told by one of them.

Both ends of a TCP connection write down when it came up, each by its own clock. The median of the differences between two hosts is
that of their clocks, give or take what the two ends took to write it down; hosts that are connected by way of others are compared along that way.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median_low

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.links import mirror_images
from hopwatch_analysis.links.translated import LOOPBACK

AS_GOOD_AS_EQUAL = 0.25  # seconds: below it, the two ends' own delays are as likely a reason
OF_THE_STREAM = ("newest_sent_at", "before_sent_at", "after_sent_at")
OF_THE_HOST = ("at", "counted_at")
NANOSECONDS_OF_THE_HOST = ("proxied_at",)


@dataclass(frozen=True)
class Difference:
    """By how many seconds the clock of ``host`` is ahead of that of ``peer``, by so many connections."""

    host: str
    peer: str
    seconds: float
    connections: int


def differences(tables: Tables) -> list[Difference]:
    """What the connections between each two hosts say."""
    apart = (sf.unix_micros("at") - sf.unix_micros("peer_at")) / sf.lit(1e6)
    both_ends = ("host", "at", "peer_host", "peer_at")
    rows = (
        mirror_images(tables)
        .select(*both_ends)
        .unionByName(_by_their_callers(tables).select(*both_ends))
        .where("host < peer_host")
        .groupBy("host", "peer_host")
        .agg(sf.median(apart).alias("seconds"), sf.count("*").alias("connections"))
        .collect()
    )
    return [Difference(row["host"], row["peer_host"], row["seconds"], row["connections"]) for row in rows]


def _by_their_callers(tables: Tables) -> DataFrame:
    """Connections to a translated address, of which the bound end sees whence it is called: host, at, peer_host, peer_at, once from each end."""
    ends = tables["connection"].where("action = 'connected' and local is not null and remote is not null")
    alone = sf.count("*").over(Window.partitionBy("caller")) == 1

    def unique(side: DataFrame, caller: str) -> DataFrame:
        called = sf.when(sf.col("accepted"), sf.col("local")).otherwise(sf.col("remote"))
        return (
            side.select("host", "at", sf.col(caller).alias("caller"), called.alias("called"))
            .where(~sf.col("caller").rlike(LOOPBACK))
            .withColumn("alone", alone)
            .where("alone")
            .drop("alone")
        )

    callers = unique(ends.where("not accepted"), "local")
    bound = unique(ends.where("accepted"), "remote").toDF("peer_host", "peer_at", "caller", "peer_called")
    pairs = callers.join(bound, on="caller", how="inner").where("called != peer_called")
    other = pairs.select(
        sf.col("peer_host").alias("host"),
        sf.col("peer_at").alias("at"),
        sf.col("host").alias("peer_host"),
        sf.col("at").alias("peer_at"),
    )
    return pairs.select(*other.columns).unionByName(other)


def ahead_by(differences: Iterable[Difference]) -> dict[str, float]:
    """Seconds by which each host's clock is ahead of most others' that it is connected with, of those where that is worth a word."""
    neighbours: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    for each in differences:
        neighbours[each.host].append((each.connections, each.peer, -each.seconds))
        neighbours[each.peer].append((each.connections, each.host, each.seconds))
    found: dict[str, float] = {}
    for host in sorted(neighbours):
        if host not in found:
            together = _compared(host, neighbours)
            usual = median_low(together.values())
            found |= {name: seconds - usual for name, seconds in together.items()}
    return {host: seconds for host, seconds in sorted(found.items()) if abs(seconds) > AS_GOOD_AS_EQUAL}


def _compared(first: str, neighbours: Mapping[str, list[tuple[int, str, float]]]) -> dict[str, float]:
    """How far the clocks of all hosts that can be compared with the first are ahead of it, by the fewest steps."""
    found, edge = {first: 0.0}, [first]
    while edge:
        reached: dict[str, float] = {}
        for host in edge:
            for _, peer, ahead in sorted(neighbours[host], reverse=True):
                if peer not in found and peer not in reached:
                    reached[peer] = found[host] + ahead
        found |= reached
        edge = list(reached)
    return found


def compared_by(differences: Iterable[Difference]) -> dict[str, str]:
    """Each host that connections compare with others, and of those the first by name: the same one for all that are compared."""
    neighbours: dict[str, list[tuple[int, str, float]]] = defaultdict(list)
    for each in differences:
        neighbours[each.host].append((1, each.peer, 0.0))
        neighbours[each.peer].append((1, each.host, 0.0))
    found: dict[str, str] = {}
    for host in sorted(neighbours):
        if host not in found:
            found |= dict.fromkeys(_compared(host, neighbours), host)
    return found


def steady(measured: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    """What was measured before, but for clocks that are elsewhere now: what varies from one measurement to the next moves no time."""
    hosts = {host: before.get(host, 0.0) for host in sorted({*measured, *before})}
    moved = {host: measured.get(host, 0.0) for host in hosts}
    now = {
        host: was if abs(moved[host] - was) <= AS_GOOD_AS_EQUAL else moved[host]
        for host, was in hosts.items()
    }
    return {host: seconds for host, seconds in now.items() if seconds}


def by_one_clock(tables: Tables, ahead: Mapping[str, float]) -> Tables:
    """The tables with every time as a clock would tell it that agrees with most hosts'."""
    if not ahead:
        return tables
    senders = (
        tables["socket"].where("state = 'opened'").select(sf.col("socket").alias("stream"), sf.col("host"))
    )
    sent_behind = _behind(sf.col("host"), ahead)
    streams = senders.distinct().withColumn("sent_behind", sent_behind).where("sent_behind != 0").drop("host")
    return {kind: _corrected(frame, streams, ahead) for kind, frame in tables.items()}


def _corrected(frame: DataFrame, streams: DataFrame, ahead: Mapping[str, float]) -> DataFrame:
    own = [name for name in OF_THE_HOST if name in frame.columns]
    others = [name for name in OF_THE_STREAM if name in frame.columns]
    numbers = [name for name in NANOSECONDS_OF_THE_HOST if name in frame.columns]
    behind = _behind(sf.col("host"), ahead)
    told = frame.withColumns(
        {name: _moved(name, behind) for name in own} | {name: _moved_number(name, behind) for name in numbers}
    )
    if not others:
        return told
    return (
        told.join(sf.broadcast(streams), on="stream", how="left")
        .withColumns({name: _moved(name, sf.coalesce("sent_behind", sf.lit(0))) for name in others})
        .select(*frame.columns)
    )


def _behind(host: Column, ahead: Mapping[str, float]) -> Column:
    """Microseconds to add to a time that this host told."""
    pairs = [sf.lit(part) for name, seconds in ahead.items() for part in (name, round(-seconds * 1e6))]
    return sf.coalesce(sf.try_element_at(sf.create_map(*pairs), host), sf.lit(0))


def clock_of(host: Column, compared: Mapping[str, str]) -> Column:
    """The same for two hosts if connections compare their clocks, or if they are one."""
    if not compared:
        return host
    pairs = [sf.lit(part) for name, first in compared.items() for part in (name, first)]
    return sf.coalesce(sf.try_element_at(sf.create_map(*pairs), host), host)


def _moved_number(name: str, microseconds: Column) -> Column:
    """0 says that it is not known."""
    return sf.when(sf.col(name) > 0, sf.try_add(sf.col(name), microseconds.cast("long") * 1000)).otherwise(
        sf.lit(0)
    )


def _moved(name: str, microseconds: Column) -> Column:
    return sf.timestamp_micros(sf.unix_micros(name) + microseconds)
