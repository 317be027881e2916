"""How large a stream's messages were, as far as samples of its sender's counters tell."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf


def largest_messages(counters: DataFrame) -> DataFrame:
    """About how large the largest message of each sender was: stream, largest (bytes).

    Between two samples, what was sent less what as many messages would take where they were smallest. Many that are larger
    look like one large one.
    """
    in_order = Window.partitionBy("socket").orderBy("sent", "at")
    between = counters.select(
        "socket",
        (sf.col("sent") - sf.coalesce(sf.lag("sent").over(in_order), sf.lit(0))).alias("messages"),
        (sf.col("sent_bytes") - sf.coalesce(sf.lag("sent_bytes").over(in_order), sf.lit(0))).alias("bytes"),
    ).where("messages > 0")
    smallest = sf.min(sf.col("bytes") / sf.col("messages")).over(Window.partitionBy("socket"))
    beyond = sf.col("bytes") - (sf.col("messages") - 1) * sf.col("smallest")
    return (
        between.withColumn("smallest", smallest)
        .groupBy(sf.col("socket").alias("stream"))
        .agg(sf.max(sf.greatest(beyond, sf.col("bytes") / sf.col("messages"))).alias("largest"))
    )
