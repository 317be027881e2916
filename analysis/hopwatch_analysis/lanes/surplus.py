"""Messages that a receiver counted and that no known sender sent: somebody who is not wrapped did, or one who neither stamps nor counts."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.links import FLOWS

RECEIVING_TYPES = sorted({type_ for types in FLOWS.values() for type_ in types})


def surplus(counts: DataFrame, given: DataFrame, sockets: DataFrame) -> DataFrame:
    """By receiver, what it counted beyond what the lanes of known senders were given of it: receiver, surplus.

    Of a sender that goes on the newest messages are not known yet: its receivers are left out.
    """
    receivers = sockets.where(sf.col("type").isin(*RECEIVING_TYPES) & sf.col("proxy").isNull())
    senders = sockets.select(sf.col("socket").alias("stream"), sf.col("ended_at").isNull().alias("goes_on"))
    theirs = (
        given.join(senders, on="stream", how="left")
        .groupBy("receiver")
        .agg(sf.sum("given").alias("theirs"), sf.max("goes_on").alias("goes_on"))
    )
    return (
        counts.groupBy("receiver")
        .agg(sf.sum("counted").alias("counted"))
        .join(receivers.select(sf.col("socket").alias("receiver")), on="receiver", how="left_semi")
        .join(theirs, on="receiver", how="left")
        .where(~sf.coalesce("goes_on", sf.lit(False)))
        .select("receiver", (sf.col("counted") - sf.coalesce("theirs", sf.lit(0))).alias("surplus"))
        .where("surplus > 0")
    )
