"""What a filtering receiver has subscribed to, and which messages it is owed as far as that tells."""

import time
from collections import Counter

MOST_LEFT = 1_000

SETTLED_NS = 250_000_000
"""A message sent so long after a subscription came back, and next in its lane, shows that the subscription is in force again. Before,
numbers that are missing may be those that were sent while there was none. The two times are of two hosts' clocks."""


class Subscriptions:
    """Counts subscriptions as libzmq does: a topic subscribed to twice must be unsubscribed twice."""

    def __init__(self) -> None:
        self._topics: Counter[bytes] = Counter()
        self._any_seen = False
        self._left: set[bytes] = set()

    def __len__(self) -> int:
        """How many prefixes."""
        return len(self._topics)

    def add(self, topic: bytes) -> None:
        """One more subscription to a prefix."""
        self._topics[topic] += 1
        self._any_seen = True

    def remove(self, topic: bytes) -> None:
        """One subscription to a prefix less; unknown prefixes are left alone."""
        if self._topics[topic] <= 1:
            del self._topics[topic]
            if len(self._left) >= MOST_LEFT:
                self._left = {b""}  # which ones is not kept any more: any topic may have been left
            self._left.add(topic)
        else:
            self._topics[topic] -= 1

    def cover(self, topic: bytes) -> bool:
        """Whether every message whose first frame begins with ``topic`` is let through.

        Messages that arrive where no subscription was ever seen show that there were some before the socket was wrapped.
        """
        if not self._any_seen:
            return bool(topic)
        return any(topic.startswith(prefix) for prefix in self._topics)

    def was_left(self, topic: bytes) -> bool:
        """Whether a prefix of ``topic`` was unsubscribed from once, whatever has been subscribed to since."""
        return any(topic.startswith(prefix) for prefix in self._left)

    @property
    def topics(self) -> Counter[bytes]:
        """The prefixes subscribed to, and how often each is."""
        return self._topics.copy()


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
