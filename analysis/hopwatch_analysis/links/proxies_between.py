"""Ends that stamps seem to join, though a proxy may stand between them: whoever is behind a proxy gets its sender's stamps as well.

Only sides of proxies come into question of whose connections the other ends are not known, one at either end: those of one proxy, or of several of which one has
the port that is called there. Where the stamped end has the port that is called, so must proxies have at both ends. How long connections lasted must fit them no
worse than it does the stamped ends.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.paired import OURS, THEIRS, unlike
from hopwatch_analysis.terms.delays import FOUND_DEAD_WITHIN

BOTH = (*OURS, *THEIRS)
NOT_AT_ALL = 1e9  # seconds: only one of the two ends went down


def without_those_behind_proxies(
    candidates: DataFrame, calling: DataFrame, called: DataFrame, sides: DataFrame, near: Column
) -> DataFrame:
    """The candidates that no proxy is as likely a way for. ``calling``, ``called``: all ends that may belong together, as ``near`` says; ``sides``:
    both sides of proxies (socket, passes_to).
    """
    accepting = called.join(sides.toDF("peer", "passes_to"), on="peer", how="inner")
    leaving = calling.join(sides.select("socket"), on="socket", how="left_semi")
    has_port = (sf.col("port") == sf.col("peer_port")).alias("has_port")
    fit = [has_port, _how_unlike().alias("side_unlike")]
    at_first = calling.join(accepting, near, how="inner").select(*OURS, "passes_to", *fit)
    at_last = leaving.join(called, near, how="inner").select(
        *THEIRS, sf.col("socket").alias("passes_to"), *fit
    )
    asked = candidates.withColumn("bound", sf.greatest(_how_unlike(), sf.lit(FOUND_DEAD_WITHIN)))
    first, last = (
        asked.join(ends, on=list(keys), how="inner").where("side_unlike <= bound")
        for ends, keys in ((at_first, OURS), (at_last, THEIRS))
    )
    both = first.join(last, on=[*BOTH, "passes_to"], how="left_semi")
    return (
        asked.transform(lambda frame: _marked(frame, first, "first"))
        .transform(lambda frame: _marked(frame, last, "last"))
        .transform(lambda frame: _marked(frame, both, "one_proxy"))
        .where(~_through_proxies())
        .select(*candidates.columns)
    )


def _how_unlike() -> Column:
    return sf.coalesce(unlike(), sf.lit(NOT_AT_ALL))


def _marked(candidates: DataFrame, found: DataFrame, name: str) -> DataFrame:
    """Adds ``name``, whether any was found, and ``name_has_port``, whether one of them has the port that is called."""
    marks = found.groupBy(*BOTH).agg(sf.lit(True).alias(name), sf.max("has_port").alias(f"{name}_has_port"))
    return candidates.join(marks, on=list(BOTH), how="left").fillna(False, [name, f"{name}_has_port"])


def _through_proxies() -> Column:
    first_has, last_has = sf.col("first_has_port"), sf.col("last_has_port")
    direct = sf.col("port") == sf.col("peer_port")
    several = sf.col("first") & sf.col("last") & (first_has | last_has)
    return sf.when(direct, first_has & last_has).otherwise(sf.col("one_proxy") | several)
