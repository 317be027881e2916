"""Sockets that somebody may have received by past the instrumentation, as their findings say: what they lack may have come."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

RULES = ("handed_over", "proxy_not_counted", "address_taken")
"""Of the instrumentation's findings (instrumentation/FINDINGS.md)."""


def sockets_read_past_us(findings: DataFrame) -> DataFrame:
    """Those that a finding says it of: socket."""
    return findings.where(sf.col("rule").isin(*RULES)).select("socket").distinct()
