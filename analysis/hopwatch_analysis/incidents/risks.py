"""Findings that no process can make alone: they need what is known of both ends of a link."""

from functools import reduce

from hopwatch_judge.costs import BESIDE_ONE, FITS_INTO_IT, SLOT
from hopwatch_judge.socket_types import PUBLISHING_TYPES
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.sockets.nodes import conflating
from hopwatch_analysis.spark.frames import best, only_of, seconds

ORDERS_APART = 100
LONGEST_BURST_SECONDS = 2.0  # two samples further apart do not show a burst
TIMES_THE_MEAN = 2  # a steady rate is no burst
UNLIMITED = 2**62
COLUMNS = ("socket", "rule", "text", "advice")


def findings(tables: Tables, sockets: DataFrame, links: DataFrame) -> DataFrame:
    """What the processes found, and what only both ends of a link together show: socket, rule, text, advice."""
    ends = _with_ends(links, sockets)
    found = [
        _newest(tables["finding"]),
        _uneven_marks(ends),
        _marks_below_burst(ends, tables["counters"]),
        _conflating_receivers(ends, tables, sockets),
        _refused_sends(tables["counters"], sockets),
    ]
    return reduce(DataFrame.unionByName, found)


def _newest(found: DataFrame) -> DataFrame:
    """The last word of each socket on each rule: a rule that counts is told again when its count is higher."""
    return best(found, ["socket", "rule"], [sf.col("at").desc(), sf.col("text")]).select(*COLUMNS)


def _with_ends(links: DataFrame, sockets: DataFrame) -> DataFrame:
    sender = sockets.select(
        sf.col("socket").alias("from_socket"), sf.col("name").alias("sender"), "type", "sndhwm"
    )
    receiver = sockets.select(sf.col("socket").alias("to_socket"), sf.col("name").alias("receiver"), "rcvhwm")
    return (
        links.select("from_socket", "to_socket")
        .join(sender, on="from_socket", how="inner")
        .join(receiver, on="to_socket", how="inner")
    )


def _finding(socket: str, rule: str, text: Column, advice: Column) -> list[Column]:
    return [
        sf.col(socket).alias("socket"),
        sf.lit(rule).alias("rule"),
        text.alias("text"),
        advice.alias("advice"),
    ]


def _mark(column: str) -> Column:
    return sf.when(sf.col(column).isin(0, UNLIMITED), "0 (no limit)").otherwise(sf.col(column).cast("string"))


def _uneven_marks(ends: DataFrame) -> DataFrame:
    """Subscribers of one publisher whose marks differ by orders: the same pause loses much at one and nothing at another."""
    text = sf.format_string(
        "Subscribers of %s have room for different pauses: RCVHWM is %d at %s and %s at %s (each on top of SNDHWM of the sender, %s, and the "
        "kernel's buffers): a pause that the latter survives may lose messages at the former.",
        "sender",
        "lowest",
        "narrow",
        _mark("highest"),
        "wide",
        _mark("sndhwm"),
    )
    advice = sf.format_string(
        "Set RCVHWM of %s to the messages a second that it gets times the longest pause that it must bridge in seconds, if its losses matter.",
        "narrow",
    )
    return (
        ends.where(sf.col("type").isin(*PUBLISHING_TYPES) & (sf.col("sndhwm") > 0))
        .withColumn("room", sf.when(sf.col("rcvhwm") == 0, UNLIMITED).otherwise(sf.col("rcvhwm")))
        .groupBy("from_socket", "sender", "sndhwm")
        .agg(
            sf.min("room").alias("lowest"),
            sf.max("room").alias("highest"),
            sf.min_by("receiver", "room").alias("narrow"),
            sf.max_by("receiver", "room").alias("wide"),
        )
        .where(sf.col("highest") / sf.col("lowest") >= ORDERS_APART)
        .select(*_finding("from_socket", "uneven_marks", text, advice))
    )


def _marks_below_burst(ends: DataFrame, counters: DataFrame) -> DataFrame:
    """A publisher sent more between two looks at it than the marks to one of its receivers hold, and more than it does on average.

    A ROUTER's messages go to one peer each: how many go to which is not known.
    """
    limited = (
        ends.where(sf.col("type").isin(*PUBLISHING_TYPES) & (sf.col("sndhwm") > 0) & (sf.col("rcvhwm") > 0))
        .withColumn("room", sf.col("sndhwm") + sf.col("rcvhwm"))
        .transform(lambda frame: best(frame, ["from_socket"], [sf.col("room"), sf.col("receiver")]))
    )
    senders = limited.select(sf.col("from_socket").alias("socket"))
    text = sf.format_string(
        "%s sent %d messages within %.1f s, and SNDHWM and RCVHWM to %s hold %d (%d and %d): had it paused for that time, what the kernel's "
        "buffers do not hold of the other %d would be lost.",
        "sender",
        "burst",
        "took",
        "receiver",
        "room",
        "sndhwm",
        "rcvhwm",
        sf.col("burst") - sf.col("room"),
    )
    more = 2 * (sf.col("burst") - sf.col("room")) + sf.col("room")  # half of both marks then hold the burst
    mean = sf.col("mean_bytes")
    each = sf.when(mean <= FITS_INTO_IT, sf.lit(SLOT)).otherwise(mean + BESIDE_ONE)
    memory = sf.when(mean > 0, sf.format_string(", %s and more", _size(more * each)))
    advice = sf.format_string(
        "If such a pause can happen, raise SNDHWM of %s to %d, or RCVHWM of %s to %d, which holds only what the network brings in that time: what was read is counted "
        "only at each half of a mark, so that a pipe in use may hold no more than that. While it is full, that takes %d messages more%s, at %s for each of its peers, or at %s.",
        "sender",
        sf.col("sndhwm") + more,
        "receiver",
        sf.col("rcvhwm") + more,
        more,
        sf.coalesce(memory, sf.lit("")),
        "sender",
        "receiver",
    )
    return (
        limited.join(_bursts(only_of(counters, senders, "socket")), on="from_socket", how="inner")
        .where(sf.col("burst") > sf.col("room"))
        .select(*_finding("from_socket", "marks_below_burst", text, advice))
    )


def _bursts(samples: DataFrame) -> DataFrame:
    """The largest burst of each socket between two of its samples: from_socket, burst (messages), took (seconds), mean_bytes."""
    in_order = Window.partitionBy("socket").orderBy("at", "sent")
    whole = Window.partitionBy("socket")
    steps = samples.select(
        sf.col("socket").alias("from_socket"),
        (sf.col("sent") - sf.lag("sent").over(in_order)).alias("burst"),
        seconds(sf.col("at"), sf.lag("at").over(in_order)).alias("took"),
        (sf.max("sent").over(whole) - sf.min("sent").over(whole)).alias("sent_in_all"),
        seconds(sf.max("at").over(whole), sf.min("at").over(whole)).alias("took_in_all"),
        sf.try_divide(sf.max("sent_bytes").over(whole), sf.max("sent").over(whole)).alias("mean_bytes"),
    ).where((sf.col("took") > 0) & (sf.col("took") <= LONGEST_BURST_SECONDS))
    mean_rate = sf.col("sent_in_all") / sf.col("took_in_all")
    is_burst = sf.col("burst") / sf.col("took") >= TIMES_THE_MEAN * mean_rate
    return best(steps.where(is_burst), ["from_socket"], [sf.col("burst").desc(), sf.col("took")])


def _size(bytes_: Column) -> Column:
    """A number of bytes as people say it."""
    return (
        sf.when(bytes_ >= 1e9, sf.format_string("%.1f GB", bytes_ / 1e9))
        .when(bytes_ >= 1e6, sf.format_string("%.1f MB", bytes_ / 1e6))
        .otherwise(sf.format_string("%.0f kB", sf.greatest(bytes_ / 1e3, sf.lit(1.0))))
    )


def _conflating_receivers(ends: DataFrame, tables: Tables, sockets: DataFrame) -> DataFrame:
    """A receiver with ZMQ_CONFLATE gets the last frame of each message, which it cannot tell from a whole one, or is ended by libzmq."""
    conflating_sockets = conflating(sockets).toDF("to_socket")
    senders = tables["counters"].where("sent_more_frames > 0").select(sf.col("socket").alias("from_socket"))
    text = sf.format_string(
        "%s has ZMQ_CONFLATE on, and %s sends messages of several frames: only the last frame of each is kept, and a SUB takes it only if that "
        "frame begins with a topic of its subscriptions. If another frame is read before the last has come, libzmq ends the receiver's process "
        "(Assertion failed: !_more).",
        "receiver",
        "sender",
    )
    advice = sf.lit(
        "Send single frames and no stamp, or do without ZMQ_CONFLATE, and let the receiver skip old messages."
    )
    return (
        ends.join(conflating_sockets, on="to_socket", how="left_semi")
        .join(senders.distinct(), on="from_socket", how="left_semi")
        .select(*_finding("to_socket", "conflate_multipart", text, advice))
    )


def _refused_sends(counters: DataFrame, sockets: DataFrame) -> DataFrame:
    """Sends that raised EAGAIN: no loss on the way, and no part of the ledger, but maybe of what the application meant to send."""
    refused = (
        counters.groupBy("socket")
        .agg(
            sf.max("eagain_sends").alias("refused"),
            sf.max("sent").alias("sent"),
            sf.max("sent_bytes").alias("sent_bytes"),
        )
        .where("refused > 0")
        .join(sockets.select("socket", "name", "sndhwm"), on="socket", how="inner")
    )
    text = sf.format_string(
        "%s had %d sends refused with EAGAIN, beside %d that libzmq took: a message that was not sent again after that was never sent, and is in no "
        "ledger.",
        "name",
        "refused",
        "sent",
    )
    each = sf.concat(
        sf.lit("; each 1000 of it hold 1000 messages for as long as nobody reads, "),
        _size(sf.when(sf.col("sent") > 0, 1000.0 * sf.col("sent_bytes") / sf.col("sent"))),
        sf.lit(" of them and what libzmq keeps beside"),
    )
    advice = sf.format_string(
        "Let the application count what it gives up, or wait (poll for POLLOUT, or send without DONTWAIT and with a SNDTIMEO). SNDHWM is %s: a "
        "higher one only helps where there is no room for a moment%s.",
        sf.coalesce(_mark("sndhwm"), sf.lit("not known")),
        sf.coalesce(each, sf.lit("")),
    )
    return refused.select(*_finding("socket", "refused", text, advice))
