"""Until when each host is known: what an open receiver got since its host told of anything is not known, so that its silence proves nothing."""

from collections.abc import Mapping
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import only_of
from hopwatch_analysis.terms.accounts import IN_FLIGHT
from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER, RANGE_OF_RECEIVER
from hopwatch_analysis.terms.numbered_by_then import numbered_by_then


def with_heard_until(sockets: DataFrame, hosts: Mapping[str, datetime], ends_at: datetime) -> DataFrame:
    """Adds ``heard_until``: until when what an open socket does is known; null for one that has ended, of which all is."""
    pairs = [sf.lit(part) for host, at in hosts.items() for part in (host, at)]
    told = sf.try_element_at(sf.create_map(*pairs), sf.col("host")) if pairs else sf.lit(ends_at)
    known = sf.least(sf.coalesce(told, sf.lit(ends_at)), sf.lit(ends_at))
    return sockets.withColumn("heard_until", sf.when(sf.col("ended_at").isNull(), known))


def not_heard_of(owed: DataFrame, samples: DataFrame, sockets: DataFrame, lanes: DataFrame) -> DataFrame:
    """Numbers that may have been sent since their receiver's host told of anything: stream, receiver, lane, first, last."""
    went_on = lanes.select("stream", "lane", sf.col("moved_at").alias("sent_at"))
    behind = (
        owed.where("end > next")
        .select(*LANE_OF_RECEIVER, "next", "end")
        .join(heard_of(sockets), on="receiver", how="inner")
        .join(went_on, on=["stream", "lane"], how="inner")
        .where("sent_at > heard_until")
    )
    moments = behind.select("stream", "lane", sf.col("heard_until").alias("moment"))
    by_then = numbered_by_then(moments, only_of(samples, behind, "stream")).withColumnsRenamed(
        {"moment": "heard_until", "count": "sent_by_then"}
    )
    return (
        behind.join(by_then, on=["stream", "lane", "heard_until"], how="left")
        .withColumns({"first": sf.greatest("next", "sent_by_then"), "last": (sf.col("end") - 1).cast("long")})
        .where("first <= last")
        .select(*RANGE_OF_RECEIVER)
    )


def without_untold(owed: DataFrame, untold: DataFrame, sockets: DataFrame) -> DataFrame:
    """What is owed, up to those numbers; adds ``heard_until``, of the receiver."""
    ends = untold.select(*LANE_OF_RECEIVER, sf.col("first").alias("told_end"))
    return (
        owed.join(ends, on=list(LANE_OF_RECEIVER), how="left")
        .join(heard_of(sockets), on="receiver", how="left")
        .withColumns({name: sf.least(name, "told_end") for name in ("end", "sure_end")})
        .drop("told_end")
    )


def with_untold(numbers: DataFrame, untold: DataFrame) -> DataFrame:
    """Numbers of which only a count is known (stream, receiver, lane, cause, messages), with those that are in flight for all that is known."""
    in_flight = untold.select(
        *LANE_OF_RECEIVER, sf.lit(IN_FLIGHT).alias("cause"), sf.expr("last - first + 1").alias("messages")
    )
    return (
        numbers.unionByName(in_flight)
        .groupBy(*LANE_OF_RECEIVER, "cause")
        .agg(sf.sum("messages").alias("messages"))
    )


def heard_of(sockets: DataFrame) -> DataFrame:
    """Open sockets, and until when they are known: receiver, heard_until."""
    return sockets.where("heard_until is not null").select(sf.col("socket").alias("receiver"), "heard_until")
