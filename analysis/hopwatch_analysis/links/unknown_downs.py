"""When connections of senders went down of which nobody knows where they lead: to a dark proxy that was restarted, most often."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.links.link_facts import STATES


def unknown_downs(connections: DataFrame, mirrored: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Of each sender with receivers by an unknown way: from_socket, unknown_downs (array of start, end). A sender that connects keeps its pipe meanwhile,
    until somebody is at that endpoint again (end null: nobody was).
    """
    senders = way_edges.where(sf.col("transport") == UNKNOWN_TRANSPORT).select("from_socket").distinct()
    in_order = Window.partitionBy("socket", "endpoint").orderBy("at", "n")
    down = sf.struct(sf.col("at").alias("start"), sf.col("next_at").alias("end"))
    return (
        connections.where(sf.col("action").isin(*STATES) & ~sf.coalesce("accepted", sf.lit(False)))
        .join(senders.withColumnRenamed("from_socket", "socket"), on="socket", how="left_semi")
        .withColumn("next_at", sf.lead("at").over(in_order))
        .where("action = 'disconnected'")
        .join(mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti")
        .groupBy(sf.col("socket").alias("from_socket"))
        .agg(sf.collect_list(down).alias("unknown_downs"))
    )
