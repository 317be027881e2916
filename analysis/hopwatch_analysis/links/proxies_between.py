"""Ends that seem to be of one connection, though a proxy may stand between them: whoever is behind a proxy gets its sender's messages, and their stamps, as well.

Only sides of proxies come into question of whose connections the other ends are not known, one at either end, of one proxy or of several of which each is known to be
connected to the next. Where the end that is called has the port that is called, so must those have at both ends. They fit where their connections lasted as long as
those of the two ends, give or take what a killed process is found dead within, or as much as the two differ themselves.
"""

from dataclasses import dataclass

from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.paired import OURS, THEIRS, unlike
from hopwatch_analysis.spark.frames import seconds, settle

BOTH = (*OURS, *THEIRS)
HAVE_PORTS = "port != '' and peer_port != ''"


@dataclass(frozen=True)
class Between:
    """Who may be: ``calling``, ``accepting``: ends that may belong together, as ``near`` says; ``through``: sides of proxies, and by which
    sockets what comes to them goes on, behind several of them, too (socket, leaves_by); ``heard``: until when each socket was heard of (socket, heard_at).
    """

    calling: DataFrame
    accepting: DataFrame
    through: DataFrame
    near: Column
    heard: DataFrame


def without_those_behind_proxies(candidates: DataFrame, between: Between) -> DataFrame:
    """The candidates that no proxy is a way for. Two sockets of which two ends that lasted alike are none of one connection have none that are."""
    if between.through.isEmpty() or candidates.isEmpty():
        return candidates
    asked = settle(
        _with_heard(candidates.where(HAVE_PORTS), between.heard)
        .withColumn("apart", _how_unlike())
        .withColumn("bound", sf.greatest("apart", sf.lit(FOUND_DEAD_WITHIN)))
    )
    behind = _through_proxies(asked, *_at_either_end(asked, between))
    alike = behind.where(sf.col("apart") <= FOUND_DEAD_WITHIN).select("socket", "peer").distinct()
    return candidates.join(behind.select(*BOTH), on=list(BOTH), how="left_anti").join(
        alike, on=["socket", "peer"], how="left_anti"
    )


def _at_either_end(asked: DataFrame, between: Between) -> tuple[DataFrame, DataFrame]:
    """Proxies that may be at the other end of those that call, and of those that accept: the end, leaves_by (the socket that calls the latter), and how
    unlike they lasted at least (``fits``, and of those with the port that is called ``fits_port``).
    """
    accepting = between.accepting.join(between.through.toDF("peer", "leaves_by"), on="peer", how="inner")
    last_ones = between.through.select(sf.col("leaves_by").alias("socket")).distinct()
    leaving = between.calling.join(last_ones, on="socket", how="left_semi")
    ours = between.calling.join(asked, on=list(OURS), how="left_semi")
    theirs = between.accepting.join(asked, on=list(THEIRS), how="left_semi")
    first = ours.join(accepting, between.near, how="inner")
    last = leaving.join(theirs, between.near, how="inner").withColumn("leaves_by", sf.col("socket"))
    return _fits(first, OURS, between.heard), _fits(last, THEIRS, between.heard)


def _fits(pairs: DataFrame, end: tuple[str, str], heard: DataFrame) -> DataFrame:
    lasted = _with_heard(pairs.where(HAVE_PORTS), heard).withColumn("apart", _how_unlike())
    at_the_port = sf.when(sf.col("port") == sf.col("peer_port"), sf.col("apart"))
    return settle(
        lasted.groupBy(*end, "leaves_by").agg(
            sf.min("apart").alias("fits"), sf.min(at_the_port).alias("fits_port")
        )
    )


def _with_heard(pairs: DataFrame, heard: DataFrame) -> DataFrame:
    return pairs.join(heard, on="socket", how="left").join(
        heard.toDF("peer", "peer_heard_at"), on="peer", how="left"
    )


def _how_unlike() -> Column:
    """By how much (seconds) two ends did not last equally long, at least: of an end of which nobody tells, how long it was heard of is known."""
    lasted = seconds(sf.col("gone_at"), sf.col("at"))
    peer_lasted = seconds(sf.col("peer_gone_at"), sf.col("peer_at"))
    outlived = sf.when(
        sf.col("gone_at").isNull(), seconds(sf.col("heard_at"), sf.col("at")) - peer_lasted
    ).otherwise(seconds(sf.col("peer_heard_at"), sf.col("peer_at")) - lasted)
    return sf.coalesce(unlike(), sf.greatest(sf.lit(0.0), outlived))


def _through_proxies(asked: DataFrame, at_first: DataFrame, at_last: DataFrame) -> DataFrame:
    """Those of the asked that proxies may stand between."""
    first, last = (
        asked.join(sides, on=list(end), how="inner")
        .where("fits <= bound")
        .select(*BOTH, "leaves_by", sf.coalesce(sf.col("fits_port") <= sf.col("bound"), sf.lit(False)).alias(name))
        for sides, end, name in ((at_first, OURS, "first_has_port"), (at_last, THEIRS, "last_has_port"))
    )  # fmt: skip
    both = first.join(last, on=[*BOTH, "leaves_by"], how="inner")
    ports = both.groupBy(*BOTH).agg(sf.max(sf.col("first_has_port") & sf.col("last_has_port")).alias("have"))
    direct = sf.col("port") == sf.col("peer_port")
    return asked.join(ports, on=list(BOTH), how="inner").where(~direct | sf.col("have"))
