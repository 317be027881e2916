"""Publishers that nobody knows all readers of: what those lack is in no book."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from hopwatch_judge.socket_types import PUBLISHING_TYPES
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.topology import Topology

RULE = "reader_not_watched"
TEXT = "%s had a connection to somebody%s of whom no agent tells: what that one lacks of its messages is not known."
ADVICE = "If it is a reader, wrap it, have an agent read its journal, and analyse what that lands together with the rest."


def readers_not_watched(
    strangers: DataFrame, told_of: DataFrame, topology: Topology, remotes: DataFrame
) -> DataFrame:
    """Findings (socket, rule, text, advice), one a PUB or XPUB that sent something, is among ``strangers`` (socket) and not ``told_of`` as such
    (socket) already. ``remotes``: where the connection to one led to, by TCP (socket, remote).
    """
    at = sf.coalesce(sf.concat(sf.lit(" (at "), "remote", sf.lit(")")), sf.lit(""))
    publishers = topology.sockets.where(sf.col("type").isin(*PUBLISHING_TYPES))
    if not topology.edges.where(sf.col("transport") == UNKNOWN_TRANSPORT).isEmpty():
        # two proxies whose addresses are both translated on the way are not known to be connected
        publishers = publishers.where("proxy is null")
    sent = topology.counters.where("sent > 0 or proxied_out_frames > 0")
    return (
        strangers.distinct()
        .join(told_of.select("socket"), on="socket", how="left_anti")
        .join(sent.select("socket"), on="socket", how="left_semi")
        .join(publishers.select("socket", "node_name"), on="socket", how="inner")
        .join(remotes, on="socket", how="left")
        .select(
            "socket",
            sf.lit(RULE).alias("rule"),
            sf.format_string(TEXT, "node_name", at).alias("text"),
            sf.lit(ADVICE).alias("advice"),
        )
    )
