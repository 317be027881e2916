"""What really became of each message on each hop: written down where it happens, never read off any row."""

from dataclasses import dataclass, field

from hopwatch_simulate.messages import Message
from hopwatch_simulate.sockets import Socket


@dataclass
class Edge:
    """A sending socket and a receiving one that were connected at some time.

    ``full`` is the cause of what the sender drops at a full pipe of this edge. ``spells`` are the times (from, to) in
    which the sender knew the receiver's subscriptions; the last one is open while ``until`` is None.
    """

    sender: Socket
    receiver: Socket
    full: str
    topics: set[bytes] = field(default_factory=set)
    lost: dict[Message, str] = field(default_factory=dict)
    taken: set[Message] = field(default_factory=set)
    read: set[Message] = field(default_factory=set)
    spells: list[list[float | None]] = field(default_factory=list)

    @property
    def shared_out(self) -> bool:
        return self.sender.kind in ("PUSH", "DEALER", "REQ")

    def join(self, now: float) -> None:
        """The sender learns of the receiver."""
        self.spells.append([now, None])

    def leave(self, now: float) -> None:
        """The sender learns that the receiver is gone."""
        if self.spells and self.spells[-1][1] is None:
            self.spells[-1][1] = now

    def fate_of_unsent(self, message: Message, passed_at: float) -> str | None:
        """Why a message that the sender had, and did not send this way, is lost to the receiver; None: it is not owed to it."""
        starts = [start for start, _ in self.spells if start is not None]
        last_end = self.spells[-1][1] if self.spells else None
        if not starts or not any(message.topic.startswith(prefix) for prefix in self.topics):
            return None
        if passed_at < starts[0]:
            return "slow_joiner"
        if last_end is not None and passed_at >= last_end:
            return None
        return "reconnect"


@dataclass
class Passage:
    """A socket that passes messages on, as their sender or as a proxy's backend: all of them, in order, with their times."""

    socket: Socket
    passed: list[tuple[float, Message]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def settle(self) -> None:
        """At the end of all: what was sent to nobody is lost to those who joined later or came back."""
        for edge in self.edges:
            if edge.shared_out:
                continue
            for passed_at, message in self.passed:
                if message not in edge.taken and message not in edge.lost:
                    why = edge.fate_of_unsent(message, passed_at)
                    if why is not None:
                        edge.lost[message] = why
