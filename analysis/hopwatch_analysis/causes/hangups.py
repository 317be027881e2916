"""Which receivers are likely to have hung up on a message larger than their ZMQ_MAXMSGSIZE.

No event says so: the connection goes down as it does when it is cut. What tells it from a cut is how much was sent at about that time, and
that a receiver which had connected does not call again, as the tests of what libzmq does show.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.sockets.nodes import latest_counters
from hopwatch_analysis.spark.frames import only_of
from hopwatch_analysis.terms.keys import EDGE

AT_ABOUT_THE_TIME = 1_000_000  # microseconds: samples of counters are about a second apart

PROVEN, LIKELY = "proven", "likely"
UNFILTERED_TYPES = ("PUSH", "PAIR")
"""What these send, and is not received at the other end, is lost or under way."""


def hang_ups(
    tables: Tables, link_facts: DataFrame, sockets: DataFrame, mirrored: DataFrame, links: DataFrame
) -> DataFrame:
    """Downs of edges that look like that: from_socket, to_socket, start, end, hung_up, largest_then (bytes of one of the messages that were sent
    then, where its size stands out from how much the sizes of others add up to differ).

    "proven": frames of messages sent then, or of all that were lost, were larger than the bound on average. "likely": a message may
    have been, and either the receiver never called again, or at no time but those of downs could one have been. What was sent before the
    first sample may have been sent at any time until then, which is enough where the receiver never called again.
    """
    bounds = sockets.where("maxmsgsize >= 0").select(sf.col("socket").alias("to_socket"), "maxmsgsize")
    downs = (
        link_facts.where(sf.size("downs") > 0)
        .select(*EDGE, "downs")
        .join(bounds, on="to_socket", how="inner")
    )
    too_large, then = sf.col("at_most") > sf.col("maxmsgsize"), _about(sf.col("down"))
    at_any_down = sf.exists("downs", _about)
    lost_then = sf.col("lost_too_large") & (sf.col("then") | (sf.col("number_of_downs") == 1))
    never_again = sf.col("never_again") & sf.col("end").isNull()
    return (
        downs.join(_sent_between_samples(tables["counters"], downs), on="from_socket", how="inner")
        .withColumn("at_other_times", ~at_any_down & too_large)
        .withColumns({"down": sf.explode("downs"), "number_of_downs": sf.size("downs")})
        .groupBy(*EDGE, "down", "number_of_downs")
        .agg(
            sf.max(then & (sf.col("on_average") > sf.col("frames") * sf.col("maxmsgsize"))).alias("proven"),
            sf.max(then & too_large).alias("then"),
            sf.max(_before_the_first_sample(sf.col("down")) & too_large).alias("unsampled"),
            sf.max(sf.when(then & (sf.col("since") < sf.col("until")), sf.col("at_most"))).alias("largest"),
            sf.max(sf.when(~at_any_down, sf.col("at_most"))).alias("usually_at_most"),
            sf.max("maxmsgsize").alias("maxmsgsize"),
            sf.max("at_other_times").alias("at_other_times"),
        )
        .select("*", "down.start", "down.end")
        .join(_never_called_again(tables, mirrored), on=list(EDGE), how="left")
        .join(_lost_too_large(tables, downs, sockets, links), on=list(EDGE), how="left")
        .fillna(False, subset=["never_again", "lost_too_large"])
        .withColumn(
            "hung_up",
            sf.when(sf.col("proven") | lost_then, PROVEN).when(
                (sf.col("then") & (never_again | ~sf.col("at_other_times")))
                | (sf.col("unsampled") & never_again),
                LIKELY,
            ),
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
    return sf.when(sf.max(sf.col("hung_up") == PROVEN), PROVEN).otherwise(LIKELY)


def _largest_then() -> Column:
    """What sizes that differ add up to, as at other times, is no message. Nor is there one where all that were sent then are large."""
    stands_out = (sf.col("largest") > 2 * sf.col("usually_at_most")) & (
        sf.col("largest") > sf.col("maxmsgsize")
    )
    return sf.when(stands_out & ~sf.col("proven"), sf.col("largest").cast("long"))


def _about(down: Column) -> Column:
    at = sf.unix_micros(down["start"])
    return (at >= sf.col("since") - AT_ABOUT_THE_TIME) & (at <= sf.col("until") + AT_ABOUT_THE_TIME)


def _before_the_first_sample(down: Column) -> Column:
    return sf.col("first") & (sf.unix_micros(down["start"]) <= sf.col("until"))


def _sent_between_samples(counters: DataFrame, senders: DataFrame) -> DataFrame:
    """from_socket, since, until (microseconds), first, on_average, at_most (bytes), frames (of a message): how large the messages were that
    were sent between two samples, and one of them if the others were of the size that is usual for the socket. ``first``: before the first
    sample, of which ``since`` and ``until`` are the time.
    """
    in_order = Window.partitionBy("from_socket").orderBy("sent", "at")

    def more(name: str) -> Column:
        return sf.col(name) - sf.coalesce(sf.lag(name).over(in_order), sf.lit(0))

    until = sf.unix_micros("at")
    usual = sf.median("on_average").over(Window.partitionBy("from_socket"))
    return (
        counters.withColumnRenamed("socket", "from_socket")
        .transform(lambda rows: only_of(rows, senders, "from_socket"))
        .select(
            "from_socket",
            sf.coalesce(sf.lag(until).over(in_order), until).alias("since"),
            until.alias("until"),
            sf.lag(until).over(in_order).isNull().alias("first"),
            more("sent").alias("messages"),
            more("sent_bytes").alias("bytes"),
            more("sent_more_frames").alias("more_frames"),
        )
        .where("messages > 0")
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


def _never_called_again(tables: Tables, mirrored: DataFrame) -> DataFrame:
    """Edges whose receiver had connected, lost the connection, and neither tried again nor was told to leave: from_socket, to_socket, never_again."""
    events = tables["connection"].where(
        "action in ('connected', 'disconnected', 'retried') and endpoint is not null"
    )
    calling = events.where("action = 'connected' and not accepted").join(
        mirrored.select("socket", "connection", "peer"), on=["socket", "connection"], how="inner"
    )
    last = events.groupBy("socket", "endpoint").agg(
        sf.max_by("action", sf.struct("at", "n")).alias("last_action")
    )
    told_to = tables["endpoint"].where("action = 'disconnect'").select("socket", "endpoint").distinct()
    return (
        calling.select("socket", "endpoint", "peer")
        .distinct()
        .join(last.where("last_action = 'disconnected'"), on=["socket", "endpoint"], how="inner")
        .join(told_to, on=["socket", "endpoint"], how="left_anti")
        .select(
            sf.col("peer").alias("from_socket"),
            sf.col("socket").alias("to_socket"),
            sf.lit(True).alias("never_again"),
        )
        .distinct()
    )
