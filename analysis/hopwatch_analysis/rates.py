"""Whether a receiver whose pipe was full is too slow, or only met bursts longer than its pipe."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.frames import only_of, seconds, settle
from hopwatch_analysis.missing import gap_rows
from hopwatch_analysis.reading import Tables

SHORTEST_INTERVAL = 0.02  # seconds: below it, a rate says more about scheduling than about the receiver
FEWEST_MESSAGES = 5
LONGEST_PAUSE_IN_RUN = 0.5  # seconds between two gaps of one burst
CAUGHT_UP_WITHIN = 0.02  # seconds between a message's send and the sample that finds it received
BURSTS_AT_MOST = 0.5  # of the time that the stream was active
IN_REACH = 0.5  # of the mean rate: a receiver that reads more slowly still did not catch up, though it once had to wait
FULL_PIPES = 2  # as many messages as that fill them: who loses none of so many in a row has read them


def sender_rates(samples: DataFrame, gap_events: DataFrame, streams: DataFrame) -> DataFrame:
    """How fast each stream was sent: stream, began_at, last_sent_at, mean_rate (messages a second, null if not known)."""
    sampled = samples.where("sent > 0").select(
        sf.col("socket").alias("stream"), sf.col("sent").alias("number"), "at"
    )
    gaps = gap_events.where("action = 'gap'")
    before = gaps.select("stream", sf.col("before").alias("number"), sf.col("before_sent_at").alias("at"))
    after = gaps.select("stream", sf.col("after").alias("number"), sf.col("after_sent_at").alias("at"))
    points = sampled.unionByName(before).unionByName(after).where("number is not null and at is not null")
    first_seen = points.groupBy("stream", "number").agg(sf.min("at").alias("at"))
    spans = first_seen.groupBy("stream").agg(
        sf.min("number").alias("low"),
        sf.max("number").alias("high"),
        sf.min_by("at", "number").alias("began_at"),
        sf.max_by("at", "number").alias("last_sent_at"),
    )
    took = seconds(sf.col("last_sent_at"), sf.col("began_at"))
    rate = sf.when(took > SHORTEST_INTERVAL, (sf.col("high") - sf.col("low")) / took)
    return spans.join(streams, on="stream", how="left_semi").select(
        "stream", "began_at", "last_sent_at", rate.alias("mean_rate")
    )


def receiver_capacities(samples: DataFrame, gaps: DataFrame) -> DataFrame:
    """The highest rate at which each socket was seen to receive (messages a second): to_socket, capacity."""
    return (
        _rates_between_samples(samples)
        .unionByName(_rates_while_backlogged(gaps))
        .where((sf.col("took") >= SHORTEST_INTERVAL) & (sf.col("more") >= FEWEST_MESSAGES))
        .groupBy("to_socket")
        .agg(sf.max(sf.col("more") / sf.col("took")).alias("capacity"))
    )


def _rates_between_samples(samples: DataFrame) -> DataFrame:
    in_order = Window.partitionBy("socket").orderBy("at", "received")
    return samples.select(
        sf.col("socket").alias("to_socket"),
        (sf.col("received") - sf.lag("received").over(in_order)).alias("more"),
        seconds(sf.col("at"), sf.lag("at").over(in_order)).alias("took"),
    )


def _rates_while_backlogged(gaps: DataFrame) -> DataFrame:
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
            seconds(sf.col("at"), sf.first("at").over(so_far)).alias("took"),
        )
    )


def pressure(
    tables: Tables, losses: DataFrame, streams: DataFrame, sockets: DataFrame, lanes: DataFrame
) -> DataFrame:
    """Figures of each edge that lost something: stream, from_socket, to_socket, began_at, last_sent_at, mean_rate,
    capacity, loss_share, went_on, in_bursts, unclear.

    ``loss_share`` is how much of the stream's time its losses spanned. ``in_bursts``: less than half of it, and the receiver is known
    to keep up with the mean rate, or went on without loss when the burst was over, or was caught up in between and is not seen to read far
    more slowly than that. ``unclear``: less than half of it, and nothing tells either.
    """
    spans = settle(
        losses.join(_ends_of(lanes), on=["stream", "lane"], how="left")
        .groupBy("stream", "from_socket", "to_socket")
        .agg(
            sf.sum(_spanned()).alias("spanned"),
            sf.min("before_sent_at").alias("first_loss_at"),
            sf.max("after_sent_at").alias("over_at"),
            sf.max(sf.col("part").isin("tail", "all")).alias("to_the_end"),
        )
    )
    samples = settle(_samples_of(spans, tables["counters"]))
    edges = spans.join(sender_rates(samples, tables["gap"], streams), on="stream", how="left").join(
        receiver_capacities(samples, tables["gap"]), on="to_socket", how="left"
    )
    active = seconds(sf.col("last_sent_at"), sf.col("began_at"))
    keeps_up = sf.coalesce(sf.col("capacity") > sf.col("mean_rate"), sf.lit(False))
    in_reach = sf.coalesce(sf.col("capacity") >= sf.col("mean_rate") * IN_REACH, sf.lit(True))
    in_bursts = sf.col("loss_share") < BURSTS_AT_MOST
    recovered = keeps_up | sf.col("went_on") | (sf.col("caught_up") & in_reach)
    return (
        edges.transform(lambda frame: _with_caught_up(frame, tables["lane"], samples, sockets))
        .transform(lambda frame: _with_went_on(frame, tables, sockets))
        .withColumn("loss_share", sf.try_divide("spanned", active))
        .withColumn("in_bursts", sf.coalesce(in_bursts & recovered, sf.lit(False)))
        .withColumn("unclear", sf.coalesce(in_bursts & ~sf.col("in_bursts"), sf.lit(False)))
        .select(
            "stream",
            "from_socket",
            "to_socket",
            "began_at",
            "last_sent_at",
            "mean_rate",
            "capacity",
            "loss_share",
            "went_on",
            "in_bursts",
            "unclear",
        )
    )


def _ends_of(lanes: DataFrame) -> DataFrame:
    return lanes.select(
        "stream", "lane", sf.col("sent").alias("sent_in_all"), sf.col("moved_at").alias("sent_until")
    )


def _spanned() -> Column:
    """Seconds in which the messages of a range were sent: between others, or to the end of their lane."""
    to_the_end = (sf.col("part") == "tail") & (sf.col("last") + 1 >= sf.col("sent_in_all"))
    until = sf.when(sf.col("part") == "inner", sf.col("after_sent_at")).when(to_the_end, sf.col("sent_until"))
    span = seconds(until, sf.col("before_sent_at"))
    return sf.when(span.isNotNull(), sf.greatest(span, sf.lit(0.0)))  # greatest() passes nulls over


def _samples_of(edges: DataFrame, counters: DataFrame) -> DataFrame:
    """Samples of sockets at either end: socket, at, sent, received, waits. All others' need not be put in order."""
    ends = edges.select(sf.explode(sf.array("stream", "to_socket")).alias("socket"))
    waits = (sf.col("waited_receives") + sf.col("eagain_receives")).alias("waits")
    return only_of(counters.select("socket", "at", "sent", "received", waits), ends, "socket")


def _with_went_on(edges: DataFrame, tables: Tables, sockets: DataFrame) -> DataFrame:
    """Adds ``went_on``: behind its last loss, and for as long as its losses lasted, the receiver got more messages in a row than both
    ends' marks let wait. Not known of proxies, whose lanes nobody counts.
    """
    x = sockets.select(sf.col("socket").alias("from_socket"), "sndhwm")
    y = sockets.select(sf.col("socket").alias("to_socket"), "rcvhwm")
    waits_at_most = sf.when(
        (sf.col("sndhwm") > 0) & (sf.col("rcvhwm") > 0), sf.col("sndhwm") + sf.col("rcvhwm")
    )
    for_long = seconds(sf.col("got_until"), sf.col("over_at")) >= sf.col("spanned")
    went_on = ~sf.col("to_the_end") & for_long & (sf.col("got_since") >= FULL_PIPES * waits_at_most)
    return (
        edges.join(_got_since_their_gaps(tables, edges), on=["stream", "to_socket"], how="left")
        .join(x, on="from_socket", how="left")
        .join(y, on="to_socket", how="left")
        .withColumn("went_on", sf.coalesce(went_on, sf.lit(False)))
        .drop("got_since", "got_until", "sndhwm", "rcvhwm")
    )


def _got_since_their_gaps(tables: Tables, edges: DataFrame) -> DataFrame:
    """What receivers got of lanes behind their last gap: stream, to_socket, got_since (messages), got_until (sent then)."""
    ways = ["stream", "to_socket"]
    receivers = edges.select(sf.col("to_socket").alias("socket"))
    gaps = (
        gap_rows(tables["gap"], "gap")
        .groupBy("stream", sf.col("receiver").alias("to_socket"), "lane")
        .agg(sf.max("received").alias("by_then"))
    )
    return (
        only_of(tables["lane"].where("role = 'receive'"), receivers, "socket")
        .groupBy("stream", sf.col("socket").alias("to_socket"), "lane")
        .agg(sf.max("count").alias("count"), sf.max("newest_sent_at").alias("until"))
        .join(gaps, on=[*ways, "lane"], how="inner")
        .groupBy(*ways)
        .agg(
            sf.sum(sf.col("count") - sf.col("by_then")).alias("got_since"), sf.max("until").alias("got_until")
        )
    )


def _with_caught_up(
    edges: DataFrame, lane_rows: DataFrame, samples: DataFrame, sockets: DataFrame
) -> DataFrame:
    """Adds ``caught_up``: after its first loss, while the sender went on, the receiver had nothing left to read."""
    read = (
        _fresh_samples(edges, lane_rows, sockets)
        .unionByName(_waits(samples))
        .select(sf.col("socket").alias("to_socket"), "since", "at")
    )
    proven = (
        edges.join(read, on="to_socket", how="inner")
        .where("since > first_loss_at and at <= last_sent_at")
        .select("stream", "from_socket", "to_socket", sf.lit(True).alias("proven"))
        .distinct()
    )
    known = edges.join(proven, on=["stream", "from_socket", "to_socket"], how="left")
    return known.withColumn("caught_up", sf.coalesce("proven", sf.lit(False))).drop("proven")


def _fresh_samples(edges: DataFrame, lane_rows: DataFrame, sockets: DataFrame) -> DataFrame:
    receivers = edges.select(sf.col("to_socket").alias("socket"))
    hosts = sockets.select("socket", "host")
    lag = seconds(sf.col("at"), sf.col("newest_sent_at"))
    same_clock = sf.col("sender_host") == sf.col("host")
    return (
        lane_rows.where("role = 'receive' and n is null")
        .select("socket", "stream", "at", "newest_sent_at")
        .transform(lambda samples: only_of(samples, receivers, "socket"))
        .join(hosts, on="socket", how="inner")
        .join(hosts.toDF("stream", "sender_host"), on="stream", how="inner")
        .where(same_clock & (sf.abs(lag) <= CAUGHT_UP_WITHIN))
        .select("socket", sf.col("newest_sent_at").alias("since"), "at")
    )


def _waits(samples: DataFrame) -> DataFrame:
    """Stretches between two samples in which a receive found no message: socket, since, at."""
    in_order = Window.partitionBy("socket").orderBy("at")
    return (
        samples.select(
            "socket",
            "at",
            sf.lag("at").over(in_order).alias("since"),
            (sf.col("waits") - sf.lag("waits").over(in_order)).alias("more_waits"),
        )
        .where("more_waits > 0")
        .select("socket", "since", "at")
    )
