"""Senders and proxies that died, where what receivers lack is unexplained: they may have had it, and nothing tells."""

from hopwatch_judge.socket_types import BALANCED_TYPES, DROPPING_TYPES
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import only_of

RULE = "died_on_the_way"
TEXT = (
    "%s died at %s UTC, and receivers behind it lack messages that nothing explains (%d in all): they may have been lost before it, in it or "
    "behind it, since what a proxy has read and not passed on is counted nowhere."
)
TEXT_OF_SENDER = "%s died at %s UTC, and receivers lack messages of it that nothing explains (%d in all): they may have been in its queues, or with one of its receivers, and which of them is not known."
ADVICE_OF_SENDER = "Find out what ended %s. What is in its queues then goes with it; what must not be lost has to be stored until acknowledged."
ADVICE = "Find out what ended %s. What is in its queues then goes with it: %s."
WAITS = (
    "lower marks (RCVHWM of its frontend, SNDHWM of its backend) make that less, and its pipes full sooner"
)
DROPS = "lower marks save nothing there, since it drops what finds no room; what must not be lost has to be stored by its sender until acknowledged"


def died_on_the_way(
    ledger: DataFrame, way_edges: DataFrame, sockets: DataFrame, strangers: DataFrame
) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender or proxy that died with something unexplained of a receiver behind it.

    ``strangers`` (socket): those of whose receivers some are not known, who may have got it.
    """
    return _proxies(ledger, way_edges, sockets).unionByName(_senders(ledger, sockets, strangers))


def _senders(ledger: DataFrame, sockets: DataFrame, strangers: DataFrame) -> DataFrame:
    """Of those that share their messages out: nobody knows to whom what is missing of all was given."""
    shares_out = sf.col("type").isin(*BALANCED_TYPES)
    to_known = ledger.where("receiver is not null").select(sf.col("stream").alias("socket"))
    died = (
        sockets.where(shares_out & (sf.col("end") == "died"))
        .select("socket", "node_name", "ended_at")
        .join(to_known.distinct(), on="socket", how="left_semi")
        .join(strangers.select("socket"), on="socket", how="left_anti")
    )
    when = sf.date_format("ended_at", "yyyy-MM-dd HH:mm:ss")
    return (
        ledger.where("unexplained > 0 and receiver is null")
        .groupBy(sf.col("stream").alias("socket"))
        .agg(sf.sum("unexplained").alias("unexplained"))
        .join(died, on="socket", how="inner")
        .select(
            "socket",
            sf.lit(RULE).alias("rule"),
            sf.format_string(TEXT_OF_SENDER, "node_name", when, "unexplained").alias("text"),
            sf.format_string(ADVICE_OF_SENDER, "node_name").alias("advice"),
        )
    )


def _proxies(ledger: DataFrame, way_edges: DataFrame, sockets: DataFrame) -> DataFrame:
    drops = sf.col("type").isin(*DROPPING_TYPES)
    backs = sockets.select(sf.col("socket").alias("passes_to"), drops.alias("drops"))
    died = (
        sockets.where("passes_to is not null and end = 'died'")
        .select(
            sf.col("socket").alias("to_socket"), sf.col("node_name").alias("proxy"), "ended_at", "passes_to"
        )
        .join(backs, on="passes_to", how="left")
        .drop("passes_to")
    )
    unexplained = ledger.where("unexplained > 0").select("stream", "receiver", "unexplained")
    when = sf.date_format("ended_at", "yyyy-MM-dd HH:mm:ss")
    return (
        only_of(way_edges.select("stream", "receiver", "to_socket"), died, "to_socket")
        .join(died, on="to_socket", how="inner")
        .join(unexplained, on=["stream", "receiver"], how="inner")
        .groupBy(sf.col("to_socket").alias("socket"), "proxy", "ended_at", "drops")
        .agg(sf.sum("unexplained").alias("unexplained"))
        .select(
            "socket",
            sf.lit(RULE).alias("rule"),
            sf.format_string(TEXT, "proxy", when, "unexplained").alias("text"),
            sf.format_string(ADVICE, "proxy", sf.when(sf.col("drops"), DROPS).otherwise(WAITS)).alias(
                "advice"
            ),
        )
    )
