"""Proxies beside others on the same way, or in their place: what was sent before the change went through the former one."""

from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf


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
