"""Ways: the hops from each stream's sender to each of its receivers."""

from functools import reduce

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import best, settle

MAX_HOPS = 8
HOPS = "array<struct<from_socket:string,to_socket:string,transport:string,mirrored:boolean>>"


def ways(streams: DataFrame, links: DataFrame, sockets: DataFrame, receipts: DataFrame) -> DataFrame:
    """The shortest way of each (stream, receiver): stream, receiver, hops (in order), length. Of several that of the proxies which were
    there last: one that is started again is another one.

    A receiver with stamps of a stream that no link leads to is one hop away, by a transport unknown.
    """
    by_links = _along_links(streams, links, sockets)
    proven = receipts.select("stream", "receiver").distinct()
    direct = sf.array(
        _hop(sf.col("stream"), sf.col("receiver"), sf.lit(UNKNOWN_TRANSPORT), sf.lit(False))
    ).cast(HOPS)
    unlinked = proven.join(by_links, on=["stream", "receiver"], how="left_anti").withColumns(
        {"hops": direct, "since": sf.lit(None).cast("timestamp")}
    )
    found = by_links.unionByName(unlinked).withColumn("length", sf.size("hops"))
    order = [sf.col("length"), sf.col("since").desc_nulls_last(), sf.col("hops").cast("string")]
    return best(found, ["stream", "receiver"], order).drop("since")


def way_edges(ways: DataFrame) -> DataFrame:
    """One row a hop of each way: stream, receiver, length, depth (from 1), from_socket, to_socket, transport, mirrored."""
    return ways.select("stream", "receiver", "length", sf.posexplode("hops").alias("position", "hop")).select(
        "stream", "receiver", "length", (sf.col("position") + 1).alias("depth"), "hop.*"
    )


def _along_links(streams: DataFrame, links: DataFrame, sockets: DataFrame) -> DataFrame:
    passing = sockets.where("passes_to is not null").select(
        sf.col("socket").alias("to_socket"), "passes_to", "opened_at"
    )
    frontier = streams.select(
        "stream",
        sf.col("stream").alias("from_socket"),
        sf.array().cast(HOPS).alias("hops"),
        sf.lit(None).cast("timestamp").alias("since"),
    )
    reached = []
    for _ in range(MAX_HOPS):
        stepped = _step(frontier, links)
        reached.append(
            stepped.join(passing, on="to_socket", how="left_anti").select(
                "stream", sf.col("to_socket").alias("receiver"), "hops", "since"
            )
        )
        frontier = settle(
            stepped.join(passing, on="to_socket", how="inner").select(
                "stream",
                sf.col("passes_to").alias("from_socket"),
                "hops",
                sf.greatest("since", "opened_at").alias("since"),
            )
        )
        if frontier.isEmpty():
            break
    return reduce(DataFrame.unionByName, reached)


def _step(frontier: DataFrame, links: DataFrame) -> DataFrame:
    been = sf.array_contains(sf.transform("hops", lambda hop: hop["to_socket"]), sf.col("to_socket"))
    hop = _hop(sf.col("from_socket"), sf.col("to_socket"), sf.col("transport"), sf.col("mirrored"))
    return (
        frontier.join(links, on="from_socket", how="inner")
        .where(~been & (sf.col("to_socket") != sf.col("stream")))
        .select("stream", "to_socket", sf.concat("hops", sf.array(hop)).cast(HOPS).alias("hops"), "since")
    )


def _hop(from_socket: Column, to_socket: Column, transport: Column, mirrored: Column) -> Column:
    return sf.struct(
        from_socket.alias("from_socket"),
        to_socket.alias("to_socket"),
        transport.alias("transport"),
        mirrored.alias("mirrored"),
    )
