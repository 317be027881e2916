"""What a cut connection before a proxy lost of a shared-out stream: the proxy's counts tell, whoever it would have given it to."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.shared_out.cut_shares import IN_THE_CUT
from hopwatch_analysis.terms.keys import EDGE


def with_lost_before(shares: DataFrame, arrivals: DataFrame, way_edges: DataFrame) -> DataFrame:
    """Adds of each stream, where its proxy's counts are final (or have all), and of no other stream: ``never_arrived`` (else null), and of those that had
    overtaken them by then, where a connection before the proxy was cut, ``lost_before``, which ``missing`` has no more; and the edge: before_from, before_to.
    """
    firsts = (
        way_edges.where("depth = 1")
        .groupBy("stream")
        .agg(
            sf.count_distinct(*EDGE).alias("first_edges"),
            sf.min(sf.col("length") > 1).alias("proxied"),
            *(sf.min(end).alias(end) for end in EDGE),
        )
    )
    streams_in = (
        way_edges.where("depth = 1").groupBy("to_socket").agg(sf.count_distinct("stream").alias("streams_in"))
    )
    reached = (sf.col("arrived") - sf.col("strays")) / sf.col("frames_each")
    lacking = sf.greatest(sf.lit(0), sf.col("sent") - reached).cast("long")
    told = sf.when(reached.isNotNull(), lacking)  # greatest() passes nulls over
    alone = (sf.col("first_edges") == 1) & sf.col("proxied") & (sf.col("streams_in") == 1)
    counted = alone & (sf.col("is_final") | (sf.col("is_no_newer") & (told == 0)))
    overtaken = sf.greatest(sf.lit(0), sf.col("highest") - (sf.col("sent") - sf.col("missing")))
    lost = sf.least("never_arrived", "missing", overtaken)
    return (
        shares.join(firsts, on="stream", how="left")
        .join(arrivals, on="to_socket", how="left")
        .join(streams_in, on="to_socket", how="left")
        .withColumn("never_arrived", sf.when(counted, told))
        .withColumn("lost_before", sf.when(_cut_before_all(), sf.coalesce(lost, sf.lit(0))).otherwise(0))
        .withColumn("missing", sf.col("missing") - sf.col("lost_before"))
        .withColumnsRenamed({"from_socket": "before_from", "to_socket": "before_to"})
        .drop("first_edges", "proxied", "arrived", "strays", "is_final", "is_no_newer", "streams_in")
    )


def lost_before(shares: DataFrame) -> DataFrame:
    """One row a stream: of its only receiver, or of none."""
    receiver = sf.when(sf.col("receivers") == 1, sf.col("receiver"))
    return (
        shares.where("lost_before > 0")
        .select(
            "stream",
            receiver.alias("receiver"),
            sf.col("lost_before").alias("messages"),
            sf.lit("reconnect").alias("cause"),
            sf.lit(f"before {IN_THE_CUT}").alias("mark"),
            sf.lit(1).alias("depth"),
            sf.col("before_from").alias("from_socket"),
            sf.col("before_to").alias("to_socket"),
            sf.col("sent_until").alias("at"),
        )
        .distinct()
    )


def _cut_before_all() -> Column:
    return sf.col("cut_before") & sf.col("never_arrived").isNotNull()
