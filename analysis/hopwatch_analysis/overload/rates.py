"""How fast messages were sent, what receivers were asked to read, and how fast they were seen to read."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.losses.missing import gap_rows
from hopwatch_analysis.spark.frames import only_of, seconds

SHORTEST_INTERVAL = 0.02  # seconds: below it, a rate says more about scheduling than about the receiver
FEWEST_MESSAGES = 5
WAITS_SHOW = 2
"""Samples: who waits once may wait for the first message of all, and look whether there is one before each other receive, which nobody counts."""
LONGEST_PAUSE_IN_RUN = 0.5  # seconds between two gaps of one burst


def sent_points(samples: DataFrame, gap_events: DataFrame) -> DataFrame:
    """When each stream had sent how many messages, as far as that is known: stream, number, at."""
    sampled = samples.where("sent > 0").select(
        sf.col("socket").alias("stream"), sf.col("sent").alias("number"), "at"
    )
    gaps = gap_events.where("action = 'gap'")
    before = gaps.select("stream", sf.col("before").alias("number"), sf.col("before_sent_at").alias("at"))
    after = gaps.select("stream", sf.col("after").alias("number"), sf.col("after_sent_at").alias("at"))
    points = sampled.unionByName(before).unionByName(after).where("number is not null and at is not null")
    return points.groupBy("stream", "number").agg(sf.min("at").alias("at"))


def sender_rates(points: DataFrame) -> DataFrame:
    """How fast each stream was sent: stream, began_at, last_sent_at, mean_rate (messages a second, null if not known)."""
    spans = points.groupBy("stream").agg(
        sf.min("number").alias("low"),
        sf.max("number").alias("high"),
        sf.min_by("at", "number").alias("began_at"),
        sf.max_by("at", "number").alias("last_sent_at"),
    )
    return spans.select(
        "stream",
        "began_at",
        "last_sent_at",
        _rate(sf.col("high") - sf.col("low"), "began_at", "last_sent_at").alias("mean_rate"),
    )


def shares_asked(way_edges: DataFrame, owed: DataFrame, lanes: DataFrame, receivers: DataFrame) -> DataFrame:
    """How much of each stream's messages each of ``receivers`` (to_socket) is sent: stream, to_socket, share."""
    in_all = lanes.groupBy("stream").agg(sf.sum("sent").alias("in_all"))
    taken = owed.groupBy("stream", "receiver").agg(sf.sum("sent").alias("taken"))
    share = sf.least(sf.lit(1.0), sf.max("taken") / sf.max("in_all"))
    return (
        only_of(way_edges, receivers, "to_socket")
        .join(taken, on=["stream", "receiver"], how="inner")
        .join(in_all.where("in_all > 0"), on="stream", how="inner")
        .groupBy("stream", "to_socket")
        .agg(share.alias("share"))
    )


def asked_sizes(shares: DataFrame, counters: DataFrame) -> DataFrame:
    """How large a message is on average that each receiver is sent, of all streams together: to_socket, asked_bytes."""
    sizes = counters.where("sent > 0 and sent_bytes > 0").select(
        sf.col("socket").alias("stream"), "sent", "sent_bytes"
    )
    in_all, messages = (sf.sum(sf.col("share") * sf.col(name)) for name in ("sent_bytes", "sent"))
    return (
        shares.join(sizes, on="stream", how="inner")
        .groupBy("to_socket")
        .agg(sf.try_divide(in_all, messages).alias("asked_bytes"))
    )


def asked_rates(points: DataFrame, shares: DataFrame, times: DataFrame) -> DataFrame:
    """``times`` (to_socket, stretch, since, until) with ``asked``: how many messages a second of all streams together the
    receiver was sent then; null if not known.
    """
    keys = ["to_socket", "stretch"]
    ends = sf.array(*[sf.struct(sf.lit(sign).alias("sign"), sf.col(end).alias("at"))
                      for sign, end in ((-1, "since"), (1, "until"))])  # fmt: skip
    marks = times.select(*keys, sf.explode(ends).alias("mark")).select(*keys, "mark.*")
    sent = (
        _with_number(marks.join(shares, on="to_socket", how="inner"), points)
        .groupBy(*keys)
        .agg(sf.sum(sf.col("sign") * sf.col("number") * sf.col("share")).alias("messages"))
    )
    rate = _rate(sf.col("messages"), "since", "until")
    return times.join(sent, on=keys, how="left").withColumn("asked", rate).drop("messages")


def _with_number(marks: DataFrame, points: DataFrame) -> DataFrame:
    """Adds ``number``: how many messages the mark's stream had sent by then, evenly between two points that are known."""
    known = sf.when(sf.col("sign").isNull(), sf.struct("at", "number"))
    place = [sf.unix_micros("at"), sf.col("sign").isNotNull()]
    # what follows is looked up backwards: a frame that ends at the last row is gone through anew for each row
    forwards = Window.partitionBy("stream").orderBy(*place)
    backwards = Window.partitionBy("stream").orderBy(place[0].desc(), place[1])
    so_far = (Window.unboundedPreceding, Window.currentRow)
    before = sf.last(known, ignorenulls=True).over(forwards.rowsBetween(*so_far))
    behind = sf.last(known, ignorenulls=True).over(backwards.rowsBetween(*so_far))
    span = seconds(sf.col("behind.at"), sf.col("before.at"))
    passed = sf.try_divide(seconds(sf.col("at"), sf.col("before.at")), span)
    between = sf.col("before.number") + (sf.col("behind.number") - sf.col("before.number")) * passed
    return (
        marks.unionByName(only_of(points, marks, "stream"), allowMissingColumns=True)
        .withColumns({"before": before, "behind": behind})
        .where("sign is not null")
        .withColumn("number", sf.coalesce(between, "before.number", "behind.number"))
        .drop("before", "behind")
    )


def receiver_rates(samples: DataFrame, gaps: DataFrame) -> DataFrame:
    """Stretches of time in which sockets received messages: to_socket, since, at, rate (messages a second), waited (whether it
    found no message meanwhile; null if it is not known ever to do so).
    """
    return (
        _between_samples(samples)
        .unionByName(_while_backlogged(gaps))
        .withColumn("took", seconds(sf.col("at"), sf.col("since")))
        .where((sf.col("took") >= SHORTEST_INTERVAL) & (sf.col("more") >= FEWEST_MESSAGES))
        .select("to_socket", "since", "at", (sf.col("more") / sf.col("took")).alias("rate"), "waited")
    )


def _between_samples(samples: DataFrame) -> DataFrame:
    in_order = Window.partitionBy("socket").orderBy("at", "received")
    more_waits = sf.col("waits") > sf.coalesce(sf.lag("waits").over(in_order), sf.lit(0))
    each_time = sf.count_if("more_waits").over(Window.partitionBy("socket")) >= WAITS_SHOW
    return samples.withColumn("more_waits", more_waits).select(
        sf.col("socket").alias("to_socket"),
        (sf.col("received") - sf.lag("received").over(in_order)).alias("more"),
        sf.lag("at").over(in_order).alias("since"),
        "at",
        sf.when(each_time, sf.col("more_waits")).alias("waited"),
    )


def _while_backlogged(gaps: DataFrame) -> DataFrame:
    """What a lane's receiver read from the first to each later gap of a run of gaps: its queue was never empty between, unless
    the last one's next message was sent long after.
    """
    in_order = Window.partitionBy("receiver", "stream", "lane").orderBy("at", "received")
    pause = seconds(sf.col("at"), sf.lag("at").over(in_order))
    begins_run = sf.coalesce(pause > LONGEST_PAUSE_IN_RUN, sf.lit(True)).cast("int")
    so_far = (
        Window.partitionBy("receiver", "stream", "lane", "run")
        .orderBy("at", "received")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        gap_rows(gaps, "gap")
        .withColumn("run", sf.sum(begins_run).over(in_order))
        .select(
            sf.col("receiver").alias("to_socket"),
            (sf.col("received") - sf.first("received").over(so_far)).alias("more"),
            sf.first("at").over(so_far).alias("since"),
            "at",
            sf.lit(None).cast("boolean").alias("waited"),
        )
    )


def _rate(messages: Column, since: str, until: str) -> Column:
    took = seconds(sf.col(until), sf.col(since))
    return sf.when(took > SHORTEST_INTERVAL, messages / took)
