"""What the queue of a sender that connects brought to the next receiver at the same place: that is not owed to the one before, who left."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.keys import LANE_OF_RECEIVER


def without_handed_on(owed: DataFrame, link_facts: DataFrame) -> DataFrame:
    """``owed`` with ``end`` and ``sure_end`` no further than the first number that the next one got of the lane."""
    successors = settle(
        link_facts.select(
            sf.col("from_socket").alias("stream"),
            sf.explode(sf.array_distinct(sf.col("former_downs")["peer"])).alias("former"),
            sf.col("to_socket").alias("receiver"),
        ).where("former is not null")
    )
    if successors.isEmpty():
        return owed
    handed_on = (
        owed.where("count > 0 and length = 1 and not by_count")
        .join(sf.broadcast(successors), on=["stream", "receiver"], how="inner")
        .groupBy("stream", "lane", sf.col("former").alias("receiver"))
        .agg(sf.min("first").alias("handed_on"))
    )
    theirs = sf.col("receiver_left_first") & (sf.col("length") == 1) & (sf.col("handed_on") >= sf.col("next"))
    bound = sf.when(theirs, sf.col("handed_on"))  # least() passes nulls over
    return (
        owed.join(handed_on, on=list(LANE_OF_RECEIVER), how="left")
        .withColumns({name: sf.least(name, bound) for name in ("end", "sure_end")})
        .drop("handed_on")
    )
