"""Connections whose two ends do not name each other's addresses, because these are translated on the way, as by a service of Kubernetes.

Most often only where the connecting end calls is translated: then the bound end sees whence it calls. Else two such ends belong together if
stamps of the one came to the other; else if they have one port, nobody else there has, and stamps bear it out beyond the proxy that one of
them is a side of, or there are none that would have told. Between two sockets that meet nobody else so, and of which either tells of as many, the
first belongs to the first, whatever their clocks say. Else, of several at one time, those do that came up nearest in time to each other; of several
that came up at once, those that went down so.

Only where the bound end sees whence it calls is it known to be one TCP connection. Else it is masqueraded: who translates may as well take what
is sent, and send it on over another connection, so that neither end's kernel speaks of the other end.
"""

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.spark.frames import best, seconds, settle

LOOPBACK = r"^(127\.|\[::1\])"
WITHIN = 10  # seconds: clocks of hosts may differ, where nothing tells by how much
CAME_UP_AT_ONCE = 0.3  # seconds: no order of two connections is told by their ends' clocks so finely
OURS, THEIRS = ("socket", "connection"), ("peer", "peer_connection")


def translated_connections(
    tables: Tables, mirrored: DataFrame, sockets: DataFrame, flows: dict[str, tuple[str, ...]]
) -> DataFrame:
    """Both ends of each such connection: socket, connection, peer, transport, masqueraded. ``flows``: the types that each type sends to."""
    unmirrored = (
        tables["connection"]
        .where("action = 'connected'")
        .join(mirrored, on=["socket", "connection"], how="left_anti")
        .join(_downs(tables["connection"]), on=["socket", "connection"], how="left")
    )
    tells = sf.col("stamped") & sf.col("proxy").isNull()
    about = sockets.select("socket", "type", tells.alias("tells"), "ended_at")
    ours = (
        unmirrored.where("not accepted")
        .withColumns({"port": _port("endpoint"), "caller": sf.col("local")})
        .transform(lambda ends: _with_sockets(ends, about))
    )
    theirs = (
        unmirrored.where("accepted")
        .withColumns({"port": _port("local"), "caller": sf.col("remote")})
        .transform(lambda ends: _with_sockets(ends, about))
        .toDF(*THEIRS, "peer_at", "peer_port", "peer_caller", "peer_type", "peer_tells", "peer_gone_at")
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
    called = settle(_ends(_paired(settle(by_caller)), masqueraded=False))
    found = settle(called.unionByName(_ends(_paired(settle(_without(by_stamps, called))), masqueraded=True)))
    matched = mirrored.select("socket", "peer").unionByName(_both_ways(found).select("socket", "peer"))
    borne_out = settle(_without(_borne_out(settle(by_port), matched, sockets, proven), found))
    pairs = found.unionByName(_ends(_paired(_alone(borne_out)), masqueraded=True))
    local = unmirrored.where("endpoint like 'ipc:%'").select(*OURS, sf.lit("ipc").alias("local"))
    told = _both_ways(pairs).join(local, on=list(OURS), how="left")
    over_tcp = sf.col("local").isNull()
    return told.select(
        *OURS,
        "peer",
        sf.coalesce("local", sf.lit("tcp")).alias("transport"),
        (sf.col("masqueraded") & over_tcp).alias("masqueraded"),
    )


def _downs(connection_rows: DataFrame) -> DataFrame:
    """When ends of connections went down: socket, connection, down_at."""
    gone = connection_rows.where("action = 'disconnected'")
    return gone.groupBy("socket", "connection").agg(sf.min("at").alias("down_at"))


def _with_sockets(ends: DataFrame, about: DataFrame) -> DataFrame:
    """Ends with what is known of their sockets, and ``gone_at``, when they went down or their sockets ended."""
    gone_at = sf.coalesce("down_at", "ended_at").alias("gone_at")
    return ends.join(about, on="socket", how="inner").select(
        *OURS, "at", "port", "caller", "type", "tells", gone_at
    )


def _both_ways(pairs: DataFrame) -> DataFrame:
    other = pairs.select(
        sf.col("peer").alias("socket"),
        sf.col("peer_connection").alias("connection"),
        sf.col("socket").alias("peer"),
        "masqueraded",
    )
    return pairs.select(*OURS, "peer", "masqueraded").unionByName(other)


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


def _paired(candidates: DataFrame) -> DataFrame:
    """Each connection's one other end."""
    in_turn = settle(_in_turn(candidates))
    nearest = _nearest(_without(candidates, in_turn))
    return in_turn.unionByName(nearest.select(*candidates.columns))


def _in_turn(candidates: DataFrame) -> DataFrame:
    """Of two sockets that have no other candidate, and either as many connections: the first with the first, and so on."""
    pair = Window.partitionBy("socket", "peer")
    turns = _alone(candidates).withColumns(
        {
            "turn": sf.dense_rank().over(pair.orderBy("at", "connection")),
            "peer_turn": sf.dense_rank().over(pair.orderBy("peer_at", "peer_connection")),
        }
    )
    as_many = sf.max("turn").over(pair) == sf.max("peer_turn").over(pair)
    matched = turns.withColumn("as_many", as_many).where("as_many and turn = peer_turn")
    return matched.select(*candidates.columns)


def _nearest(candidates: DataFrame) -> DataFrame:
    """Those of which each end is the other's nearest in time."""
    of_ours = _nearest_to(candidates, OURS, THEIRS)
    of_theirs = _nearest_to(candidates, THEIRS, OURS)
    return of_ours.join(of_theirs.select(*OURS, *THEIRS), on=[*OURS, *THEIRS], how="left_semi")


def _nearest_to(candidates: DataFrame, one: tuple[str, str], other: tuple[str, str]) -> DataFrame:
    """The candidate that came up nearest to one end; of those that came up at once, the one that went down nearest to it, or did not either."""
    apart = sf.abs(seconds(sf.col("at"), sf.col("peer_at")))
    behind_the_nearest = apart - sf.min(apart).over(Window.partitionBy(*one))
    gone_apart = sf.abs(seconds(sf.col("gone_at"), sf.col("peer_gone_at")))
    both_stay = sf.col("gone_at").isNull() & sf.col("peer_gone_at").isNull()
    ranked = candidates.withColumns(
        {
            "came_apart": sf.when(behind_the_nearest > CAME_UP_AT_ONCE, apart).otherwise(0.0),
            "gone_apart": sf.when(both_stay, 0.0).otherwise(gone_apart),
        }
    )
    order = [sf.col("came_apart"), sf.col("gone_apart").asc_nulls_last(), apart, *map(sf.col, other)]
    return best(ranked, one, order)


def _alone(candidates: DataFrame) -> DataFrame:
    """Those between two sockets that have no other candidate."""
    alone = candidates.withColumns(
        {
            "peers": sf.size(sf.collect_set("peer").over(Window.partitionBy(*OURS))),
            "rivals": sf.size(sf.collect_set("socket").over(Window.partitionBy(*THEIRS))),
        }
    )
    return alone.where("peers = 1 and rivals = 1")


def _ends(pairs: DataFrame, *, masqueraded: bool) -> DataFrame:
    return pairs.select(*OURS, *THEIRS, sf.lit(masqueraded).alias("masqueraded"))


def _without(candidates: DataFrame, found: DataFrame) -> DataFrame:
    """Those of which neither end has been found."""
    return candidates.join(found, on=list(OURS), how="left_anti").join(
        found, on=list(THEIRS), how="left_anti"
    )
