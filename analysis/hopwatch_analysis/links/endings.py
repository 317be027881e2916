"""Which end of each way ended first, and how far its sender was by then."""

from hopwatch_judge.thresholds import (
    AT_ONCE,
    CLOCKS_COMPARED_WITHIN,
    CLOCKS_MAY_DIFFER_BY,
    FOUND_DEAD_WITHIN,
    SEEN_DOWN_WITHIN,
)
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.cuts import IN_ORDER
from hopwatch_analysis.links.went_first import Ended, sender_went_first
from hopwatch_analysis.spark.frames import seconds


def endings(way_edges: DataFrame, sockets: DataFrame, link_facts: DataFrame) -> DataFrame:
    """Which end of each way ended first (``sockets`` with their ``clock``): stream, receiver, length, receiver_left_first,
    left_unsure, left_at, left_elsewhere, left_n, left_sent, sent_when_joined, receiver_went_at.

    A receiver leaves where it ends, or where one of the two is told to leave the other. ``left_unsure``: both ended at about the same time, by clocks that nothing compares. ``left_*`` is when, and at which event and
    count, the sending side saw the receiver go; ``left_elsewhere``: ``left_at`` is told by another host's clock than the sender's; ``sent_when_joined`` its count when it saw it come.
    ``receiver_went_at``: when the receiver ended, or, if that was found out late, when it was seen to go.
    """
    direct = sf.col("length") == 1
    last_went_first = sender_went_first(
        Ended(sf.col("last_ended_at"), sf.col("last_end")),
        Ended(sf.col("receiver_ended_at"), sf.col("receiver_end")),
    )
    receiver_went_at = sf.when(_found_dead_soon(), sf.col("left_at")).otherwise(sf.col("receiver_ended_at"))
    sender_by_clock = sf.coalesce(sf.col("sender_ended_at") <= receiver_went_at, sf.lit(False))
    ended_first = sf.col("receiver_ended_at").isNotNull() & ~last_went_first & (direct | ~sender_by_clock)
    sender_was_there = seconds(sf.col("last_ended_at"), sf.col("quit_at")) > AT_ONCE
    told_to_leave = sf.col("quit_at").isNotNull() & sf.coalesce(sender_was_there, sf.lit(True))
    seen_in_time = direct & ~_told_late()
    seen_to_leave = sf.when(seen_in_time, sf.col("left_at"))
    one_clock = sf.coalesce(_told_by_the_senders_host(told_to_leave), sf.lit(False))
    return _ways_with_their_ends(way_edges, sockets, link_facts).select(
        "stream",
        "receiver",
        "length",
        (ended_first | told_to_leave).alias("receiver_left_first"),
        (_left_unsure() & ~told_to_leave).alias("left_unsure"),
        sf.coalesce(
            seen_to_leave, _died_at(), sf.when(told_to_leave, sf.col("quit_at")), "receiver_ended_at"
        ).alias("left_at"),
        (seen_to_leave.isNull() & ~one_clock).alias("left_elsewhere"),
        sf.when(seen_in_time, sf.col("left_n")).alias("left_n"),
        sf.when(seen_in_time, sf.col("left_sent")).alias("left_sent"),
        sf.when(direct, sf.col("sent_when_connected")).alias("sent_when_joined"),
        receiver_went_at.alias("receiver_went_at"),
    )


def _ways_with_their_ends(way_edges: DataFrame, sockets: DataFrame, link_facts: DataFrame) -> DataFrame:
    """Last edges with what is known of them, and when their ends ended: by the sender's clock where both ends of the only edge saw
    their connection go down.
    """
    ends = sockets.select("socket", "host", "clock", "ended_at", "end")
    sender = ends.drop("end").toDF("stream", "sender_host", "sender_clock", "sender_ended_at")
    receiver = ends.toDF("receiver", "receiver_host", "receiver_clock", "receiver_ended_at", "receiver_end")
    last = ends.drop("clock").toDF("from_socket", "last_host", "last_ended_at", "last_end")
    ahead = sf.unix_micros("to_end_down_at") - sf.unix_micros("left_at")
    by_senders_clock = sf.timestamp_micros(sf.unix_micros("receiver_ended_at") - ahead)
    compared_roughly = sf.abs(ahead) <= CLOCKS_COMPARED_WITHIN * 1_000_000
    elsewhere = sf.col("sender_host") != sf.col("receiver_host")
    differ = (sf.col("sender_clock") != sf.col("receiver_clock")) | (elsewhere & compared_roughly)
    compares = (sf.col("length") == 1) & differ & ahead.isNotNull()
    return (
        way_edges.where("depth = length")
        .select("stream", "receiver", "length", "from_socket", "to_socket")
        .join(sender, on="stream", how="left")
        .join(receiver, on="receiver", how="left")
        .join(last, on="from_socket", how="left")
        .join(link_facts, on=["from_socket", "to_socket"], how="left")
        .withColumn(
            "receiver_ended_at", sf.when(compares, by_senders_clock).otherwise(sf.col("receiver_ended_at"))
        )
    )


def _told_by_the_senders_host(told_to_leave: Column) -> Column:
    """Of receivers whose going their sender did not see itself."""
    of_last = sf.col("sender_host") == sf.col("last_host")
    of_receiver = sf.col("sender_host") == sf.col("receiver_host")
    return (
        sf.when(_died_at().isNotNull(), of_last)
        .when(told_to_leave, of_last & of_receiver)  # either of the two may have been told
        .otherwise(of_receiver)
    )


def _left_unsure() -> Column:
    somebody_saw_it = sf.col("left_at").isNotNull() | sf.col("to_end_down_at").isNotNull()
    told = ((sf.col("length") == 1) & somebody_saw_it) | (sf.col("sender_clock") == sf.col("receiver_clock"))
    apart = sf.abs(seconds(sf.col("sender_ended_at"), sf.col("receiver_ended_at")))
    return sf.coalesce(~told & (apart <= CLOCKS_MAY_DIFFER_BY), sf.lit(False))


def _told_late() -> Column:
    """The sender saw the connection go down later than its receiver ended, and not at once: the way between them was dead by then."""
    one_clock = sf.col("sender_clock") == sf.col("receiver_clock")
    clocks = sf.when(sf.col("sender_host") == sf.col("receiver_host"), 0.0).otherwise(CLOCKS_COMPARED_WITHIN)
    in_order = sf.col("receiver_end").isin(*IN_ORDER)
    within = sf.when(in_order, SEEN_DOWN_WITHIN + clocks).otherwise(FOUND_DEAD_WITHIN)
    apart = seconds(sf.col("left_at"), sf.col("receiver_ended_at")) > within
    return sf.coalesce(one_clock & apart, sf.lit(False))


def _found_dead_soon() -> Column:
    """It died as the sending end of the last hop saw it go, so far as an agent's way to find that out explains the delay."""
    delay = seconds(sf.col("receiver_ended_at"), sf.col("left_at"))
    return sf.coalesce(_died_at().isNotNull() & (delay <= FOUND_DEAD_WITHIN), sf.lit(False))


def _died_at() -> Column:
    """When the sending end of the last hop saw it go, who was found dead later."""
    seen_before = sf.col("left_at") <= sf.col("receiver_ended_at")
    return sf.when((sf.col("receiver_end") == "died") & seen_before, sf.col("left_at"))
