"""Which end of a link was gone first, by what each saw of the other."""

from dataclasses import dataclass

from hopwatch_judge.thresholds import CLOCKS_MAY_DIFFER_BY, FOUND_DEAD_WITHIN, SEEN_DOWN_WITHIN
from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds


@dataclass(frozen=True)
class Ended:
    """When a socket ended, and how: that a process died may be found long after it did."""

    at: Column
    end: Column

    @property
    def found_dead(self) -> Column:
        return sf.coalesce(self.end == "died", sf.lit(False))


def sender_went_first(sender: Ended, receiver: Ended) -> Column:
    """Whether the sending end of a link was gone before the receiving end: false where it is not gone.

    The one that stays sees the other one go, who may be found dead long after. Where both saw the connection go down or neither did, the clocks tell, and that the receiving
    end saw it at about the time that the sending end ended. Who is known to have stayed for longer was not seen to go.
    """
    sender_ended_at, receiver_ended_at = sender.at, receiver.at
    left_at, to_end_down_at = sf.col("left_at"), sf.col("to_end_down_at")
    sender_stayed, receiver_stayed = _is_true("from_end_stayed"), _is_true("to_end_stayed")
    saw_sender_go = ~sender_stayed & _about_then(to_end_down_at, sender_ended_at)
    found_later = receiver.found_dead & _while_there(left_at, sender_ended_at, receiver_ended_at)
    sender_found_later = sender.found_dead & _while_there(to_end_down_at, receiver_ended_at, sender_ended_at)
    saw_receiver_go = ~receiver_stayed & (_about_then(left_at, receiver_ended_at) | found_later)
    only_sender_saw = to_end_down_at.isNull() & saw_receiver_go
    only_receiver_saw = left_at.isNull() & (saw_sender_go | (~sender_stayed & sender_found_later))
    earlier = receiver_ended_at.isNull() | (sender_ended_at <= receiver_ended_at) | saw_sender_go
    first = only_receiver_saw | (~only_sender_saw & sf.coalesce(earlier, sf.lit(False)))
    return sender_ended_at.isNotNull() & first


def went_unseen(sender: Ended, receiver: Ended) -> Column:
    """Whether nothing tells who of the two was gone first: both went at about the same time, neither saw the other go, and one was found dead, as
    soon or as late as its agent came to it.
    """
    neither_saw = sf.col("left_at").isNull() & sf.col("to_end_down_at").isNull()
    apart = sf.abs(seconds(sender.at, receiver.at))
    at_about_one_time = sf.coalesce(apart <= FOUND_DEAD_WITHIN, sf.lit(False))
    return neither_saw & at_about_one_time & (sender.found_dead | receiver.found_dead)


def _is_true(name: str) -> Column:
    return sf.coalesce(sf.col(name), sf.lit(False))


def _while_there(seen_at: Column, ended_at: Column, found_at: Column) -> Column:
    """One end saw the connection go down well before it ended itself, and before the other was found dead."""
    was_there = sf.coalesce(seconds(ended_at, seen_at) > SEEN_DOWN_WITHIN, seen_at.isNotNull())
    return was_there & sf.coalesce(seen_at <= found_at, sf.lit(False))


def _about_then(seen_at: Column, ended_at: Column) -> Column:
    """About, because the clocks of two hosts differ, and the agent may learn of a death a little later."""
    apart = sf.abs(seconds(seen_at, ended_at))
    return sf.coalesce(apart <= CLOCKS_MAY_DIFFER_BY, sf.lit(False))
