"""Proxies beside others on the same way, or in their place: what was sent before the change went through the former one.

What a sender that connects had not passed on when the former one went, and what it sent from then on, goes to the one that came. So the
sender's own numbers at that moment part the messages, if the newer proxy counted as many as were sent since.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.proxies.frontends import HALF_A_FRAME
from hopwatch_analysis.terms.delays import FOUND_DEAD_WITHIN, SOON_AFTER
from hopwatch_analysis.terms.ranges import length


def replaced(way_edges: DataFrame, links: DataFrame, sockets: DataFrame) -> DataFrame:
    """Edges into a proxy beside which there was another one between the same two sockets: stream, receiver, depth, to_socket,
    former (the last one that ended before this one was there; null: none did).
    """
    on_the_way = Window.partitionBy("stream", "receiver").orderBy("depth")
    edges = (
        way_edges.withColumn("next_socket", sf.lead("to_socket").over(on_the_way))
        .where("depth < length")
        .select("stream", "receiver", "depth", "from_socket", "to_socket", "next_socket")
    )
    others = sockets.where("passes_to is not null").select(
        sf.col("socket").alias("former"),
        sf.col("passes_to").alias("former_side"),
        _gone_by().alias("until"),
    )
    there_since = sockets.select(sf.col("socket").alias("to_socket"), sf.col("opened_at").alias("since"))
    into = links.select("from_socket", sf.col("to_socket").alias("former"))
    out_of = links.select(
        sf.col("from_socket").alias("former_side"), sf.col("to_socket").alias("next_socket")
    )
    return (
        edges.join(into, on="from_socket", how="inner")
        .where("former != to_socket")
        .join(sf.broadcast(others), on="former", how="inner")
        .join(sf.broadcast(there_since), on="to_socket", how="inner")
        .join(out_of, on=["former_side", "next_socket"], how="inner")
        .groupBy("stream", "receiver", "depth", "to_socket")
        .agg(
            sf.max_by(
                sf.when(sf.col("until") <= sf.col("since"), sf.col("former")),
                sf.when(sf.col("until") <= sf.col("since"), sf.col("until")),
            ).alias("former")
        )
    )


def behind_replaced(found: DataFrame) -> DataFrame:
    """The edges that lead out of a proxy which came in another's place: stream, receiver, depth, took_over (true)."""
    return found.where("former is not null").select(
        "stream", "receiver", (sf.col("depth") + 1).alias("depth"), sf.lit(True).alias("took_over")
    )


def _gone_by() -> Column:
    late = sf.when(sf.col("end") == "died", FOUND_DEAD_WITHIN).otherwise(0)
    return sf.timestamp_micros(sf.unix_micros("ended_at") - late * 1_000_000)


def handovers(found: DataFrame, connections: DataFrame, mirrored: DataFrame, samples: DataFrame) -> DataFrame:
    """How far each lane was numbered when its sender saw the former proxy go: stream, receiver, to_socket, lane, handed_at."""
    saw_it_go = (
        connections.where("action = 'disconnected'")
        .join(mirrored.select("socket", "connection", "peer"), on=["socket", "connection"], how="inner")
        .groupBy(sf.col("socket").alias("stream"), sf.col("peer").alias("former"))
        .agg(sf.max("n").alias("gone_n"))
    )
    behind = sf.col("n").between(sf.col("gone_n") + 1, sf.col("gone_n") + SOON_AFTER)
    first_behind = sf.min("n").over(Window.partitionBy("stream", "receiver"))
    return (
        found.where("depth = 1 and former is not null")
        .join(saw_it_go, on=["stream", "former"], how="inner")
        .join(samples.select("stream", "lane", "n", "count"), on="stream", how="inner")
        .where(behind)
        .withColumn("first_behind", first_behind)
        .where("n = first_behind")
        .select("stream", "receiver", "to_socket", "lane", sf.col("count").alias("handed_at"))
    )


def cut_at_handover(pieces: DataFrame, handed_over: DataFrame) -> DataFrame:
    """Open pieces before a proxy that came in another's place, cut where their sender saw that one go. Adds ``handed``: sent
    from then on (null: not known, or not asked).
    """
    numbers = handed_over.select("stream", "receiver", "lane", "handed_at")
    return (
        pieces.join(numbers, on=["stream", "receiver", "lane"], how="left")
        .withColumn("half", sf.explode(_halves()))
        .withColumns(
            {"first": sf.col("half.first"), "last": sf.col("half.last"), "handed": sf.col("half.handed")}
        )
        .drop("half", "handed_at")
    )


def _halves() -> Column:
    def part(first: Column, last: Column, handed: Column) -> Column:
        return sf.struct(first.alias("first"), last.alias("last"), handed.alias("handed"))

    first, last, cut = sf.col("first"), sf.col("last"), sf.col("handed_at")
    asked = sf.col("placed").isNull() & (sf.col("depth") == 1) & cut.isNotNull()
    whole = sf.array(part(first, last, sf.when(asked, first >= cut)))
    both = sf.array(part(first, cut - 1, sf.lit(False)), part(cut, last, sf.lit(True)))
    return sf.when(asked & (cut > first) & (cut <= last), both).otherwise(whole)


def with_all_since(
    pieces: DataFrame, handed_over: DataFrame, way_edges: DataFrame, lanes: DataFrame, arrived: DataFrame
) -> DataFrame:
    """Proxy sockets that counted as many frames as were sent since the handover, less what is known to be lost before: to_socket,
    all_since.
    """
    first_edges = way_edges.where("depth = 1 and length > 1").select("stream", "receiver", "to_socket")
    all_edges = way_edges.where("depth < length").select("stream", "to_socket").distinct()
    cuts = handed_over.groupBy("to_socket", "stream", "lane").agg(sf.max("handed_at").alias("handed_at"))
    lost = (
        pieces.where("placed = 1")
        .join(first_edges, on=["stream", "receiver"], how="inner")
        .select("to_socket", "stream", "lane", "first", "last")
        .distinct()
        .join(cuts, on=["to_socket", "stream", "lane"], how="inner")
        .groupBy("to_socket", "stream", "lane")
        .agg(sf.sum(sf.when(sf.col("first") >= sf.col("handed_at"), length()).otherwise(0)).alias("lost"))
    )
    since = sf.col("sent") - sf.coalesce("handed_at", sf.lit(0)) - sf.coalesce("lost", sf.lit(0))
    return (
        all_edges.join(handed_over.select("to_socket").distinct(), on="to_socket", how="left_semi")
        .join(lanes.select("stream", "lane", "sent", "frames_each"), on="stream", how="inner")
        .join(cuts, on=["to_socket", "stream", "lane"], how="left")
        .join(lost, on=["to_socket", "stream", "lane"], how="left")
        .groupBy("to_socket")
        .agg(sf.sum(since * sf.col("frames_each")).alias("sent_since"))
        .join(arrived, on="to_socket", how="inner")
        .select(
            "to_socket",
            (sf.col("arrived") - sf.col("strays") + HALF_A_FRAME >= sf.col("sent_since")).alias("all_since"),
        )
    )
