"""Connections whose two ends do not name each other's addresses, because these are translated on the way, as by a service of Kubernetes.

Most often only where the connecting end calls is translated: then the bound end sees whence it calls. Else two such ends belong together if
stamps of the one came to the other; else if they have one port, nobody else there has, and stamps bear it out beyond the proxy that one of
them is a side of, or there are none that would have told. Of several candidates, times tell (``paired``). None is one that a proxy may
stand between (``proxies_between``): the two ends of such a pair may each be connected to it.

Only where the bound end sees whence it calls is it known to be one TCP connection. Else it is masqueraded: who translates may as well take what
is sent, and send it on over another connection, so that neither end's kernel speaks of the other end.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.numbered import proven, with_who_came_later
from hopwatch_analysis.links.paired import OURS, THEIRS, alone, paired, without
from hopwatch_analysis.links.proxies_between import Between, without_those_behind_proxies
from hopwatch_analysis.links.unmatched_ends import last_heard, near, not_in, unmatched_ends
from hopwatch_analysis.spark.frames import settle

MORE_PROXIES = 3  # one behind the other, that are thought of
LOOPBACK = r"^(127\.|\[::1\])"


def translated_connections(
    tables: Tables, mirrored: DataFrame, sockets: DataFrame, flows: dict[str, tuple[str, ...]]
) -> DataFrame:
    """Both ends of each such connection: socket, connection, peer, transport, masqueraded, mistakable (another one came up and went down at about those
    times). ``flows``: the types that each type sends to.
    """
    calling, accepting = unmatched_ends(tables["connection"], mirrored, sockets)
    if calling.isEmpty() or accepting.isEmpty():
        return mirrored.limit(0)
    by_caller = calling.join(
        accepting, (sf.col("caller") == sf.col("peer_caller")) & near(flows), how="inner"
    ).where(~sf.col("caller").rlike(LOOPBACK))
    called = settle(_ends(paired(settle(by_caller)), masqueraded=False))
    known = mirrored.select("socket", "peer").unionByName(_both_ways(called).select("socket", "peer"))
    between = Between(
        not_in(calling, called, OURS),
        not_in(accepting, called, THEIRS),
        settle(_through(sockets, known)),
        near(flows),
        last_heard(tables["counters"]),
    )
    of_stamps = settle(proven(tables["lane"]))
    found = settle(called.unionByName(_by_stamps(of_stamps, between)))
    matched = mirrored.select("socket", "peer").unionByName(_both_ways(found).select("socket", "peer"))
    pairs = found.unionByName(_by_port(matched, found, sockets, of_stamps, between))
    over_ipc = tables["connection"].where("action = 'connected' and endpoint like 'ipc:%'")
    local = over_ipc.select(*OURS, sf.lit("ipc").alias("local"))
    told = _both_ways(pairs).join(local, on=list(OURS), how="left")
    over_tcp = sf.col("local").isNull()
    return told.select(
        *OURS,
        "peer",
        sf.coalesce("local", sf.lit("tcp")).alias("transport"),
        (sf.col("masqueraded") & over_tcp).alias("masqueraded"),
        "mistakable",
    )


def _through(sockets: DataFrame, known: DataFrame) -> DataFrame:
    """Sides of proxies, and by which sockets what comes to them goes on, of theirs and of proxies known to be connected behind them: socket, leaves_by."""
    sides = settle(
        sockets.where("passes_to is not null").select("socket", sf.col("passes_to").alias("leaves_by"))
    )
    onward = known.join(sides.toDF("peer", "further"), on="peer", how="inner").select(
        sf.col("socket").alias("leaves_by"), "further"
    )
    through = sides
    for _ in range(MORE_PROXIES):
        behind = through.join(onward, on="leaves_by", how="inner").select(
            "socket", sf.col("further").alias("leaves_by")
        )
        through = through.unionByName(behind).distinct()
    return through


def _by_stamps(of_stamps: DataFrame, between: Between) -> DataFrame:
    candidates = (
        between.calling.join(of_stamps, on="socket", how="inner")
        .join(between.accepting, on="peer", how="inner")
        .where(between.near)
        .transform(settle)
        .transform(lambda ends: without_those_behind_proxies(ends, between))
        .transform(with_who_came_later)
    )
    return _ends(paired(settle(candidates)), masqueraded=True)


def _by_port(
    matched: DataFrame, found: DataFrame, sockets: DataFrame, of_stamps: DataFrame, between: Between
) -> DataFrame:
    same_port = sf.col("port") == sf.col("peer_port")
    candidates = settle(between.calling.join(between.accepting, same_port & between.near, how="inner"))
    told = _borne_out(candidates, matched, sockets, of_stamps)
    untold = without_those_behind_proxies(settle(_with_nothing_to_tell(candidates, sockets)), between)
    borne_out = settle(without(told.unionByName(untold), found))
    return _ends(paired(alone(borne_out)), masqueraded=True)


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
    """Those to a side of a proxy whose other side is connected with one that the stamps came from or to."""
    other_side = sockets.where("passes_to is not null").select("socket", "passes_to")
    beyond = matched.join(other_side.toDF("side", "socket"), on="socket", how="inner").select(
        "side", sf.col("peer").alias("socket")
    )
    reached = proven.join(beyond, on="socket", how="inner").select("peer", "side").distinct()
    known = reached.toDF("socket", "peer").unionByName(reached.toDF("peer", "socket"))
    return candidates.where("(tells or peer_tells) and not (tells and peer_tells)").join(
        known, on=["socket", "peer"], how="left_semi"
    )


def _with_nothing_to_tell(candidates: DataFrame, sockets: DataFrame) -> DataFrame:
    """Those between sockets that cannot tell, and are no sides of proxies."""
    proxies = sockets.where("passes_to is not null").select("socket")
    return (
        candidates.where("not tells and not peer_tells")
        .join(proxies, on="socket", how="left_anti")
        .join(proxies.toDF("peer"), on="peer", how="left_anti")
    )


def _ends(pairs: DataFrame, *, masqueraded: bool) -> DataFrame:
    return pairs.select(*OURS, *THEIRS, sf.lit(masqueraded).alias("masqueraded"), "mistakable")
