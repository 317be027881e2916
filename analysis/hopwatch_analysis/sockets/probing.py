"""For how long a publisher's or ROUTER's full pipes were seen, and whether it can drop at one at all."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

NODROP = "xpub_nodrop"
ON = "1"


def with_probing(opened: DataFrame, rows: DataFrame, options: DataFrame) -> DataFrame:
    """Adds ``probing_stopped_at`` (null: full pipes were seen to the end, if they were ever) and ``never_drops`` (XPUB_NODROP was in force
    whenever they were not seen) to sockets, whose ``options`` are those of the time when they were wrapped.
    """
    stops = (
        rows.where("state = 'probing_stopped'").select("socket", "at", "n").unionByName(_taken_over(options))
    )
    stopped = stops.groupBy("socket").agg(
        sf.min("at").alias("probing_stopped_at"), sf.min_by("n", "at").alias("stopped_n")
    )
    nodrop = (
        options.where(sf.col("option") == NODROP)
        .groupBy("socket")
        .agg(sf.min(sf.col("value") == ON).alias("always_on"), sf.min("n").alias("set_n"))
    )
    return (
        opened.join(stopped, on="socket", how="left")
        .join(nodrop, on="socket", how="left")
        .withColumn("never_drops", sf.coalesce(_never_drops(), sf.lit(False)))
        .drop("stopped_n", "always_on", "set_n")
    )


def _taken_over(options: DataFrame) -> DataFrame:
    """What ends the probing by itself; agents did not always land that it ended."""
    mandatory = (sf.col("option") == "router_mandatory") & (sf.col("value") == ON)
    return options.where((sf.col("option") == NODROP) | mandatory).select("socket", "at", "n")


def _never_drops() -> Column:
    """The end of the probing is written right before the option that it was for."""
    on_when_wrapped = sf.coalesce(sf.col("options")[NODROP] == 1, sf.lit(False))
    set_as_probing_ended = sf.col("probed") & (sf.col("set_n") - sf.col("stopped_n") <= 1)
    left_on = sf.coalesce("always_on", on_when_wrapped)
    return left_on & (on_when_wrapped | set_as_probing_ended)
