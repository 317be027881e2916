"""What happened on a hop while an incident of it lasted, and not before or after: disconnections, and how much too slow its receiver was."""

from hopwatch_judge.thresholds import AT_ONCE, UNDER_WAY
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.keys import EDGE

FIGURES = ("downs", "overload_rate", "overload_read")
NODES = ("from_node", "to_node")
LONGEST_FIRST = ("seconds", "since", "until", "asked", "read")


def meanwhile(edges: DataFrame, link_facts: DataFrame, overloads: DataFrame, sockets: DataFrame) -> DataFrame:
    """One row a pair of nodes: from_node, to_node, downs (start, end), overloads (seconds, since, until, asked, read), each of all time."""
    overloaded = overloads.groupBy("to_socket").agg(
        sf.collect_list(sf.struct(*LONGEST_FIRST)).alias("overloads")
    )
    ends = sockets.select("socket", "node", "ended_at")
    x, y = (ends.toDF(f"{side}_socket", f"{side}_node", f"{side}_ended_at") for side in ("from", "to"))
    nodes = [sf.coalesce(f"{side}_node", f"{side}_socket").alias(f"{side}_node") for side in ("from", "to")]
    return (
        edges.select(*EDGE)
        .distinct()
        .join(link_facts.select(*EDGE, "downs"), on=list(EDGE), how="left")
        .join(overloaded, on="to_socket", how="left")
        .where("downs is not null or overloads is not null")
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .withColumn("downs", sf.filter("downs", lambda down: ~_is_a_goodbye(down)))
        .groupBy(*nodes)
        .agg(
            *[
                sf.array_distinct(sf.flatten(sf.collect_list(name))).alias(name)
                for name in ("downs", "overloads")
            ]
        )
    )


def with_what_happened(incidents: DataFrame, meanwhile: DataFrame) -> DataFrame:
    """Adds FIGURES: how often the hop went down, and the rates of the longest time in which its receiver could not keep up."""
    downs = sf.size(sf.filter("downs", _overlaps))
    worst = sf.array_max(sf.filter("overloads", _was_then))
    return (
        incidents.join(meanwhile, on=list(NODES), how="left")
        .withColumns({"downs": sf.when(sf.col("downs").isNotNull(), downs), "overload": worst})
        .withColumns({"overload_rate": sf.col("overload.asked"), "overload_read": sf.col("overload.read")})
        .drop("overloads", "overload")
    )


def _is_a_goodbye(down: Column) -> Column:
    """The connection went with one of its ends, and not before."""
    first_end = sf.least("from_ended_at", "to_ended_at")
    return sf.coalesce(down["end"].isNull() & (seconds(first_end, down["start"]) <= AT_ONCE), sf.lit(False))


def _overlaps(down: Column) -> Column:
    """What was under way then had been sent before."""
    began = seconds(down["start"], sf.col("ended_at")) <= UNDER_WAY
    was_over = seconds(sf.col("started_at"), down["end"]) > AT_ONCE
    return sf.coalesce(began, sf.lit(True)) & ~sf.coalesce(was_over, sf.lit(False))


def _was_then(overload: Column) -> Column:
    began = overload["since"] <= sf.col("ended_at")
    return sf.coalesce(began & (overload["until"] >= sf.col("started_at")), sf.lit(False))
