"""What happened to the connections and the proxies of each way: cut and mended, cut for good, or gone before its receiver was."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.reasons import sender_keeps
from hopwatch_analysis.links.went_first import Ended, went_unseen
from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import FOUND_DEAD_WITHIN
from hopwatch_analysis.terms.keys import EDGE, WAY


def cut_ways(
    way_edges: DataFrame, endings: DataFrame, link_facts: DataFrame, sockets: DataFrame
) -> DataFrame:
    """One row a way: stream, receiver, and of its last hop cut_off (its connection went down, and came back), cut_for_good (it went down while both ends
    were there, as both saw, or one), seen_by_one (one end alone saw it go, long before the other ended), unseen (which end was gone first: nobody saw it), sender_connects, sender_keeps (its queue, without a
    connection too), queue_mark and queue_ended_at (the sending end's), came_after (who was at the receiver's place before), sent_when_back, received_when_back, seen_to_go_at (when its
    receiving end saw it go down for good).
    Of the hops before: cut_before, and cut_depths (which of them). Of the proxies on it: relay_gone (one ended while the receiver was there).
    """
    receivers_end = sockets.select("socket", "ended_at", "end").toDF("to_socket", "to_ended_at", "to_end")
    senders_end = sockets.select("socket", "ended_at", "end", "sndhwm", "immediate").toDF(
        "from_socket", "from_ended_at", "from_end", "from_sndhwm", "from_immediate"
    )
    last = sf.col("depth") == sf.col("length")
    return (
        way_edges.select(*WAY, "depth", "length", *EDGE)
        .join(link_facts, on=list(EDGE), how="left")
        .join(senders_end, on="from_socket", how="left")
        .join(receivers_end, on="to_socket", how="left")
        .join(endings.select(*WAY, "receiver_went_at"), on=list(WAY), how="left")
        .groupBy(*WAY)
        .agg(
            _ever(last & _mended()).alias("cut_off"),
            _ever(last & _for_good()).alias("cut_for_good"),
            _ever(~last & _was_cut()).alias("cut_before"),
            sf.collect_set(sf.when(~last & sf.coalesce(_was_cut(), sf.lit(False)), sf.col("depth"))).alias(
                "cut_depths"
            ),
            _ever(last & _seen_by_one_long_before()).alias("seen_by_one"),
            _ever(last & _unseen()).alias("unseen"),
            _ever((sf.col("depth") > 1) & _gone_before_the_receiver()).alias("relay_gone"),
            _ever(last & sf.col("sender_connects")).alias("sender_connects"),
            _ever(last & sender_keeps("from_immediate")).alias("sender_keeps"),
            sf.max(sf.when(last, sf.col("from_sndhwm"))).alias("queue_mark"),
            sf.max(sf.when(last, sf.col("from_ended_at"))).alias("queue_ended_at"),
            sf.flatten(sf.collect_list(sf.when(last, sf.col("former_downs")["peer"]))).alias("came_after"),
            sf.max(sf.when(last & _sender_saw_it_mended(), sf.col("sent_when_back"))).alias("sent_when_back"),
            sf.max(sf.when(last, sf.col("received_when_back"))).alias("received_when_back"),
            sf.max(sf.when(last, sf.col("to_end_down_at"))).alias("seen_to_go_at"),
        )
    )


def _ever(condition: Column) -> Column:
    return sf.max(sf.coalesce(condition, sf.lit(False)))


def _was_cut() -> Column:
    return _mended() | _both_saw_it() | sf.col("cut_alone")


def _mended() -> Column:
    """As either end tells: behind translated addresses not all that one tells is known to be of this connection."""
    return _sender_saw_it_mended() | sf.coalesce("to_end_was_cut", sf.lit(False))


def _sender_saw_it_mended() -> Column:
    return sf.coalesce(sf.exists("downs", lambda down: down["end"].isNotNull()), sf.lit(False))


def _both_saw_it() -> Column:
    """It went down, came back no more, and nobody had been told to leave."""
    both = sf.col("left_at").isNotNull() & sf.col("to_end_down_at").isNotNull()
    return both & sf.col("quit_at").isNull()


def _for_good() -> Column:
    """Both saw it while they were there: who closes a socket does not see its connections go down. Or one did, and the other was there for longer."""
    both_were_there = _was_there("from_ended_at", "left_at") & _was_there("to_ended_at", "to_end_down_at")
    return sf.col("cut_alone") | (_both_saw_it() & both_were_there)


def _seen_by_one_long_before() -> Column:
    """So that the other one may have been cut off, and have died later."""
    by_sender = sf.col("to_end_down_at").isNull() & _long_before("left_at", "to_ended_at")
    by_receiver = sf.col("left_at").isNull() & _long_before("to_end_down_at", "from_ended_at")
    return by_sender | by_receiver


def _unseen() -> Column:
    return went_unseen(*(Ended(sf.col(f"{end}_ended_at"), sf.col(f"{end}_end")) for end in ("from", "to")))


def _long_before(seen_at: str, ended_at: str) -> Column:
    return seconds(sf.col(ended_at), sf.col(seen_at)) > FOUND_DEAD_WITHIN


def _was_there(ended_at: str, down_at: str) -> Column:
    return sf.coalesce(sf.col(ended_at) > sf.col(down_at), sf.lit(True))


def _gone_before_the_receiver() -> Column:
    later = sf.coalesce(sf.col("from_ended_at") > sf.col("receiver_went_at"), sf.lit(False))
    return sf.col("from_ended_at").isNotNull() & ~later
