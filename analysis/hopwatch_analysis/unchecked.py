"""What cannot be checked for losses, with the counts that there are: unstamped senders, messages without a topic for
receivers that subscribed to some only, and publishers that nobody was connected to.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes import WHOLE_STREAM_LANE
from hopwatch_analysis.links import FLOWS
from hopwatch_analysis.nodes import BALANCED_TYPES, FILTERED_TYPES

COLUMNS = ("reason", "stream", "receiver", "sent", "received")


def unstamped_senders(counters: DataFrame, sockets: DataFrame, streams: DataFrame) -> DataFrame:
    """Sockets that sent messages without stamps: stream."""
    types = [type_ for type_ in FLOWS if type_ != "ROUTER"]
    senders = sockets.where(sf.col("type").isin(*types) & sf.col("proxy").isNull()).select("socket")
    return (
        counters.where("sent > 0")
        .join(senders, on="socket", how="left_semi")
        .select(sf.col("socket").alias("stream"))
        .join(streams, on="stream", how="left_anti")
    )


def unchecked(
    unstamped_ways: DataFrame, partial: DataFrame, to_nobody: DataFrame, counters: DataFrame, got: DataFrame
) -> DataFrame:
    """One row a stream and receiver that cannot be checked: reason, stream, receiver, sent, received (but what is checked).

    ``unstamped_ways`` has each stream without stamps with its receivers (null: none known), its type and the reason. Where the counts
    of both ends agree, nothing is missing, and there is no row.
    """
    checked = got.groupBy(sf.col("receiver").alias("socket")).agg(sf.sum("count").alias("checked"))
    received = (
        counters.join(checked, on="socket", how="left")
        .fillna(0, subset=["checked"])
        .select(
            sf.col("socket").alias("receiver"),
            sf.greatest(sf.lit(0), sf.col("received") - sf.col("checked")).alias("received"),
        )
    )
    sent = counters.select(sf.col("socket").alias("stream"), "sent")
    unstamped = unstamped_ways.join(sent, on="stream", how="inner")
    nobody = to_nobody.withColumns({"reason": sf.lit("nobody"), "receiver": sf.lit(None).cast("string")})
    return (
        unstamped.unionByName(partial.withColumn("reason", sf.lit("partial")), allowMissingColumns=True)
        .join(received, on="receiver", how="left")
        .transform(_with_senders_each)
        .withColumn("agree", _counts_agree())
        .where("not agree")
        .select(*COLUMNS)
        .unionByName(nobody, allowMissingColumns=True)
        .select(*COLUMNS)
    )


def partial(endings: DataFrame, lanes: DataFrame, owed: DataFrame, sockets: DataFrame) -> DataFrame:
    """Ways along which messages without a topic were sent to receivers that did not subscribe to everything:
    stream, receiver, sent.
    """
    filtering = sockets.where(sf.col("type").isin(*FILTERED_TYPES)).select(sf.col("socket").alias("receiver"))
    whole = lanes.where((sf.col("lane") == WHOLE_STREAM_LANE) & (sf.col("sent") > 0))
    return (
        endings.join(filtering, on="receiver", how="left_semi")
        .join(whole.select("stream", "lane", "sent"), on="stream", how="inner")
        .join(owed.select("stream", "receiver", "lane"), on=["stream", "receiver", "lane"], how="left_anti")
        .select("stream", "receiver", "sent")
    )


def _counts_agree() -> Column:
    """All that was sent to this receiver, or by this sender to all that share its messages, was received."""
    to_one, from_one = Window.partitionBy("receiver"), Window.partitionBy("stream")
    at_receiver = sf.sum("sent").over(to_one) == sf.col("received")
    of_sender = (
        sf.col("type").isin(*BALANCED_TYPES)
        & (sf.max("senders").over(from_one) == 1)
        & (sf.sum("received").over(from_one) == sf.col("sent"))
    )
    known = sf.col("receiver").isNotNull()
    return known & (sf.coalesce(at_receiver, sf.lit(False)) | sf.coalesce(of_sender, sf.lit(False)))


def _with_senders_each(rows: DataFrame) -> DataFrame:
    return rows.withColumn("senders", sf.count("*").over(Window.partitionBy("receiver")))
