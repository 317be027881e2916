"""Links: which sending socket is connected to which receiving socket."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.endpoints import endpoint_pairs
from hopwatch_analysis.links.translated import translated_connections
from hopwatch_analysis.spark.frames import best, settle

FLOWS = {
    "PUB": ("SUB", "XSUB"),
    "XPUB": ("SUB", "XSUB"),
    "PUSH": ("PULL",),
    "DEALER": ("DEALER", "ROUTER", "REP"),
    "ROUTER": ("DEALER", "ROUTER", "REQ"),
    "REQ": ("ROUTER", "REP"),
    "REP": ("DEALER", "REQ"),
    "PAIR": ("PAIR",),
}
DOUBTS = ("masqueraded", "mistakable")


def mirror_images(tables: Tables) -> DataFrame:
    """Connections whose two ends name each other's addresses: socket, connection, host, at, and peer, peer_host, peer_at of the
    other end, once from each end.
    """
    ends = tables["connection"].where("action = 'connected' and local is not null and remote is not null")
    ours = ends.select("socket", "connection", "host", "at", "local", "remote")
    theirs = ends.select(
        sf.col("socket").alias("peer"),
        sf.col("host").alias("peer_host"),
        sf.col("at").alias("peer_at"),
        sf.col("local").alias("remote"),
        sf.col("remote").alias("local"),
    )
    nearest = [
        (sf.col("host") == sf.col("peer_host")).desc(),
        sf.abs(sf.unix_micros("at") - sf.unix_micros("peer_at")),
    ]
    return (
        ours.join(theirs, on=["local", "remote"], how="inner")
        .where("socket != peer")
        .transform(lambda pairs: best(pairs, ["socket", "connection"], nearest))
        .drop("local", "remote")
    )


def matched_connections(tables: Tables, sockets: DataFrame) -> DataFrame:
    """Connections of which both ends are known, from each end: socket, connection, peer, transport, masqueraded (maybe two connections, with
    somebody between), mistakable (whose it is was told by how long it lasted, and another one lasted about as long).
    """
    over_tcp = sf.lit("tcp").alias("transport")
    no_doubt = [sf.lit(False).alias(name) for name in DOUBTS]
    mirrored = settle(mirror_images(tables).select("socket", "connection", "peer", over_tcp, *no_doubt))
    return mirrored.unionByName(translated_connections(tables, mirrored, sockets, FLOWS))


def links(tables: Tables, sockets: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Directed links: from_socket, to_socket, transport, mirrored, masqueraded, mistakable (one of its connections was)."""
    about = ["transport", "mirrored", *DOUBTS]
    by_address = mirrored.withColumn("mirrored", sf.lit(True)).select("socket", "peer", *about)
    by_endpoint = endpoint_pairs(tables, sockets).withColumns(
        {name: sf.lit(False) for name in ("mirrored", *DOUBTS)}
    )
    pairs = by_address.unionByName(by_endpoint)
    both_ways = pairs.unionByName(
        pairs.select(sf.col("peer").alias("socket"), sf.col("socket").alias("peer"), *about)
    )
    first = [*(sf.col(name).desc() for name in ("mirrored", *DOUBTS)), sf.col("transport")]
    types = sockets.select("socket", "type")
    return (
        both_ways.join(types.withColumnsRenamed({"type": "from_type"}), on="socket", how="inner")
        .join(types.withColumnsRenamed({"socket": "peer", "type": "to_type"}), on="peer", how="inner")
        .where(_flows())
        .withColumnsRenamed({"socket": "from_socket", "peer": "to_socket"})
        .transform(lambda found: best(found, ["from_socket", "to_socket"], first))
        .select("from_socket", "to_socket", *about)
    )


def _flows() -> Column:
    allowed = [
        (sf.col("from_type") == sender) & sf.col("to_type").isin(*receivers)
        for sender, receivers in FLOWS.items()
    ]
    return reduce(Column.__or__, allowed)
