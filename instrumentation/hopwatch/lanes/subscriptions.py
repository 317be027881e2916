"""What a filtering receiver has subscribed to."""

from __future__ import annotations

from collections import Counter

MOST_LEFT = 1_000


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
            self._leave(topic)
        else:
            self._topics[topic] -= 1

    def cover(self, topic: bytes) -> bool:
        """Whether every message whose first frame begins with ``topic`` is let through.

        Messages that arrive where no subscription was ever seen show that there were some before the socket was wrapped.
        """
        if not self._any_seen:
            return bool(topic)
        return any(topic.startswith(prefix) for prefix in self._topics)

    def _leave(self, topic: bytes) -> None:
        if len(self._left) >= MOST_LEFT:
            self._left = {b""}  # which ones is not kept any more: any topic may have been left
        self._left.add(topic)

    def was_left(self, topic: bytes) -> bool:
        """Whether a prefix of ``topic`` was unsubscribed from once, whatever has been subscribed to since."""
        return any(topic.startswith(prefix) for prefix in self._left)

    @property
    def topics(self) -> Counter[bytes]:
        """The prefixes subscribed to, and how often each is."""
        return self._topics.copy()
