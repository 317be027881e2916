"""Until when each process is known to have been there, by what it did: that one was killed may be found long after."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf


def with_alive_at(
    sockets: DataFrame, connections: DataFrame, lanes: DataFrame, receipts: DataFrame
) -> DataFrame:
    """Adds to ``sockets`` (with their ``clock``) ``alive_at``: their process sent, received or saw something after that, or then.

    A last word may be told by the agent that found it dead. So what was sent tells by the last sample that more was sent after, and what was
    received by when it had been sent.
    """
    sent = lanes.select(sf.col("stream").alias("socket"), sf.col("moved_after").alias("at"))
    events = connections.select("socket", "at")
    did = sent.unionByName(events).unionByName(_received(receipts, sockets))
    alive = (
        did.groupBy("socket")
        .agg(sf.max("at").alias("at"))
        .join(sockets.select("socket", "process"), on="socket", how="inner")
        .groupBy("process")
        .agg(sf.max("at").alias("alive_at"))
    )
    return sockets.join(alive, on="process", how="left")


def _received(receipts: DataFrame, sockets: DataFrame) -> DataFrame:
    """When the newest message that each socket got had been sent, by a clock that is also its own: socket, at."""
    clocks = sockets.select("socket", "clock")
    return (
        receipts.groupBy("stream", "receiver")
        .agg(sf.max("newest_sent_at").alias("at"))
        .join(clocks.toDF("stream", "clock"), on="stream", how="inner")
        .join(clocks.toDF("receiver", "clock"), on=["receiver", "clock"], how="inner")
        .select(sf.col("receiver").alias("socket"), "at")
    )
