"""Stamped streams that no known receiver got anything of: what became of the messages that their sockets accepted."""

from hopwatch_judge.socket_types import PUBLISHING_TYPES
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.lanes.lanes import messages_sent


def unreceived(
    tables: Tables,
    streams: DataFrame,
    ways: DataFrame,
    *,
    sockets: DataFrame,
    lanes: DataFrame,
    unwatched: DataFrame,
) -> DataFrame:
    """Streams without a receiver: stream, messages, type, end, ended_at, opened_at, moved_at, alone (nobody was ever
    connected), lets_go (what is queued is dropped when it is closed). What a ROUTER could not route is not among them.
    """
    sent = lanes.groupBy("stream").agg(
        sf.sum(messages_sent()).alias("messages"), sf.max("moved_at").alias("moved_at")
    )
    about = sockets.select(sf.col("socket").alias("stream"), "type", "end", "ended_at", "opened_at", "linger")
    return (
        streams.join(ways.select("stream").distinct(), on="stream", how="left_anti")
        .join(sent.where("messages > 0"), on="stream", how="inner")
        .join(about.where("type is not null and type != 'ROUTER'"), on="stream", how="inner")
        .join(_connections(tables, unwatched), on="stream", how="left")
        .withColumn("alone", sf.coalesce("alone", sf.lit(False)))
        .withColumn("lets_go", sf.coalesce(sf.col("linger") == 0, sf.lit(False)))
        .drop("linger")
    )


def published_to_nobody(unreceived: DataFrame) -> DataFrame:
    """Publishers' streams that nobody was ever connected to: stream, sent."""
    return unreceived.where(_owes_nobody()).select("stream", sf.col("messages").alias("sent"))


def _owes_nobody() -> Column:
    return sf.col("alone") & sf.col("type").isin(*PUBLISHING_TYPES)


def _connections(tables: Tables, unwatched: DataFrame) -> DataFrame:
    """Whether each socket was watched all the time, and never connected: stream, alone."""

    def ever(condition: Column) -> Column:
        return sf.coalesce(sf.max(condition), sf.lit(False))

    unseen = (sf.col("action") == "endpoint") | sf.col("endpoint").startswith("inproc:")
    blind = tables["endpoint"].groupBy("socket").agg(ever(unseen).alias("blind"))
    missed_some = unwatched.withColumn("unwatched", sf.lit(True))
    return (
        tables["connection"]
        .groupBy("socket")
        .agg(
            ever(sf.col("action") == "monitor_attached").alias("watched"),
            ever(sf.col("action").isin("connected", "handshake")).alias("connected"),
        )
        .join(blind, on="socket", how="left")
        .join(missed_some, on="socket", how="left")
        .select(
            sf.col("socket").alias("stream"),
            (
                sf.col("watched")
                & sf.col("unwatched").isNull()
                & ~sf.col("connected")
                & ~sf.coalesce("blind", sf.lit(False))
            ).alias("alone"),
        )
    )
