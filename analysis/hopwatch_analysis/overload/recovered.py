"""Whether a receiver that lost messages had caught up in between, or behind the last of them."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.losses.missing import gap_rows
from hopwatch_analysis.spark.frames import only_of, seconds

READ_AT_ONCE_WITHIN = 0.02  # seconds between a message's send and the sample that finds it received
FULL_PIPES = 2  # as many messages as that fill them: who loses none of so many in a row has read them


def with_went_on(edges: DataFrame, tables: Tables, sockets: DataFrame) -> DataFrame:
    """Adds ``went_on``: behind its last loss, and for as long as its losses lasted, the receiver got more messages in a row than both
    ends' marks let wait. Not known of proxies, whose lanes nobody counts.
    """
    x = sockets.select(sf.col("socket").alias("from_socket"), "sndhwm")
    y = sockets.select(sf.col("socket").alias("to_socket"), "rcvhwm")
    waits_at_most = sf.when(
        (sf.col("sndhwm") > 0) & (sf.col("rcvhwm") > 0), sf.col("sndhwm") + sf.col("rcvhwm")
    )
    for_long = seconds(sf.col("got_until"), sf.col("over_at")) >= sf.col("spanned")
    went_on = ~sf.col("to_the_end") & for_long & (sf.col("got_since") >= FULL_PIPES * waits_at_most)
    return (
        edges.join(_got_since_their_gaps(tables, edges), on=["stream", "to_socket"], how="left")
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .withColumn("went_on", sf.coalesce(went_on, sf.lit(False)))
        .drop("got_since", "got_until", "sndhwm", "rcvhwm")
    )


def _got_since_their_gaps(tables: Tables, edges: DataFrame) -> DataFrame:
    """What receivers got of lanes behind their last gap: stream, to_socket, got_since (messages), got_until (sent then)."""
    ways = ["stream", "to_socket"]
    receivers = edges.select(sf.col("to_socket").alias("socket"))
    gaps = (
        gap_rows(tables["gap"], "gap")
        .groupBy("stream", sf.col("receiver").alias("to_socket"), "lane")
        .agg(sf.max("received").alias("by_then"))
    )
    return (
        only_of(tables["lane"].where("role = 'receive'"), receivers, "socket")
        .groupBy("stream", sf.col("socket").alias("to_socket"), "lane")
        .agg(sf.max("count").alias("count"), sf.max("newest_sent_at").alias("until"))
        .join(gaps, on=[*ways, "lane"], how="inner")
        .groupBy(*ways)
        .agg(
            sf.sum(sf.col("count") - sf.col("by_then")).alias("got_since"), sf.max("until").alias("got_until")
        )
    )


def with_caught_up(
    edges: DataFrame, lane_rows: DataFrame, samples: DataFrame, sockets: DataFrame
) -> DataFrame:
    """Adds ``caught_up``: after its first loss, while the sender went on, the receiver had nothing left to read."""
    read = (
        _fresh_samples(edges, lane_rows, sockets)
        .unionByName(_waits(samples))
        .select(sf.col("socket").alias("to_socket"), "since", "at")
    )
    proven = (
        edges.join(read, on="to_socket", how="inner")
        .where("since > first_loss_at and at <= last_sent_at")
        .select("stream", "from_socket", "to_socket", sf.lit(True).alias("proven"))
        .distinct()
    )
    known = edges.join(proven, on=["stream", "from_socket", "to_socket"], how="left")
    return known.withColumn("caught_up", sf.coalesce("proven", sf.lit(False))).drop("proven")


def _fresh_samples(edges: DataFrame, lane_rows: DataFrame, sockets: DataFrame) -> DataFrame:
    receivers = edges.select(sf.col("to_socket").alias("socket"))
    hosts = sockets.select("socket", "host")
    lag = seconds(sf.col("at"), sf.col("newest_sent_at"))
    same_clock = sf.col("sender_host") == sf.col("host")
    return (
        lane_rows.where("role = 'receive' and n is null")
        .select("socket", "stream", "at", "newest_sent_at")
        .transform(lambda samples: only_of(samples, receivers, "socket"))
        .join(hosts, on="socket", how="inner")
        .join(hosts.toDF("stream", "sender_host"), on="stream", how="inner")
        .where(same_clock & (sf.abs(lag) <= READ_AT_ONCE_WITHIN))
        .select("socket", sf.col("newest_sent_at").alias("since"), "at")
    )


def _waits(samples: DataFrame) -> DataFrame:
    """Stretches between two samples in which a receive found no message: socket, since, at."""
    in_order = Window.partitionBy("socket").orderBy("at")
    return (
        samples.select(
            "socket",
            "at",
            sf.lag("at").over(in_order).alias("since"),
            (sf.col("waits") - sf.lag("waits").over(in_order)).alias("more_waits"),
        )
        .where("more_waits > 0")
        .select("socket", "since", "at")
    )
