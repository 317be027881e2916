"""A loss: numbers of a lane that are missing on one hop, however many receivers behind that hop lack them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """Numbers of a lane that did not pass a hop. ``part`` is as of Missing; ``before`` and ``after`` are the stream's numbers around them.

    What is said of a way, or of how its receiver got on, is of the receiver behind the hop of which it holds best: see ``losses.by_hop``.
    """

    stream: str
    lane: int
    first: int
    last: int
    from_socket: str
    to_socket: str
    hop_known: bool
    part: str
    before: int | None = None
    after: int | None = None
    before_sent_at: float | None = None
    after_sent_at: float | None = None
    seen_at: float | None = None
    seen_by: str | None = None
    """The receiver that saw it first."""
    took_over: bool = False
    """The hop leaves a proxy that came in another's place."""
    sparse: bool = False
    whole_first: int = 0
    """Where the range began before it was cut."""
    begins_at_onset: bool = False
    maybe_dropped: bool = False
    """An onset inside may be this hop's, or another's."""
    onset_number: int | None = None
    """The first onset in an end that was cut at it: its number in the stream, and when it was met."""
    onset_at: float | None = None
    moved_at: float | None = None
    """When the lane last came, and in any lane of the way: ``way_moved_at``."""
    heard_until: float | None = None
    way_moved_at: float | None = None
    way_newest_sent_at: float | None = None
    joined_before: bool = False
    joined_midway: bool = False
    got_of_stream: int = 0
    pace: float | None = None
    """Seconds a message."""
    reached: int = 0
    """The sum of the numbers that the receiver expects next in each of its lanes."""
    got_first_at: float | None = None
    subscribed_at: float | None = None
    unsubscribed: bool = False
    contested: bool = False
    owed_until: float | None = None
    """When all receivers had left, or unsubscribed."""

    @property
    def edge_of_stream(self) -> tuple[str, str, str]:
        return self.stream, self.from_socket, self.to_socket

    @property
    def messages(self) -> int:
        return self.last - self.first + 1
