"""Which receivers are likely to have hung up on a message larger than their ZMQ_MAXMSGSIZE.

No event says so: the connection goes down as it does when it is cut. What tells it from a cut is how much was sent at about that time, and
that a receiver which had connected does not call again, as the tests of what libzmq does show.
"""

from hopwatch_judge.socket_types import FILTERED_TYPES
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.seen.silence import called_again, never_called_again
from hopwatch_analysis.sockets.nodes import latest_counters
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.keys import EDGE
from hopwatch_analysis.topology import Topology

AT_ABOUT_THE_TIME = 1_000_000  # microseconds: samples of counters are about a second apart
LONGEST_SAMPLE = 5_000_000
"""Microseconds: what was sent between two samples that are further apart may have been sent at any time between them."""

PROVEN, SILENT, LIKELY = "proven", "silent", "likely"
SURENESS = (PROVEN, SILENT, LIKELY)
UNFILTERED_TYPES = ("PUSH", "PAIR")
"""What these send, and is not received at the other end, is lost or under way."""


def hang_ups(tables: Tables, topology: Topology) -> DataFrame:
    """Downs of edges that look like that: from_socket, to_socket, start, end, hung_up, largest_then (bytes of one of the messages that were sent
    then, where its size stands out from how much the sizes of others add up to differ).

    "proven": frames of messages sent then, to a receiver that takes them all, or of all that were lost, were larger than the bound on average. "silent": the receiver never
    called again, and a message may have been larger (of one that did call again there are none: who hung up does not). "likely": at no time but those of downs may one have been.
    """
    bounds = _bounds(topology.sockets, tables["subscription"])
    downs = (
        topology.facts.where(sf.size("downs") > 0)
        .select(*EDGE, "downs")
        .join(bounds, on="to_socket", how="inner")
    )
    samples = settle(_samples_of(downs, tables["counters"], topology.sockets))
    lost_then = sf.col("lost_too_large") & (sf.col("then") | (sf.col("number_of_downs") == 1))
    silent = sf.col("never_again") & sf.col("end").isNull() & sf.col("possible")
    return (
        downs.withColumns({"down": sf.explode("downs"), "number_of_downs": sf.size("downs")})
        .select(*EDGE, "maxmsgsize", "takes_all", "number_of_downs", "down.start", "down.end")
        .join(_sent_then(samples), on=[*EDGE, "start"], how="left")
        .join(_sent_at_other_times(samples), on=list(EDGE), how="left")
        .join(never_called_again(tables, topology), on=list(EDGE), how="left")
        .join(called_again(tables, topology), on=list(EDGE), how="left_anti")
        .join(_lost_too_large(tables, downs, topology.sockets, topology.links), on=list(EDGE), how="left")
        .fillna(
            False, subset=["proven", "then", "possible", "at_other_times", "never_again", "lost_too_large"]
        )
        .withColumn(
            "hung_up",
            sf.when((sf.col("proven") & sf.col("takes_all")) | lost_then, PROVEN)
            .when(silent, SILENT)
            .when(sf.col("then") & ~sf.col("at_other_times"), LIKELY),
        )
        .select(*EDGE, "start", "end", "hung_up", _largest_then().alias("largest_then"))
        .where("hung_up is not null")
    )


def figures(hang_ups: DataFrame) -> DataFrame:
    """What an incident tells of edges on which receivers hung up: from_socket, to_socket, hung_up, largest_then."""
    return hang_ups.groupBy(*EDGE).agg(
        _surest().alias("hung_up"), sf.max("largest_then").alias("largest_then")
    )


def by_edge(hang_ups: DataFrame) -> DataFrame:
    """Edges on which receivers hung up: from_socket, to_socket, hang_ups (start, end), hung_up (as sure as the surest of them)."""
    downs = sf.collect_list(sf.struct("start", "end")).alias("hang_ups")
    return hang_ups.groupBy(*EDGE).agg(downs, _surest().alias("hung_up"))


def _surest() -> Column:
    return sf.coalesce(*[sf.max(sf.when(sf.col("hung_up") == level, level)) for level in SURENESS])


def _largest_then() -> Column:
    """What sizes that differ add up to, as at other times, is no message. Nor is there one where all that were sent then are large."""
    stands_out = (sf.col("largest") > 2 * sf.col("usually_at_most")) & (
        sf.col("largest") > sf.col("maxmsgsize")
    )
    return sf.when(stands_out & ~sf.col("proven"), sf.col("largest").cast("long"))


def _bounds(sockets: DataFrame, subscriptions: DataFrame) -> DataFrame:
    """Receivers with a bound: to_socket, maxmsgsize, takes_all (no subscription keeps anything from it)."""
    to_all = subscriptions.where("action = 'subscribe' and topic = ''").select("socket").distinct()
    filtered = sf.col("type").isin(*FILTERED_TYPES) & sf.col("to_all").isNull()
    return (
        sockets.where("maxmsgsize >= 0")
        .join(to_all.withColumn("to_all", sf.lit(True)), on="socket", how="left")
        .select(sf.col("socket").alias("to_socket"), "maxmsgsize", (~filtered).alias("takes_all"))
    )


def _samples_of(downs: DataFrame, counters: DataFrame, sockets: DataFrame) -> DataFrame:
    """What each sender sent between two samples, for each of its edges: at_any_down, too_large (one of them may have been), and what
    ``_sent_between_samples`` gives.
    """
    senders = sockets.join(downs.select(sf.col("from_socket").alias("socket")), on="socket", how="left_semi")
    sent = _sent_between_samples(counters, senders)
    return (
        downs.join(sent, on="from_socket", how="inner")
        .withColumn("at_any_down", sf.exists("downs", _about))
        .withColumn("too_large", sf.col("at_most") > sf.col("maxmsgsize"))
    )


def _sent_then(samples: DataFrame) -> DataFrame:
    """Of each down: from_socket, to_socket, start, proven, then (a message that was sent at about the time may have been too large),
    possible (one that may have been sent at that time), largest.
    """
    timed = _about(sf.col("down")) & ~sf.col("vague")
    too_large_on_average = sf.col("on_average") > sf.col("frames") * sf.col("maxmsgsize")
    return (
        samples.withColumn("down", sf.explode(sf.filter("downs", _about)))
        .groupBy(*EDGE, sf.col("down.start").alias("start"))
        .agg(
            sf.max(timed & too_large_on_average).alias("proven"),
            sf.max(timed & sf.col("too_large")).alias("then"),
            sf.max("too_large").alias("possible"),
            sf.max(sf.when(timed, sf.col("at_most"))).alias("largest"),
        )
    )


def _sent_at_other_times(samples: DataFrame) -> DataFrame:
    """Of each edge: from_socket, to_socket, at_other_times (a message may have been too large when nothing went down), usually_at_most."""
    others = ~sf.col("at_any_down")
    return samples.groupBy(*EDGE).agg(
        sf.max(others & sf.col("too_large")).alias("at_other_times"),
        sf.max(sf.when(others, sf.col("at_most"))).alias("usually_at_most"),
    )


def _about(down: Column) -> Column:
    at = sf.unix_micros(down["start"])
    return (at >= sf.col("since") - AT_ABOUT_THE_TIME) & (at <= sf.col("until") + AT_ABOUT_THE_TIME)


def _sent_between_samples(counters: DataFrame, senders: DataFrame) -> DataFrame:
    """from_socket, since, until (microseconds), on_average, at_most (bytes), frames (of a message): how large the messages were that were
    sent between two samples (or the opening and the first), and one of them if the others were of the size that is usual for the socket.
    ``vague``: they may have been sent long before.
    """
    in_order = Window.partitionBy("from_socket").orderBy("sent", "at")

    def more(name: str) -> Column:
        return sf.col(name) - sf.coalesce(sf.lag(name).over(in_order), sf.lit(0))

    until = sf.unix_micros("at")
    usual = sf.median("on_average").over(Window.partitionBy("from_socket"))
    opened = sf.unix_micros("opened_at")
    return (
        counters.join(sf.broadcast(senders.select("socket", "opened_at")), on="socket", how="inner")
        .withColumnRenamed("socket", "from_socket")
        .select(
            "from_socket",
            sf.coalesce(sf.lag(until).over(in_order), opened, until).alias("since"),
            until.alias("until"),
            more("sent").alias("messages"),
            more("sent_bytes").alias("bytes"),
            more("sent_more_frames").alias("more_frames"),
        )
        .where("messages > 0")
        .withColumn("vague", sf.col("until") - sf.col("since") > LONGEST_SAMPLE)
        .withColumn("on_average", sf.col("bytes") / sf.col("messages"))
        .withColumn("frames", 1 + sf.col("more_frames") / sf.col("messages"))
        .withColumn("usual", sf.least(usual, "on_average"))
        .withColumn("at_most", sf.col("bytes") - (sf.col("messages") - 1) * sf.col("usual"))
        .drop("messages", "bytes", "more_frames", "usual")
    )


def _lost_too_large(tables: Tables, downs: DataFrame, sockets: DataFrame, links: DataFrame) -> DataFrame:
    """Edges between two sockets that have no other peer, whose lost messages were larger than the bound on average, by what
    the one sent and the other received: from_socket, to_socket, lost_too_large.
    """
    unfiltered = sockets.where(sf.col("type").isin(*UNFILTERED_TYPES)).select(
        sf.col("socket").alias("from_socket")
    )
    counts = latest_counters(tables)
    sent = counts.select(sf.col("socket").alias("from_socket"), "sent", "sent_bytes", "sent_more_frames")
    received = counts.select(
        sf.col("socket").alias("to_socket"), "received", "received_bytes", "received_more_frames"
    )
    alone = [sf.count("*").over(Window.partitionBy(end)) == 1 for end in EDGE]
    lost, lost_bytes, lost_more = (
        sf.col(f"sent{name}") - sf.col(f"received{name}") for name in ("", "_bytes", "_more_frames")
    )
    return (
        links.select(*EDGE)
        .withColumn("alone", alone[0] & alone[1])
        .where("alone")
        .join(unfiltered, on="from_socket", how="left_semi")
        .join(downs.select(*EDGE, "maxmsgsize"), on=list(EDGE), how="inner")
        .join(sent, on="from_socket", how="inner")
        .join(received, on="to_socket", how="inner")
        .where((lost > 0) & (lost_bytes > (lost + lost_more) * sf.col("maxmsgsize")))
        .select(*EDGE, sf.lit(True).alias("lost_too_large"))
    )
