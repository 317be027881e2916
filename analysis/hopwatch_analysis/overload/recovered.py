"""Whether a receiver that lost messages had caught up in between, or behind the last of them.

Nobody counts what a proxy has read of which lane. But a pipe passes messages on in order: what a receiver behind it gets without loss, or
as soon as it is sent, the proxy has read too, and all before it.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.missing import gap_rows
from hopwatch_analysis.overload.sending_times import READ_AT_ONCE_WITHIN
from hopwatch_analysis.spark.frames import only_of, seconds
from hopwatch_analysis.terms.delays import UNDER_WAY
from hopwatch_analysis.terms.keys import EDGE, EDGE_OF_STREAM
from hopwatch_analysis.topology import Topology

MUCH_LESS = 0.5  # than it takes to read half of a full pipe
FULL_PIPES = 2  # as many messages as that fill them: who loses none of so many in a row has read them


def readers_of(way_edges: DataFrame, edges: DataFrame) -> DataFrame:
    """Who reads what passes an edge, at its end or behind it: stream, from_socket, to_socket, reader."""
    ways = way_edges.select(*EDGE_OF_STREAM, sf.col("receiver").alias("reader")).distinct()
    return ways.join(edges.select(*EDGE_OF_STREAM), on=list(EDGE_OF_STREAM), how="left_semi")


def with_went_on(edges: DataFrame, topology: Topology, readers: DataFrame) -> DataFrame:
    """Adds ``went_on``: behind its last loss, and for as long as its losses lasted, the receiver got more messages in a row than both
    ends' marks let wait.
    """
    x = topology.sockets.select(sf.col("socket").alias("from_socket"), "sndhwm")
    y = topology.sockets.select(sf.col("socket").alias("to_socket"), "rcvhwm")
    waits_at_most = sf.when(
        (sf.col("sndhwm") > 0) & (sf.col("rcvhwm") > 0), sf.col("sndhwm") + sf.col("rcvhwm")
    )
    for_long = seconds(sf.col("got_until"), sf.col("over_at")) >= sf.col("spanned")
    went_on = ~sf.col("to_the_end") & for_long & (sf.col("got_since") >= FULL_PIPES * waits_at_most)
    return (
        edges.join(_got_since_their_gaps(topology, edges, readers), on=list(EDGE_OF_STREAM), how="left")
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .withColumn("went_on", sf.coalesce(went_on, sf.lit(False)))
        .drop("got_since", "got_until", "sndhwm", "rcvhwm")
    )


def _got_since_their_gaps(topology: Topology, edges: DataFrame, readers: DataFrame) -> DataFrame:
    """Of those who read behind each edge and noticed its last loss, what the one that got most got of lanes behind its last gap: stream,
    from_socket, to_socket, got_since (messages), got_until (sent then).
    """
    ways = ["stream", "reader"]
    gaps = (
        gap_rows(topology.gaps, "gap")
        .groupBy("stream", sf.col("receiver").alias("reader"), "lane")
        .agg(
            sf.max("received").alias("by_then"),
            sf.max(sf.coalesce("after_sent_at", "at")).alias("gap_until"),
        )
    )
    until = sf.coalesce("newest_sent_at", "moved_at").alias("until")
    got = (
        topology.receipts.withColumnRenamed("receiver", "reader")
        .select(*ways, "lane", "count", until)
        .join(gaps, on=[*ways, "lane"], how="inner")
        .groupBy(*ways)
        .agg(
            sf.sum(sf.col("count") - sf.col("by_then")).alias("got"),
            sf.max("until").alias("until"),
            sf.max("gap_until").alias("gap_until"),
        )
    )
    most = sf.max_by(sf.struct("got", "until"), "got")
    return (
        readers.join(got, on=ways, how="inner")
        .join(edges.select(*EDGE_OF_STREAM, "over_at"), on=list(EDGE_OF_STREAM), how="inner")
        .where("gap_until >= over_at")
        .groupBy(*EDGE_OF_STREAM)
        .agg(most.alias("most"))
        .select(
            *EDGE_OF_STREAM,
            sf.col("most.got").alias("got_since"),
            sf.col("most.until").alias("got_until"),
        )
    )


def idle_moments(
    edges: DataFrame,
    lane_rows: DataFrame,
    at_onsets: DataFrame,
    samples: DataFrame,
    topology: Topology,
    readers: DataFrame,
) -> DataFrame:
    """When, after its first loss and while the sender went on, the receiver had nothing left to read: stream, from_socket, to_socket, since, at, rested
    (and not only for the moment in which it asked in vain: who is busy with all that it has taken out asks so too). ``at_onsets``: losses that begin at one, with ``seen_late``.

    What is read at once shows that only if a full pipe could not have been read as fast: it holds half of its sender's mark at least. Behind
    a cut it shows nothing: that has emptied the pipe.
    """
    sockets = topology.sockets
    marks = sockets.select(sf.col("socket").alias("from_socket"), "sndhwm")
    fastest = sf.coalesce("capacity", "mean_rate")
    soon = sf.try_divide(MUCH_LESS * sf.col("sndhwm") / 2, fastest)
    fresh = (
        _fresh_samples(lane_rows, sockets, readers)
        .unionByName(_read_behind(at_onsets))
        .join(edges.join(marks, on="from_socket", how="left"), on=list(EDGE_OF_STREAM), how="inner")
        .where((sf.col("lag") <= READ_AT_ONCE_WITHIN) & (sf.col("lag") <= soon))
    )
    waited = edges.join(_waits(samples), on="to_socket", how="inner")
    columns = (*EDGE_OF_STREAM, "since", "at", "rested", "first_loss_at", "last_sent_at")
    return (
        fresh.withColumn("rested", sf.lit(True))
        .select(*columns)
        .unionByName(waited.select(*columns))
        .where("since > first_loss_at and at <= last_sent_at")
        .join(sf.broadcast(topology.facts.select(*EDGE, "downs")), on=list(EDGE), how="left")
        .where(~_behind_a_cut())
        .select(*EDGE_OF_STREAM, "since", "at", "rested")
    )


def with_caught_up(edges: DataFrame, idle: DataFrame) -> DataFrame:
    """Adds ``caught_up``: whether the receiver had any such ``idle_moments``."""
    proven = idle.select(*EDGE_OF_STREAM, sf.lit(True).alias("proven_idle")).distinct()
    known = edges.join(proven, on=list(EDGE_OF_STREAM), how="left")
    return known.withColumn("caught_up", sf.coalesce("proven_idle", sf.lit(False))).drop("proven_idle")


def _behind_a_cut() -> Column:
    behind = sf.exists(
        "downs",
        lambda down: (
            (sf.col("at") >= down["start"])
            & sf.coalesce(seconds(sf.col("since"), down["end"]) <= UNDER_WAY, sf.lit(True))
        ),
    )
    return sf.coalesce(behind, sf.lit(False))


def _sockets_of(readers: DataFrame) -> DataFrame:
    return readers.select(sf.col("reader").alias("socket")).distinct()


def _fresh_samples(lane_rows: DataFrame, sockets: DataFrame, readers: DataFrame) -> DataFrame:
    """Messages that were read soon after they had been sent, by who reads behind each edge: stream, from_socket, to_socket, since, at, lag."""
    hosts = sockets.select("socket", "host")
    same_clock = sf.col("sender_host") == sf.col("host")
    return (
        lane_rows.where("role = 'receive' and n is null")
        .select("socket", "stream", "at", sf.col("newest_sent_at").alias("since"))
        .transform(lambda samples: only_of(samples, _sockets_of(readers), "socket"))
        .join(hosts, on="socket", how="inner")
        .join(hosts.toDF("stream", "sender_host"), on="stream", how="inner")
        .withColumn("lag", sf.abs(seconds(sf.col("at"), sf.col("since"))))
        .where(same_clock & (sf.col("lag") <= READ_AT_ONCE_WITHIN))
        .withColumnRenamed("socket", "reader")
        .join(readers, on=["stream", "reader"], how="inner")
        .select(*EDGE_OF_STREAM, "since", "at", "lag")
    )


def _read_behind(losses: DataFrame) -> DataFrame:
    """The messages behind the losses: stream, from_socket, to_socket, since, at, lag."""
    since, at, lag = (
        sf.col("after_sent_at").alias("since"),
        sf.col("seen_at").alias("at"),
        sf.col("seen_late"),
    )
    return losses.select(*EDGE_OF_STREAM, since, at, lag.alias("lag"))


def _waits(samples: DataFrame) -> DataFrame:
    """Stretches between two samples in which a receive found no message, of whatever stream: to_socket, since, at, rested (and waited for one)."""
    in_order = Window.partitionBy("socket").orderBy("at")

    def more(counter: str) -> Column:
        return sf.col(counter) - sf.lag(counter).over(in_order)

    return (
        samples.select(
            sf.col("socket").alias("to_socket"),
            "at",
            sf.lag("at").over(in_order).alias("since"),
            more("waits").alias("more_waits"),
            (more("blocked") > 0).alias("rested"),
        )
        .where("more_waits > 0")
        .select("to_socket", "since", "at", "rested")
    )
