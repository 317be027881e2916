"""Events of connections whose other end no address names: of which link they are, where only one comes into question."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

ONE_END = ("from_socket", "to_socket", "side")


def of_the_only_link(events: DataFrame, ends: DataFrame, endpoints: DataFrame) -> DataFrame:
    """The events with the link (one of ``ends``, see ``link_facts``) that they are of: the only one of their socket at that place that
    has no addresses either. None are told of a link whose socket had two such connections at one time.
    """
    scheme = sf.regexp_extract("endpoint", r"^([a-z]+)://", 1)
    return (
        events.withColumn("scheme", sf.coalesce(sf.nullif(scheme, sf.lit("")), _by_addresses()))
        .join(_alone(ends), on="socket", how="inner")
        .where(sf.col("scheme").eqNullSafe(sf.col("transport")) | (sf.col("transport") == UNKNOWN_TRANSPORT))
        .transform(lambda rows: _at_the_peers_place(rows, endpoints))
        .transform(_of_one_at_a_time)
    )


def _by_addresses() -> Column:
    return sf.when(sf.col("local").isNotNull(), "tcp")


def _alone(ends: DataFrame) -> DataFrame:
    """Ends of links that are the only ones of their socket by their transport. Of inproc no monitor tells."""
    here = Window.partitionBy("socket", "side")
    unknown = sf.sum((sf.col("transport") == UNKNOWN_TRANSPORT).cast("int")).over(here)
    same = sf.count("*").over(Window.partitionBy("socket", "side", "transport"))
    rivals = sf.when(sf.col("transport") == UNKNOWN_TRANSPORT, sf.count("*").over(here)).otherwise(
        same + unknown
    )
    silent = ends.where("not mirrored and transport != 'inproc'")
    return silent.withColumn("rivals", rivals).where("rivals = 1").drop("rivals", "mirrored")


def _at_the_peers_place(rows: DataFrame, endpoints: DataFrame) -> DataFrame:
    """Over ipc both ends name the same place."""
    places = endpoints.select(
        sf.col("socket").alias("peer"), "endpoint", sf.lit(True).alias("shared")
    ).distinct()
    placed = rows.join(places, on=["peer", "endpoint"], how="left")
    return placed.where("transport != 'ipc' or shared").drop("shared")


def _of_one_at_a_time(rows: DataFrame) -> DataFrame:
    so_far = (
        Window.partitionBy(*ONE_END)
        .orderBy("at", "n")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    change = sf.when(sf.col("action") == "connected", 1).when(sf.col("connection") > 0, -1).otherwise(0)
    most = sf.max("up").over(Window.partitionBy(*ONE_END))
    return (
        rows.withColumn("up", sf.sum(change).over(so_far))
        .withColumn("most", most)
        .where("most <= 1")
        .drop("up", "most")
    )
