"""What cannot be checked for losses, with the counts that there are: unstamped senders, messages without a topic for
receivers that subscribed to some only, and publishers that nobody was connected to.
"""

from hopwatch_judge.socket_types import BALANCED_TYPES, FILTERED_TYPES
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.lanes.lanes import WHOLE_STREAM_LANE
from hopwatch_analysis.links.links import FLOWS

COLUMNS = (
    "reason",
    "stream",
    "receiver",
    "sent",
    "received",
    "missing_at_most",
    "shared_out",
    "received_by_all",
    "agree",
)
SHARED_OUT_TYPES = (*BALANCED_TYPES, "ROUTER")
"""Types that send each message to one peer."""


def unstamped_senders(counters: DataFrame, sockets: DataFrame, streams: DataFrame) -> DataFrame:
    """Sockets that sent messages without stamps: stream. A ROUTER that stamps has no stream where none could be routed."""
    stamps = (sf.col("type") == "ROUTER") & sf.coalesce("stamped", sf.lit(False))
    senders = sockets.where(sf.col("type").isin(*FLOWS) & sf.col("proxy").isNull() & ~stamps).select("socket")
    return (
        counters.where("sent > 0")
        .join(senders, on="socket", how="left_semi")
        .select(sf.col("socket").alias("stream"))
        .join(streams, on="stream", how="left_anti")
    )


def unchecked(
    unstamped_ways: DataFrame,
    partial: DataFrame,
    to_nobody: DataFrame,
    *,
    counters: DataFrame,
    got: DataFrame,
    swallowed: DataFrame,
) -> DataFrame:
    """One row a stream and receiver that cannot be checked: reason, stream, receiver, sent (but what a ROUTER swallowed:
    ``swallowed``: how much of each stream), received (but what is checked), missing_at_most (null: not known), shared_out, received_by_all (of what is
    shared out: by all its receivers, where they have no other sender), agree.

    ``unstamped_ways`` has each stream without stamps with its receivers (null: none known), its type, the reason, and whether the
    two ends have nobody but each other (``faces``, see ``facing``). Where the counts of both ends ``agree``,
    nothing is missing.
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
    sent = (
        counters.select(sf.col("socket").alias("stream"), "sent")
        .join(swallowed, on="stream", how="left")
        .withColumn("sent", sf.col("sent") - sf.coalesce("swallowed", sf.lit(0)))
        .drop("swallowed")
    )
    routed = (sf.col("reason") == "unstamped") & (sf.col("type") == "ROUTER")
    unstamped = unstamped_ways.join(sent, on="stream", how="inner").withColumn(
        "reason", sf.when(routed, "routed").otherwise(sf.col("reason"))
    )
    nobody = to_nobody.withColumns({"reason": sf.lit("nobody"), "receiver": sf.lit(None).cast("string")})
    return (
        unstamped.unionByName(partial.withColumn("reason", sf.lit("partial")), allowMissingColumns=True)
        .join(received, on="receiver", how="left")
        .transform(_with_neighbours)
        .withColumns({"agree": _counts_agree(), "missing_at_most": _missing_at_most()})
        .unionByName(nobody, allowMissingColumns=True)
        .fillna(False, subset=["agree", "shared_out"])
        .select(*COLUMNS)
    )


def from_unknown(surplus: DataFrame, ways: DataFrame) -> DataFrame:
    """Rows as ``unchecked`` has them for receivers that got more than known senders sent, but where it is one without stamps."""
    alone = surplus.join(ways.select("receiver").distinct(), on="receiver", how="left_anti")
    return alone.select(
        sf.lit("unknown_sender").alias("reason"),
        sf.lit(None).cast("string").alias("stream"),
        "receiver",
        sf.lit(None).cast("bigint").alias("sent"),
        sf.col("surplus").alias("received"),
        sf.lit(None).cast("bigint").alias("missing_at_most"),
        sf.lit(False).alias("shared_out"),
        sf.lit(None).cast("bigint").alias("received_by_all"),
        sf.lit(False).alias("agree"),
    )


def facing(
    ways: DataFrame, sockets: DataFrame, connections: DataFrame, mirrored: DataFrame, subscriptions: DataFrame
) -> DataFrame:
    """Direct ways by TCP from senders that have ended, to receivers that take all that they are sent, and have no connection to
    anybody unknown: stream, receiver, faces.
    """
    ended = sockets.where("ended_at is not null").select(sf.col("socket").alias("stream"))
    filtering = sockets.where(sf.col("type").isin(*FILTERED_TYPES)).select(sf.col("socket").alias("receiver"))
    choosy = filtering.join(subscriptions.where("prefix = ''"), on="receiver", how="left_anti")
    strangers = (
        connections.where("action = 'connected' and local is not null and remote is not null")
        .join(mirrored.select("socket", "connection"), on=["socket", "connection"], how="left_anti")
        .select(sf.col("socket").alias("receiver"))
    )
    return (
        ways.where("length = 1 and hops[0].mirrored")
        .select("stream", "receiver", sf.lit(True).alias("faces"))
        .join(ended, on="stream", how="left_semi")
        .join(choosy, on="receiver", how="left_anti")
        .join(strangers, on="receiver", how="left_anti")
    )


def partial(
    endings: DataFrame, lanes: DataFrame, receipts: DataFrame, sockets: DataFrame, subscriptions: DataFrame
) -> DataFrame:
    """Ways along which messages without a topic were sent to receivers that did not subscribe to everything, and got none of them:
    stream, receiver, sent.
    """
    filtering = sockets.where(sf.col("type").isin(*FILTERED_TYPES)).select(sf.col("socket").alias("receiver"))
    whole = lanes.where((sf.col("lane") == WHOLE_STREAM_LANE) & (sf.col("sent") > 0))
    to_everything = subscriptions.where("prefix = ''").select("receiver").distinct()
    return (
        endings.join(filtering, on="receiver", how="left_semi")
        .join(whole.select("stream", "lane", "sent"), on="stream", how="inner")
        .join(to_everything, on="receiver", how="left_anti")
        .join(
            receipts.select("stream", "receiver", "lane"), on=["stream", "receiver", "lane"], how="left_anti"
        )
        .select("stream", "receiver", "sent")
    )


def _with_neighbours(rows: DataFrame) -> DataFrame:
    to_one, from_one = Window.partitionBy("receiver"), Window.partitionBy("stream")
    shared_out = sf.col("type").isin(*SHARED_OUT_TYPES) & (sf.count("receiver").over(from_one) > 1)
    with_senders = rows.withColumns({"senders": sf.count("*").over(to_one), "shared_out": shared_out})
    # more than was sent: some of it came from senders that nobody tells of
    by_all = (
        sf.col("shared_out")
        & _have_no_other_sender()
        & (sf.count("received").over(from_one) == sf.count("*").over(from_one))
        & (sf.sum("received").over(from_one) <= sf.col("sent"))
    )
    return with_senders.withColumn("received_by_all", sf.when(by_all, sf.sum("received").over(from_one)))


def _have_no_other_sender() -> Column:
    return sf.max("senders").over(Window.partitionBy("stream")) == 1


def _counts_agree() -> Column:
    """All that was sent to this receiver, or by this sender to all that share its messages, was received."""
    to_one, from_one = Window.partitionBy("receiver"), Window.partitionBy("stream")
    at_receiver = sf.sum("sent").over(to_one) == sf.col("received")
    of_sender = (
        sf.col("type").isin(*SHARED_OUT_TYPES)
        & _have_no_other_sender()
        & (sf.sum("received").over(from_one) == sf.col("sent"))
    )
    known = sf.col("receiver").isNotNull()
    return known & (sf.coalesce(at_receiver, sf.lit(False)) | sf.coalesce(of_sender, sf.lit(False)))


def _missing_at_most() -> Column:
    """Where the two ends have nobody but each other. What was sent before the receiver came is in it."""
    two_alone = sf.coalesce(sf.col("faces"), sf.lit(False)) & (sf.col("senders") == 1) & ~sf.col("shared_out")
    known = two_alone & (sf.col("reason") == "unstamped")
    return sf.when(known & (sf.col("sent") >= sf.col("received")), sf.col("sent") - sf.col("received"))
