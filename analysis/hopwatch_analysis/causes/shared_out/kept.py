"""What a sender that connects keeps in its queue when its receiver goes, for whoever comes to that place: not lost with the receiver.

A queue holds no more than the sender's mark. It fills behind an inbox that is full, and a receiver that has let some of that be read takes
more only once half of it is: so at least half of what an inbox holds was there, where any waited in the queue.
"""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.causes.rested import said_nothing_was_left
from hopwatch_analysis.terms.accounts import IN_FLIGHT, UNEXPLAINED

KEPT = "kept"
"""The mark of what may be in the queue."""


def outlives_its_receiver() -> Column:
    """There is a queue that goes on when the receiver does not, and nobody who came to its place has shown what was in it."""
    return sf.col("sender_keeps") & sf.col("left_first") & ~sf.col("succeeded")


def surely_gone(unread: Column) -> Column:
    """How many of the ``unread``, the lowest first, were not in the queue: of those that are more than a queue holds no other reading is
    left; that an inbox had some is likely.
    """
    return sf.when(
        outlives_its_receiver(), sf.greatest(_beyond_the_mark(unread), _in_the_inbox(unread))
    ).otherwise(unread)


def is_proved(unread: Column) -> Column:
    """Whether a number proves that those are gone."""
    return ~outlives_its_receiver() | (_beyond_the_mark(unread) >= _in_the_inbox(unread))


def of_queue() -> Column:
    """What became of the rest: it waits for the next receiver, if its sender is still there."""
    return sf.when(sf.col("queue_ended_at").isNull(), IN_FLIGHT).otherwise(UNEXPLAINED)


def _beyond_the_mark(unread: Column) -> Column:
    mark = sf.coalesce("queue_mark", sf.lit(0))
    return sf.when(mark > 0, sf.greatest(sf.lit(0), unread - mark)).otherwise(0)


def _in_the_inbox(unread: Column) -> Column:
    """None, where the receiver said that nothing was left to read, or its mark is not known."""
    mark = sf.col("y_rcvhwm")
    half = sf.when(mark == 0, unread).otherwise(sf.least(unread, sf.floor(mark / 2)))
    return sf.when(~said_nothing_was_left() & mark.isNotNull(), half).otherwise(0)
