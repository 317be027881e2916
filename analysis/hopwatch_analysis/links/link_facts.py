"""What the connection events of either end tell of a link: when it was down, and how much had been sent by then."""

from hopwatch_judge.thresholds import AT_ONCE, TOLD_LATE
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.watched import with_watching
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.links.unnamed_connections import of_the_only_link
from hopwatch_analysis.spark.frames import best, seconds
from hopwatch_analysis.terms.keys import EDGE

STATES = ("connected", "disconnected")
FORMER_DOWNS = "array<struct<start: timestamp, end: timestamp, peer: string>>"


def link_facts(tables: Tables, edges: DataFrame, mirrored: DataFrame, unwatched: DataFrame) -> DataFrame:
    """What the connection events of either end tell of each edge: from_socket, to_socket, downs, sender_connects, connected_at,
    sent_when_connected, sent_when_back, received_when_back, to_end_was_cut, to_end_downs, is_down, to_end_down_at, left_at, left_n, left_sent, quit_at, former_downs, watched.

    ``downs`` is an array of (start, end): from a disconnection to the connection that followed (end null: none
    did; ``to_end_downs``: as the receiving end tells). The sending end's own events come first, because the stamps carry its clock. ``left_*`` is the disconnection that the
    sending end saw last, ``sent_when_back`` its count at the newest connection (``received_when_back``: the receiving end's, of all that it received; ``to_end_was_cut``: that one saw it go down and come back), and ``to_end_down_at`` that of the receiving end, each null where a connection followed. ``quit_at``: one of
    the two was told to leave the other (``disconnect`` or ``unbind``) just before that. ``former_downs``: from
    the loss of a former peer at the same place (``peer``, where it is known) to this connection, of a sender that connects. Counts are
    null where the sending end is a proxy's: it sends past them. ``watched``: an end that tells of it is none of ``unwatched``.
    """
    events = _of_the_last_one_up(_edge_events(tables, edges, mirrored))
    per_side = with_watching(_per_side(events), unwatched)
    to_end = sf.col("side") == "to"
    to_end_saw = sf.when(to_end & sf.col("is_down"), sf.col("newest_at"))
    came_back = sf.exists("downs", lambda down: down["end"].isNotNull())
    ends = per_side.groupBy(*EDGE).agg(
        sf.max("is_down").alias("either_down"),
        sf.max(to_end_saw).alias("to_end_down_at"),
        sf.max("watched").alias("either_watched"),
        sf.max("received_when_back").alias("to_end_had"),
        sf.max(sf.when(to_end, came_back)).alias("to_end_was_cut"),
        sf.max(sf.when(to_end, sf.col("downs"))).alias("to_end_downs"),
    )
    counts = sf.col("of_proxy").isNull()
    return (
        best(per_side, EDGE, [sf.col("side")])
        .join(_proxies_sockets(tables["proxy"]), on="from_socket", how="left")
        .join(_told_to_leave(tables["endpoint"], per_side), on=list(EDGE), how="left")
        .join(_of_former_peers(tables["connection"], mirrored), on=list(EDGE), how="left")
        .join(ends, on=list(EDGE), how="inner")
        .select(
            *EDGE,
            "downs",
            "sender_connects",
            "connected_at",
            sf.when(counts, sf.col("sent_when_connected")).alias("sent_when_connected"),
            sf.when(counts, sf.col("sent_when_back")).alias("sent_when_back"),
            sf.col("to_end_had").alias("received_when_back"),
            sf.coalesce("to_end_was_cut", sf.lit(False)).alias("to_end_was_cut"),
            "to_end_downs",
            sf.col("either_down").alias("is_down"),
            "to_end_down_at",
            sf.col("left.at").alias("left_at"),
            sf.col("left.n").alias("left_n"),
            sf.when(counts, sf.col("left.sent")).alias("left_sent"),
            "quit_at",
            sf.coalesce("former_downs", sf.array().cast(FORMER_DOWNS)).alias("former_downs"),
            sf.col("either_watched").alias("watched"),
        )
    )


def _per_side(events: DataFrame) -> DataFrame:
    """What each end of an edge tells: from_socket, to_socket, side, downs, sender_connects, connected_at, sent_when_connected,
    sent_when_back, is_down, newest_at, left (at, n, sent).
    """
    in_order = Window.partitionBy(*EDGE, "side").orderBy("at", "n")
    followed = events.withColumn("next_at", sf.lead("at").over(in_order)).withColumn(
        "is_last", sf.lead("at").over(in_order).isNull()
    )
    lost_it = sf.col("action") == "disconnected"
    own = sf.col("side") == "from"
    sender_connects = sf.col("accepted") != own
    down = sf.struct(sf.col("at").alias("start"), sf.col("next_at").alias("end"))
    return followed.groupBy(*EDGE, "side").agg(
        sf.collect_list(sf.when(lost_it, down)).alias("downs"),
        sf.max(sf.when(~lost_it, sender_connects)).alias("sender_connects"),
        sf.min(sf.when(~lost_it, sf.col("at"))).alias("connected_at"),
        sf.min(sf.when(~lost_it & own, sf.col("sent"))).alias("sent_when_connected"),
        sf.max(sf.when(~lost_it & own, sf.col("sent"))).alias("sent_when_back"),
        sf.max(sf.when(~lost_it & ~own, sf.col("received"))).alias("received_when_back"),
        sf.max(lost_it & sf.col("is_last")).alias("is_down"),
        sf.max("at").alias("newest_at"),
        sf.max(sf.when(lost_it & own & sf.col("is_last"), sf.struct("at", "n", "sent"))).alias("left"),
    )


def _of_former_peers(connections: DataFrame, mirrored: DataFrame) -> DataFrame:
    """From a connecting end's loss of one peer to its connection to the next at the same endpoint: from_socket, to_socket, former_downs."""
    in_order = Window.partitionBy("socket", "endpoint").orderBy("at", "n")
    events = (
        connections.where(sf.col("action").isin(*STATES) & ~sf.coalesce("accepted", sf.lit(False)))
        .select("socket", "connection", "endpoint", "action", "at", "n")
        .join(mirrored.select("socket", "connection", "peer"), on=["socket", "connection"], how="left")
        .withColumns(
            {
                name: sf.lag(name.removeprefix("last_")).over(in_order)
                for name in ("last_action", "last_at", "last_peer")
            }
        )
    )
    # what went with the former peer itself was sent before, or just then
    began = sf.timestamp_micros(sf.unix_micros("last_at") + int(TOLD_LATE * 1_000_000))
    handed_over = "action = 'connected' and last_action = 'disconnected' and peer is not null and not (last_peer <=> peer)"
    return (
        events.where(handed_over)
        .groupBy(sf.col("socket").alias("from_socket"), sf.col("peer").alias("to_socket"))
        .agg(
            sf.collect_list(
                sf.struct(began.alias("start"), sf.col("at").alias("end"), sf.col("last_peer").alias("peer"))
            ).alias("former_downs")
        )
    )


def _told_to_leave(endpoints: DataFrame, per_side: DataFrame) -> DataFrame:
    """Edges that went down, and did not come back, as one of their sockets was told to disconnect or unbind: from_socket, to_socket, quit_at."""
    told = endpoints.where("action in ('disconnect', 'unbind')").select(
        "socket", sf.col("at").alias("quit_at")
    )
    ends = sf.explode(sf.array("from_socket", "to_socket")).alias("socket")
    at_once = seconds(sf.col("newest_at"), sf.col("quit_at")).between(-TOLD_LATE, AT_ONCE)
    return (
        per_side.where("is_down")
        .select("from_socket", "to_socket", "newest_at", ends)
        .join(told, on="socket", how="inner")
        .where(at_once)
        .groupBy("from_socket", "to_socket")
        .agg(sf.min("quit_at").alias("quit_at"))
    )


def _of_the_last_one_up(events: DataFrame) -> DataFrame:
    """Without disconnections behind which a newer connection of the same edge stayed up: nothing is lost with those."""
    so_far = (
        Window.partitionBy("from_socket", "to_socket", "side")
        .orderBy("at", "n")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    newest = sf.max(sf.when(sf.col("action") == "connected", sf.col("connection"))).over(so_far)
    of_older = sf.coalesce((sf.col("connection") > 0) & (sf.col("connection") < newest), sf.lit(False))
    return (
        events.withColumn("of_older", of_older)
        .where("action = 'connected' or not of_older")
        .drop("connection", "of_older")
    )


def _proxies_sockets(proxies: DataFrame) -> DataFrame:
    sides = sf.explode(sf.array("frontend", "backend")).alias("from_socket")
    return proxies.select(sides).distinct().withColumn("of_proxy", sf.lit(True))


def _edge_events(tables: Tables, edges: DataFrame, mirrored: DataFrame) -> DataFrame:
    """Connection events by the edge that they concern: from_socket, to_socket, side, connection, action, at, n, sent, accepted."""
    events = (
        tables["connection"]
        .where(sf.col("action").isin(*STATES))
        .select(
            "socket", "connection", "action", "at", "n", "sent", "received", "accepted", "endpoint", "local"
        )
    )
    named = events.join(
        mirrored.select("socket", "connection", "peer"), on=["socket", "connection"], how="left"
    )
    about = ["from_socket", "to_socket", "transport", "mirrored"]
    ends = [
        edges.select(
            *about, sf.col(end).alias("socket"), sf.col(other).alias("peer"), sf.lit(side).alias("side")
        )
        for end, other, side in (("from_socket", "to_socket", "from"), ("to_socket", "from_socket", "to"))
    ]
    both = ends[0].unionByName(ends[1])
    of_mirrored = named.where("peer is not null").join(both, on=["socket", "peer"], how="inner")
    of_others = of_the_only_link(named.where("peer is null").drop("peer"), both, tables["endpoint"])
    columns = [
        "from_socket",
        "to_socket",
        "side",
        "connection",
        "action",
        "at",
        "n",
        "sent",
        "received",
        "accepted",
    ]
    return of_mirrored.select(*columns).unionByName(of_others.select(*columns))
