"""Streams that lack nothing: they are sums, and no cases. Whatever leaves a doubt is not among them."""

from hopwatch_judge.socket_types import BALANCED_TYPES, FILTERED_TYPES
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.lanes.lanes import messages_sent
from hopwatch_analysis.lanes.subscriptions import subscriptions
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.keys import LANE, LANE_OF_RECEIVER, WAY
from hopwatch_analysis.topology import Topology


def wanted(tables: Tables, topology: Topology) -> DataFrame:
    """Lanes that receivers are sent, as far as is known, with what came: LANE_OF_RECEIVER, shared_out, messages, came.

    A filtering receiver is sent what it ever subscribed to, or has messages of; a ROUTER's peer what it has.
    """
    types = topology.sockets.select("socket", "type")
    prefixes = subscriptions(tables["subscription"]).select("receiver", "prefix")
    came = topology.receipts.select(*LANE_OF_RECEIVER, (sf.col("count") + sf.col("since")).alias("came"))
    lanes = topology.lanes.select(*LANE, "topic", messages_sent().alias("messages"))
    all_of_them = (
        topology.endings.select(*WAY)
        .join(types.toDF("stream", "stream_type"), on="stream", how="left")
        .join(types.toDF("receiver", "receiver_type"), on="receiver", how="left")
        .join(lanes, on="stream", how="inner")
        .join(came, on=list(LANE_OF_RECEIVER), how="left")
    )
    covered = (
        all_of_them.select(*LANE_OF_RECEIVER, "topic")
        .join(prefixes, on="receiver", how="inner")
        .where(sf.col("topic").startswith(sf.col("prefix")))
        .select(*LANE_OF_RECEIVER, sf.lit(True).alias("covered"))
        .distinct()
    )
    shared_out = sf.coalesce(sf.col("stream_type").isin(*BALANCED_TYPES), sf.lit(False))
    chosen = sf.coalesce(sf.col("receiver_type").isin(*FILTERED_TYPES), sf.lit(False)) | (
        sf.coalesce(sf.col("stream_type") == "ROUTER", sf.lit(False))
    )
    is_sent = ~chosen | sf.col("covered").isNotNull() | sf.col("came").isNotNull()
    return settle(
        all_of_them.join(covered, on=list(LANE_OF_RECEIVER), how="left")
        .where(is_sent)
        .select(*LANE_OF_RECEIVER, shared_out.alias("shared_out"), "messages", "came")
    )


def lacking(tables: Tables, topology: Topology, wanted: DataFrame) -> DataFrame:
    """Streams that may lack something: stream."""
    shared_out = wanted.where("shared_out").groupBy(*LANE, "messages").agg(sf.sum("came").alias("came"))
    told = [tables[kind].select(sf.col("socket").alias("stream")) for kind in ("onset", "unroutable")]
    found = [
        wanted.where("not shared_out and not coalesce(came = messages, false)").select("stream"),
        shared_out.where("not coalesce(came = messages, false)").select("stream"),
        topology.receipts.where("by_count").select("stream"),
        topology.gaps.select("stream"),
        topology.lanes.where("sent_at_last < sent").select("stream"),
        topology.streams.join(wanted.select("stream"), on="stream", how="left_anti"),
        _not_all_routed(topology),
        *told,
        _swallowing(topology),
    ]
    if topology.unchecked is not None:
        found.append(topology.unchecked.select("stream"))
    together = found[0]
    for each in found[1:]:
        together = together.unionByName(each)
    return settle(together.distinct())


def _swallowing(topology: Topology) -> DataFrame:
    """ROUTERs that swallowed something, as they counted: stream."""
    routers = topology.sockets.where("type = 'ROUTER'").select("socket")
    counted = topology.counters.where("unroutable > 0").join(routers, on="socket", how="left_semi")
    return counted.select(sf.col("socket").alias("stream"))


def _not_all_routed(topology: Topology) -> DataFrame:
    """ROUTERs with a lane that not just one receiver got all of: stream."""
    routers = topology.sockets.where("type = 'ROUTER'").select(sf.col("socket").alias("stream"))
    owners = topology.receipts.groupBy(*LANE).agg(sf.count("*").alias("owners"))
    return (
        topology.lanes.join(routers, on="stream", how="left_semi")
        .join(owners, on=list(LANE), how="left")
        .where("sent > 0 and not coalesce(owners = 1, false)")
        .select("stream")
    )


def delivered(wanted: DataFrame, topology: Topology) -> DataFrame:
    """What receivers got: stream, receiver, delivered."""
    return (
        topology.in_window(wanted)
        .groupBy(*WAY)
        .agg(sf.coalesce(sf.sum("came"), sf.lit(0)).cast("long").alias("delivered"))
    )


def passed(wanted: DataFrame, topology: Topology) -> DataFrame:
    """What came as far as each hop, all of which was delivered: stream, from_socket, to_socket, sent, delivered, lost, in_flight, unexplained."""
    edges = topology.in_window(topology.edges).select(*WAY, "from_socket", "to_socket", "depth", "length")
    lanes = edges.join(wanted, on=list(WAY), how="inner")
    edge = ["stream", "from_socket", "to_socket"]
    own = lanes.where("depth = length or shared_out").groupBy(*edge).agg(sf.sum("came").alias("sent"))
    inner = (
        lanes.where("depth < length and not shared_out")
        .select(*edge, "lane", "messages")
        .distinct()
        .groupBy(*edge)
        .agg(sf.sum("messages").alias("sent"))
    )
    nothing = sf.lit(0).cast("long")
    return (
        own.unionByName(inner)
        .groupBy(*edge)
        .agg(sf.coalesce(sf.sum("sent"), nothing).cast("long").alias("sent"))
        .select(
            *edge,
            "sent",
            sf.col("sent").alias("delivered"),
            *(nothing.alias(name) for name in ("lost", "in_flight", "unexplained")),
        )
    )
