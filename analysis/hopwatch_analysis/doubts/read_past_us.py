"""Sockets that somebody may have received by past the instrumentation, as their findings say: what they lack may have come."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts import doubts
from hopwatch_analysis.terms.keys import WAY

RULES = ("handed_over", "proxy_not_counted", "address_taken")
"""Of the instrumentation's findings (instrumentation/FINDINGS.md)."""


def sockets_read_past_us(findings: DataFrame) -> DataFrame:
    """Those that a finding says it of: socket."""
    return findings.where(sf.col("rule").isin(*RULES)).select("socket").distinct()


def without_causes(
    accounts: DataFrame, sockets: DataFrame, way_edges: DataFrame, read_past_us: DataFrame
) -> DataFrame:
    """What these sockets lack, as the last of a way, is unexplained."""
    at_their_end = doubts.parties(way_edges).where("socket = receiver")
    ways = at_their_end.join(sf.broadcast(read_past_us), on="socket", how="left_semi").select(*WAY).distinct()
    nobody = sockets.select(sf.col("socket").alias("stream")).limit(0)
    return doubts.without_causes(accounts, sockets, ways, nobody)
