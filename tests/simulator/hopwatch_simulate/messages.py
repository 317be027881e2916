"""Messages, and the lanes in which their senders number them."""

from dataclasses import dataclass
from datetime import datetime

WHOLE_STREAM = 4_294_967_295


@dataclass(frozen=True, eq=False)
class Message:
    """One message of a stream: its number there, and its lane's number. Each is one object on all its ways."""

    stream: str
    number: int
    lane: int
    lane_number: int
    topic: bytes
    frames: int
    size: int
    sent_at: float
    stamped_at: datetime | None
    """The sender's clock in the stamp; None where there is none."""

    @property
    def frames_on_the_wire(self) -> int:
        """Frames, the stamp counted."""
        return self.frames + (self.stamped_at is not None)


@dataclass
class SendingLane:
    """How far a sender has numbered a lane."""

    topic: bytes
    count: int = 0
    frames: int = 0


@dataclass
class ReceivingLane:
    """How far a receiver has got in a lane; ``last`` is the stamped message with its highest number, ``since`` how many came without a stamp after that."""

    count: int
    first: int
    last: Message
    since: int = 0

    def widen(self, message: Message) -> None:
        """Of a share: what comes over one connection may overtake what came over another."""
        self.first = min(self.first, message.lane_number)
        if message.lane_number > self.last.lane_number:
            self.last = message
