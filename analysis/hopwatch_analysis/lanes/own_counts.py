"""Whether what a socket itself counts of its messages tells of the numbers of its lanes.

With stamps each message has a number. Of messages that carry numbers some may have none: then the socket has counted more than its lanes.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import messages_sent


def with_own_counts(lanes: DataFrame, counters: DataFrame) -> DataFrame:
    """Adds ``all_counted`` (each message of the stream, by its socket's ``counters``, is in one of its lanes) and ``counted_from``: the number
    of the stream's first message, where this is its only lane and the numbers follow each other from there; else null.
    """
    per_stream = Window.partitionBy("stream")
    of_lanes = sf.sum(messages_sent()).over(per_stream)
    agree = ~sf.col("carried") | sf.coalesce(of_lanes == sf.col("sent_by_socket"), sf.lit(False))
    tells = (sf.count("*").over(per_stream) == 1) & (sf.col("begins") == sf.col("unused"))
    own = counters.select(sf.col("socket").alias("stream"), sf.col("sent").alias("sent_by_socket"))
    return (
        lanes.join(own, on="stream", how="left")
        .withColumn("all_counted", sf.min(agree).over(per_stream))
        .withColumn("counted_from", sf.when(tells & sf.col("all_counted"), sf.col("begins")))
        .drop("sent_by_socket")
    )
