"""Connections whose two ends do not name each other's addresses, because these are translated on the way, as by a service of Kubernetes.

Most often only where the connecting end calls is translated: then the bound end sees whence it calls. Else two such ends belong together if
stamps of the one came to the other; else if they have one port, nobody else there has, and stamps bear it out beyond the proxy that one of
them is a side of, or there are none that would have told. Of several candidates, times tell (``paired``).

Only where the bound end sees whence it calls is it known to be one TCP connection. Else it is masqueraded: who translates may as well take what
is sent, and send it on over another connection, so that neither end's kernel speaks of the other end.
"""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.numbered import proven, with_who_came_later
from hopwatch_analysis.links.paired import OURS, THEIRS, alone, paired, without
from hopwatch_analysis.links.proxies_between import without_those_behind_proxies
from hopwatch_analysis.spark.frames import seconds, settle

LOOPBACK = r"^(127\.|\[::1\])"
WITHIN = 10  # seconds: clocks of hosts may differ, where nothing tells by how much


def translated_connections(
    tables: Tables, mirrored: DataFrame, sockets: DataFrame, flows: dict[str, tuple[str, ...]]
) -> DataFrame:
    """Both ends of each such connection: socket, connection, peer, transport, masqueraded, mistakable (another one came up and went down at about those
    times). ``flows``: the types that each type sends to.
    """
    unmirrored = (
        tables["connection"]
        .where("action = 'connected'")
        .join(mirrored, on=["socket", "connection"], how="left_anti")
        .join(_downs(tables["connection"]), on=["socket", "connection"], how="left")
    )
    tells = sf.col("stamped") & sf.col("proxy").isNull()
    about = sockets.select("socket", "type", tells.alias("tells"), "ended_at", "end")
    ours = (
        unmirrored.where("not accepted")
        .withColumns({"port": _port("endpoint"), "caller": sf.col("local")})
        .transform(lambda ends: _with_sockets(ends, about))
    )
    theirs = (
        unmirrored.where("accepted")
        .withColumns({"port": _port("local"), "caller": sf.col("remote")})
        .transform(lambda ends: _with_sockets(ends, about))
        .toDF(
            *THEIRS,
            "peer_at",
            "peer_port",
            "peer_caller",
            "peer_type",
            "peer_tells",
            "peer_gone_at",
            "peer_found_dead",
            "peer_sent_at_down",
        )
    )
    ours, theirs = settle(ours), settle(theirs)
    if ours.isEmpty() or theirs.isEmpty():
        return mirrored.limit(0)
    near = (sf.abs(seconds(sf.col("peer_at"), sf.col("at"))) <= WITHIN) & _may_talk(flows)
    of_stamps = settle(proven(tables["lane"]))
    sides = settle(sockets.where("passes_to is not null").select("socket", "passes_to"))
    by_caller = ours.join(theirs, (ours["caller"] == theirs["peer_caller"]) & near, how="inner").where(
        ~sf.col("caller").rlike(LOOPBACK)
    )
    called = settle(_ends(paired(settle(by_caller)), masqueraded=False))
    ours, theirs = (
        settle(ends.join(called, on=list(side), how="left_anti"))
        for ends, side in ((ours, OURS), (theirs, THEIRS))
    )
    by_stamps = settle(
        ours.join(of_stamps, on="socket", how="inner").join(theirs, on="peer", how="inner").where(near)
    )
    numbered = settle(
        without_those_behind_proxies(by_stamps, ours, theirs, sides, near).transform(with_who_came_later)
    )
    by_port = ours.join(theirs, (ours["port"] == theirs["peer_port"]) & near, how="inner")
    found = settle(called.unionByName(_ends(paired(numbered), masqueraded=True)))
    matched = mirrored.select("socket", "peer").unionByName(_both_ways(found).select("socket", "peer"))
    borne_out = settle(without(_borne_out(settle(by_port), matched, sockets, of_stamps), found))
    pairs = found.unionByName(_ends(paired(alone(borne_out)), masqueraded=True))
    local = unmirrored.where("endpoint like 'ipc:%'").select(*OURS, sf.lit("ipc").alias("local"))
    told = _both_ways(pairs).join(local, on=list(OURS), how="left")
    over_tcp = sf.col("local").isNull()
    return told.select(
        *OURS,
        "peer",
        sf.coalesce("local", sf.lit("tcp")).alias("transport"),
        (sf.col("masqueraded") & over_tcp).alias("masqueraded"),
        "mistakable",
    )


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


def _both_ways(pairs: DataFrame) -> DataFrame:
    other = pairs.select(
        sf.col("peer").alias("socket"),
        sf.col("peer_connection").alias("connection"),
        sf.col("socket").alias("peer"),
        "masqueraded",
        "mistakable",
    )
    return pairs.select(*OURS, "peer", "masqueraded", "mistakable").unionByName(other)


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


def _ends(pairs: DataFrame, *, masqueraded: bool) -> DataFrame:
    return pairs.select(*OURS, *THEIRS, sf.lit(masqueraded).alias("masqueraded"), "mistakable")
