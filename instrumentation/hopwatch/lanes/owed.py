"""Whether a receiver is owed all messages of a topic, as far as its subscriptions tell."""

import time

from hopwatch.lanes.subscriptions import Subscriptions

SETTLED_NS = 250_000_000
"""A message sent so long after a subscription came back, and next in its lane, shows that the subscription is in force again. Before,
numbers that are missing may be those that were sent while there was none. The two times are of two hosts' clocks."""


class Owed:
    """What a receiver is owed; ``subscriptions`` is None for receivers that do not filter. ``resubscribed_at`` is in nanoseconds of the wall clock."""

    def __init__(self, subscriptions: Subscriptions | None) -> None:
        self._subscriptions = subscriptions
        self.resubscribed_at = 0

    def is_all_of(self, topic: bytes) -> bool:
        """Whether every message of the topic is let through."""
        return self._subscriptions is None or self._subscriptions.cover(topic)

    def is_in_force(self, topic: bytes, sent_at: int) -> bool:
        """Whether a message shows that its topic is subscribed to again, as far as it ever was left."""
        return sent_at > self.resubscribed_at + SETTLED_NS and self.is_all_of(topic)

    def was_left(self, topic: bytes) -> bool:
        """Whether the topic was unsubscribed from once, whatever has been subscribed to since."""
        return self._subscriptions is not None and self._subscriptions.was_left(topic)

    def subscribed(self) -> None:
        """Subscriptions have become more."""
        self.resubscribed_at = time.time_ns()
