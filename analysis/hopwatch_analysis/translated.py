"""Connections whose two ends do not name each other's addresses, because these are translated on the way, as by a service of Kubernetes.

Most often only where the connecting end calls is translated: then the bound end sees whence it calls. Else two such ends belong together if
stamps of the one came to the other; else if they have one port, nobody else there has, and stamps bear it out beyond the proxy that one of
them is a side of, or there are none that would have told. Of several at one time, the nearest in time to each other do.
"""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import best, seconds, settle
from hopwatch_analysis.reading import Tables

LOOPBACK = r"^(127\.|\[::1\])"
WITHIN = 10  # seconds: clocks of hosts may differ, where nothing tells by how much
OURS, THEIRS = ("socket", "connection"), ("peer", "peer_connection")


def translated_connections(
    tables: Tables, mirrored: DataFrame, sockets: DataFrame, flows: dict[str, tuple[str, ...]]
) -> DataFrame:
    """Both ends of each such connection: socket, connection, peer, transport. ``flows``: the types that each type sends to."""
    unmirrored = (
        tables["connection"]
        .where("action = 'connected'")
        .join(mirrored, on=["socket", "connection"], how="left_anti")
    )
    about = sockets.select("socket", "type", (sf.col("stamped") & sf.col("proxy").isNull()).alias("tells"))
    ours = (
        unmirrored.where("not accepted")
        .select(*OURS, "at", _port("endpoint").alias("port"), sf.col("local").alias("caller"))
        .join(about, on="socket", how="inner")
    )
    theirs = (
        unmirrored.where("accepted")
        .select(*OURS, "at", _port("local").alias("port"), sf.col("remote").alias("caller"))
        .join(about, on="socket", how="inner")
        .toDF(*THEIRS, "peer_at", "peer_port", "peer_caller", "peer_type", "peer_tells")
    )
    ours, theirs = settle(ours), settle(theirs)
    if ours.isEmpty() or theirs.isEmpty():
        return mirrored.limit(0)
    near = (sf.abs(seconds(sf.col("peer_at"), sf.col("at"))) <= WITHIN) & _may_talk(flows)
    proven = settle(_proven(tables["lane"]))
    by_caller = ours.join(theirs, (ours["caller"] == theirs["peer_caller"]) & near, how="inner").where(
        ~sf.col("caller").rlike(LOOPBACK)
    )
    by_stamps = ours.join(proven, on="socket", how="inner").join(theirs, on="peer", how="inner").where(near)
    by_port = ours.join(theirs, (ours["port"] == theirs["peer_port"]) & near, how="inner")
    called = settle(_ends(_nearest(settle(by_caller))))
    found = settle(called.unionByName(_ends(_nearest(settle(_without(by_stamps, called))))))
    matched = mirrored.select("socket", "peer").unionByName(_both_ways(found).select("socket", "peer"))
    borne_out = settle(_without(_borne_out(settle(by_port), matched, sockets, proven), found))
    pairs = found.unionByName(_ends(_nearest(_alone(borne_out))))
    return _both_ways(pairs).withColumn("transport", sf.lit("tcp"))


def _both_ways(pairs: DataFrame) -> DataFrame:
    other = pairs.select(
        sf.col("peer").alias("socket"),
        sf.col("peer_connection").alias("connection"),
        sf.col("socket").alias("peer"),
    )
    return pairs.select(*OURS, "peer").unionByName(other)


def _borne_out(candidates: DataFrame, matched: DataFrame, sockets: DataFrame, proven: DataFrame) -> DataFrame:
    """Those between sockets that cannot tell, and those to a side of a proxy whose other side is connected with one that the stamps came from or to."""
    other_side = sockets.where("passes_to is not null").select("socket", "passes_to")
    beyond = matched.join(other_side.toDF("side", "socket"), on="socket", how="inner").select(
        "side", sf.col("peer").alias("socket")
    )
    reached = proven.join(beyond, on="socket", how="inner").select("peer", "side").distinct()
    known = reached.toDF("socket", "peer").unionByName(reached.toDF("peer", "socket"))
    proxies = other_side.select("socket")
    told = candidates.where("(tells or peer_tells) and not (tells and peer_tells)").join(
        known, on=["socket", "peer"], how="left_semi"
    )
    untold = (
        candidates.where("not tells and not peer_tells")
        .join(proxies, on="socket", how="left_anti")
        .join(proxies.toDF("peer"), on="peer", how="left_anti")
    )
    return told.unionByName(untold)


def _port(address: str) -> Column:
    return sf.regexp_extract(address, r":(\d+)$", 1)


def _may_talk(flows: dict[str, tuple[str, ...]]) -> Column:
    one, other = sf.col("type"), sf.col("peer_type")
    ways = [
        ((one == sender) & other.isin(*receivers)) | ((other == sender) & one.isin(*receivers))
        for sender, receivers in flows.items()
    ]
    return reduce(Column.__or__, ways)


def _proven(lane_rows: DataFrame) -> DataFrame:
    """Pairs of which the one got stamps of the other, each both ways: socket, peer."""
    got = (
        lane_rows.where("role = 'receive' and stream is not null")
        .select("socket", sf.col("stream").alias("peer"))
        .distinct()
    )
    return got.unionByName(
        got.select(sf.col("peer").alias("socket"), sf.col("socket").alias("peer"))
    ).distinct()


def _nearest(candidates: DataFrame) -> DataFrame:
    """Those of which each end is the other's nearest in time."""
    apart = sf.abs(sf.unix_micros("at") - sf.unix_micros("peer_at"))
    of_ours = best(candidates, OURS, [apart, sf.col("peer"), sf.col("peer_connection")])
    of_theirs = best(candidates, THEIRS, [apart, sf.col("socket"), sf.col("connection")])
    return of_ours.join(of_theirs.select(*OURS, *THEIRS), on=[*OURS, *THEIRS], how="left_semi")


def _alone(candidates: DataFrame) -> DataFrame:
    """Those between two sockets that have no other candidate."""
    alone = candidates.withColumns(
        {
            "peers": sf.size(sf.collect_set("peer").over(Window.partitionBy(*OURS))),
            "rivals": sf.size(sf.collect_set("socket").over(Window.partitionBy(*THEIRS))),
        }
    )
    return alone.where("peers = 1 and rivals = 1")


def _ends(pairs: DataFrame) -> DataFrame:
    return pairs.select(*OURS, *THEIRS)


def _without(candidates: DataFrame, found: DataFrame) -> DataFrame:
    """Those of which neither end has been found."""
    return candidates.join(found, on=list(OURS), how="left_anti").join(
        found, on=list(THEIRS), how="left_anti"
    )
