"""What one step of judging a case hands to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hopwatch_judge.ranges import Ranges

LaneOfReceiver = tuple[str, str, int]
"""Stream, receiver, lane."""

IN_FLIGHT, UNEXPLAINED = "in_flight", "unexplained"
"""What stands for a cause where nothing is known to be lost."""


@dataclass(frozen=True, slots=True)
class Owed:
    """A lane that a receiver is owed, from 0 up to ``end``; from ``sure_end`` on it is not known whether it was owed.

    ``count``, ``first`` and ``next`` are what came of it; ``came``: how many of those came behind its last stamp.
    """

    stream: str
    receiver: str
    lane: int
    length: int
    count: int
    first: int
    next: int
    came: int
    newest_sent_at: float | None
    moved_at: float | None
    got_first_at: float | None
    sent: int
    receiver_left_first: bool
    owed_until: float | None
    """When the receiver left, or unsubscribed."""
    subscribed_at: float | None
    unsubscribed: bool
    sure_end: int
    joined_at_number: int | None
    """The lane's first number that was sent after the connection came up."""
    end: int
    by_count: bool
    contested: bool = False
    """Others had the same routing id, and may have got some of it."""
    heard_until: float | None = None
    """Until when the receiver is known, where it is open."""

    @property
    def key(self) -> LaneOfReceiver:
        return self.stream, self.receiver, self.lane


class Missing(NamedTuple):
    """Numbers of a lane that a receiver was owed and did not get.

    ``part``: "head" (before its first), "inner", "tail" (behind its last), "all" (nothing came), or "unsure" (not known whether they were owed).
    """

    stream: str
    receiver: str
    lane: int
    first: int
    last: int
    part: str
    before: int | None = None
    after: int | None = None
    before_sent_at: float | None = None
    after_sent_at: float | None = None
    seen_at: float | None = None
    sparse: bool = False

    @property
    def key(self) -> LaneOfReceiver:
        return self.stream, self.receiver, self.lane


class Piece(NamedTuple):
    """Missing numbers with the hop that lost them: the ``depth``-th of the way, or if not ``hop_known`` the first that may have."""

    missing: Missing
    length: int
    depth: int
    hop_known: bool
    from_socket: str
    to_socket: str
    took_over: bool
    """The hop leaves a proxy that came in another's place."""


class Account(NamedTuple):
    """Messages that a receiver did not get, on one hop and of one cause, IN_FLIGHT and UNEXPLAINED among those.

    ``mark`` tells the same messages of several receivers: a range of numbers, or a word. ``receiver`` and the hop are None where nobody knows them, and
    ``lane`` where they are in none.
    """

    stream: str
    receiver: str | None
    lane: int | None
    mark: str
    messages: int
    depth: int | None
    from_socket: str | None
    to_socket: str | None
    cause: str
    exact: bool
    started_at: float | None = None
    ended_at: float | None = None
    at_onset: bool = False


@dataclass(frozen=True)
class Expected:
    """What each receiver was owed and did not get, as far as it is known which numbers those are.

    ``unlocated`` are accounts of those of which only a count is known; ``unheard``: numbers that were sent since their receiver's host told of anything.
    ``routed`` are accounts of what ROUTERs swallowed, or sent to peers of which nothing tells.
    """

    owed: Mapping[LaneOfReceiver, Owed]
    ranges: Mapping[LaneOfReceiver, Ranges]
    """The numbers owed."""
    missing: Sequence[Missing]
    unlocated: Sequence[Account]
    unheard: Mapping[LaneOfReceiver, Ranges]
    routed: Sequence[Account]


@dataclass(frozen=True, slots=True)
class Pressure:
    """Rates (messages a second) of an edge of a stream that lost something, and whether its receiver met bursts or was too slow."""

    began_at: float | None = None
    last_sent_at: float | None = None
    in_bursts: bool = False
    """Losses took little of the time, and the receiver got over them."""
    most_of_the_time: bool = False
    """Losses are proven to have taken most of it."""
    mean_rate: float | None = None
    asked_rate: float | None = None
    asked_bytes: float | None = None
    capacity: float | None = None
    loss_share: float | None = None
    went_on: bool = False


class Overload(NamedTuple):
    """A stretch of losses in which a receiver was ``asked`` to read more than the most it ``read`` then (messages a second).

    ``clearly``: by so much that no way to measure makes up for it.
    """

    to_socket: str
    stretch: int
    since: float
    until: float
    asked: float
    read: float
    clearly: bool

    @property
    def seconds(self) -> float:
        return self.until - self.since


EdgeOfStream = tuple[str, str, str]
"""Stream, sending socket and receiving socket of a hop."""
