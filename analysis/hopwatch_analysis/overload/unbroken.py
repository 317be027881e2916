"""Of which losses it is known that the pipe was full from their first message to their last.

Messages of other lanes may have come through between two that were dropped, and a pipe may have become full again meanwhile, which is
an onset more. With one lane alone, a message that had come through would be a number of the range.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.cuts import overlaps_a_down
from hopwatch_analysis.terms.keys import EDGE, EDGE_OF_STREAM
from hopwatch_analysis.terms.ranges import holding

NEVER = 2**63 - 1


def with_unbroken(losses: DataFrame, onsets: DataFrame, lanes: DataFrame, link_facts: DataFrame) -> DataFrame:
    """Adds ``unbroken``: the range begins at an onset, no later one that the edge may have met lies within, and its connection was up."""
    of_former_peers = sf.transform("former_downs", lambda down: sf.struct(down["start"], down["end"]))
    downs = link_facts.select(*EDGE, sf.concat("downs", of_former_peers).alias("downs"))
    several = lanes.groupBy("stream").agg((sf.count("*") > 1).alias("several_lanes"))
    return (
        losses.join(sf.broadcast(downs), on=list(EDGE), how="left")
        .join(sf.broadcast(several), on="stream", how="left")
        .transform(lambda frame: _with_next_onset(frame, onsets))
        .withColumn("unbroken", sf.col("begins_at_onset") & ~overlaps_a_down() & _one_episode())
        .drop("downs", "several_lanes", "next_onset")
    )


def _one_episode() -> Column:
    none_within = sf.col("next_onset") >= sf.coalesce("after", sf.lit(NEVER))
    return ~sf.coalesce("several_lanes", sf.lit(True)) | sf.coalesce(none_within, sf.lit(False))


def _with_next_onset(losses: DataFrame, onsets: DataFrame) -> DataFrame:
    """Adds ``next_onset``: of a range that begins at an onset of a stream of several lanes, the stream's number at the edge's next one, or NEVER."""
    in_order = Window.partitionBy(*EDGE_OF_STREAM).orderBy("number")
    follows = sf.coalesce(sf.lead("number").over(in_order), sf.lit(NEVER))
    sought = losses.where("from_socket = stream and several_lanes").select(
        *EDGE_OF_STREAM, "lane", "first", "last"
    )
    met = (
        holding(
            sought,
            onsets.select("stream", "lane", "lane_number", "number"),
            ["stream", "lane"],
            "lane_number",
        )
        .select(*EDGE_OF_STREAM, "lane", sf.col("lane_number").alias("first"), "number")
        .distinct()
        .withColumn("next_onset", follows)
    )
    return losses.join(met.drop("number"), on=[*EDGE_OF_STREAM, "lane", "first"], how="left")
