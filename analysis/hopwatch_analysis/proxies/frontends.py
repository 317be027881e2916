"""What proxies' own counts prove: whether all that was sent towards a proxy arrived there."""

from collections.abc import Mapping
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.doubts.watched import idle_between
from hopwatch_analysis.lanes.lanes import messages_sent
from hopwatch_analysis.links.clocks import clock_of
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import CLOCKS_MAY_DIFFER_BY, CLOCKS_TOLD_WITHIN, IDLE_SECONDS
from hopwatch_analysis.terms.keys import LANE_OF_EDGE
from hopwatch_analysis.terms.ranges import coverage, length

HALF_A_FRAME = 0.5
COUNTED_WITHIN = 2  # seconds: a proxy's counts are asked for and sampled no more often


def expected_frames(
    owed: DataFrame, owed_ranges: DataFrame, way_edges: DataFrame, lanes: DataFrame
) -> DataFrame:
    """Frames that senders sent towards each proxy socket, between two bounds: to_socket, depth, at_least, at_most.

    At most: everything in the lanes that someone behind wants. At least: what those behind were owed.
    """
    inner = way_edges.where("depth < length").select(
        "stream", "receiver", "from_socket", "to_socket", "depth"
    )
    each = lanes.select("stream", "lane", messages_sent().alias("messages"), "frames_each")
    wanted = owed.select("stream", "receiver", "lane").join(inner, on=["stream", "receiver"], how="inner")
    most = (
        wanted.select(*LANE_OF_EDGE)
        .distinct()
        .join(each, on=["stream", "lane"], how="inner")
        .groupBy("to_socket", "depth")
        .agg(sf.sum(sf.col("messages") * sf.col("frames_each")).alias("at_most"))
    )
    due = owed_ranges.join(inner, on=["stream", "receiver"], how="inner")
    least = (
        coverage({"owing": due.select(*LANE_OF_EDGE, "first", "last")}, LANE_OF_EDGE)
        .join(each, on=["stream", "lane"], how="inner")
        .groupBy("to_socket", "depth")
        .agg(sf.sum(length() * sf.col("frames_each")).alias("at_least"))
    )
    return most.join(least, on=["to_socket", "depth"], how="left").fillna(0, subset=["at_least"])


def arrivals(counters: DataFrame, links: DataFrame, streams: DataFrame, counted_all: DataFrame) -> DataFrame:
    """Frames that each proxy socket received: to_socket, arrived, and of those at most ``strays``, from unstamped senders.

    ``is_final``: the counts cannot have been older than the last message that was sent towards it. ``is_no_newer``: nor hold any that its sender had not
    told of by then, so that as many as were sent are those that were sent.
    """
    unstamped = links.join(streams.toDF("from_socket"), on="from_socket", how="left_anti")
    sent = counters.select(
        sf.col("socket").alias("from_socket"), (sf.col("sent") + sf.col("sent_more_frames")).alias("frames")
    )
    strays = (
        unstamped.join(sent, on="from_socket", how="inner")
        .groupBy("to_socket")
        .agg(sf.sum("frames").alias("strays"))
    )
    arrived = counters.select(
        sf.col("socket").alias("to_socket"), sf.col("proxied_in_frames").alias("arrived")
    )
    return (
        arrived.join(strays, on="to_socket", how="left")
        .join(counted_all, on="to_socket", how="left")
        .fillna(0, subset=["strays"])
        .fillna(False, subset=["is_final", "is_no_newer"])
    )


def last_sends(lanes: DataFrame, receipts: DataFrame) -> DataFrame:
    """By when each stream's last message had been sent: stream, last_sent_at. Samples see it up to a second later; of a sender that has told its last word
    the stamp tells that the last message came with.
    """
    got_all = (
        receipts.select("stream", "lane", "next", "newest_sent_at")
        .join(lanes.select("stream", "lane", "sent_at_last"), on=["stream", "lane"], how="inner")
        .where("next >= sent_at_last")
        .groupBy("stream", "lane")
        .agg(sf.max("newest_sent_at").alias("stamped_at"))
    )
    sent_by = sf.least("moved_at", "stamped_at")  # passes over what is not known
    return (
        lanes.select("stream", "lane", "moved_at")
        .join(got_all, on=["stream", "lane"], how="left")
        .groupBy("stream")
        .agg(sf.max(sent_by).alias("last_sent_at"))
    )


def counted_all(
    way_edges: DataFrame,
    last_sends: DataFrame,
    sockets: DataFrame,
    counters: DataFrame,
    *,
    compared: Mapping[str, str],
    window_end: datetime,
) -> DataFrame:
    """Whether each proxy socket was there for so long after the last send towards it that its counts hold that
    message, had it arrived: to_socket, is_final; and is_no_newer. A proxy's counts are always a little older than its end, and older yet where who asks for
    them was stuck; one that had counted nothing more for a while has nothing left to count. ``last_sends``: of each stream (see there); ``compared``: hosts whose clocks are.
    """
    ends = sockets.select("socket", "host", "ended_at", "heard_until", "took_last_at")
    proxied_at = sf.timestamp_micros((sf.col("proxied_at") / 1000).cast("long"))
    asked = counters.where("proxied_at > 0").select(
        sf.col("socket").alias("to_socket"), proxied_at.alias("asked_at")
    )
    # one that is still there is asked on, which is worth no row where nothing has changed; least() passes over what is not known
    asked_until = sf.coalesce(
        sf.when(sf.col("ended_at").isNotNull(), sf.least("ended_at", "asked_at")),
        "heard_until",
        sf.lit(window_end),
    )
    later = seconds(asked_until, sf.col("last_sent_at"))
    one_clock = clock_of(sf.col("host"), compared) == clock_of(sf.col("sender_host"), compared)
    apart = (
        sf.when(sf.col("host") == sf.col("sender_host"), 0)
        .when(one_clock, CLOCKS_TOLD_WITHIN)
        .otherwise(CLOCKS_MAY_DIFFER_BY)
    )
    # of one that is still there it is not known when it was asked last
    rested = sf.col("ended_at").isNotNull() & idle_between(sf.col("took_last_at"), asked_until)
    counted_within = sf.when(rested, IDLE_SECONDS).otherwise(COUNTED_WITHIN)
    is_final = later >= counted_within + apart
    newest = seconds(sf.coalesce("asked_at", asked_until), sf.col("last_sent_at"))
    is_no_newer = is_final | sf.col("sender_ended_at").isNotNull() | (newest <= -apart)
    return (
        way_edges.where("depth < length")
        .select("stream", "to_socket")
        .distinct()
        .join(last_sends, on="stream", how="left")
        .join(ends.withColumnRenamed("socket", "to_socket"), on="to_socket", how="left")
        .join(asked, on="to_socket", how="left")
        .join(
            ends.select("socket", "host", "ended_at").toDF("stream", "sender_host", "sender_ended_at"),
            on="stream",
            how="left",
        )
        .groupBy("to_socket")
        .agg(
            sf.min(sf.coalesce(is_final, sf.lit(False))).alias("is_final"),
            sf.min(sf.coalesce(is_no_newer, sf.lit(False))).alias("is_no_newer"),
        )
    )


def verdicts(
    pieces: DataFrame, depth: int, expected: DataFrame, arrivals: DataFrame, lanes: DataFrame
) -> DataFrame:
    """Per proxy socket at this depth: to_socket, all_arrived (but what is known to be lost), none_arrived (of what is open), more_is_lacking (than is
    open), cut_fits (no more was open in cuts than did not arrive, as far as counts tell).

    ``pieces`` know their edge at this depth (``to_socket``), whether they are open there (``is_open``) and in a cut (``in_a_cut``), and the depth they
    are placed at, if they are.
    """
    lacking_at_most = sf.col("at_most") - sf.col("known") - (sf.col("arrived") - sf.col("strays"))
    lacking_at_least = sf.col("at_least") - sf.col("known") - sf.col("arrived")
    # what is more than can have been sent came from others as well, whose frames may stand in for those that are lacking
    told = sf.col("is_final") & (lacking_at_most > -HALF_A_FRAME)
    return (
        _frames(pieces, depth, lanes)
        .join(expected.where(sf.col("depth") == depth).drop("depth"), on="to_socket", how="inner")
        .join(arrivals, on="to_socket", how="inner")
        .select(
            "to_socket",
            (sf.col("is_no_newer") & (sf.abs(lacking_at_most) < HALF_A_FRAME)).alias("all_arrived"),
            (sf.col("is_final") & (lacking_at_least > sf.col("open") - HALF_A_FRAME)).alias("none_arrived"),
            (sf.col("is_final") & (lacking_at_least > sf.col("open") + HALF_A_FRAME)).alias(
                "more_is_lacking"
            ),
            (~told | (sf.col("cut") < lacking_at_most + HALF_A_FRAME)).alias("cut_fits"),
        )
    )


def _frames(pieces: DataFrame, depth: int, lanes: DataFrame) -> DataFrame:
    """Of the missing ranges before each proxy socket: to_socket, open, known (to be lost by then), cut (open, and in a cut)."""
    each = lanes.select("stream", "lane", "frames_each")
    frames = length() * sf.col("frames_each")
    in_a_cut = sf.col("is_open") & sf.col("in_a_cut")
    return (
        pieces.where((sf.col("placed") <= depth) | sf.col("is_open"))
        .select("stream", "lane", "first", "last", "to_socket", "is_open", in_a_cut.alias("in_a_cut"))
        .distinct()
        .join(each, on=["stream", "lane"], how="inner")
        .groupBy("to_socket")
        .agg(
            sf.sum(sf.when(sf.col("is_open"), frames).otherwise(0)).alias("open"),
            sf.sum(sf.when(sf.col("is_open"), 0).otherwise(frames)).alias("known"),
            sf.sum(sf.when(sf.col("in_a_cut"), frames).otherwise(0)).alias("cut"),
        )
    )
