"""What really became of each message on each hop: written down where it happens, never read off any row."""

from dataclasses import dataclass, field

from hopwatch_simulate.messages import Message
from hopwatch_simulate.sockets import BROADCASTING, Socket


@dataclass(frozen=True)
class Nobody:
    """Stands for the receiver of what a ROUTER was to send to a peer that it never had."""

    id: str = ""
    name: None = None
    ended: str = "never there"
    numbers: bool = True
    dark: bool = False


@dataclass
class Spell:
    """A time in which the sender knew the receiver's subscriptions; the last one is open while ``until`` is None.

    ``meanwhile`` is why what is sent from then on is lost, until the next spell; None: the receiver is not owed it.
    """

    since: float
    until: float | None = None
    meanwhile: str | None = None


@dataclass
class Edge:
    """A sending socket and a receiving one that were connected at some time.

    ``full`` is the cause of what the sender drops at a full pipe of this edge. ``again``: the receiver was connected to the
    same place before. ``masked``: neither end saw the other's address. ``network_told``: an agent saw that the network was the limit. ``kept``: the receiver is gone, and the
    sender, which connected and shares its messages out, has what it had queued for it. ``outlived``: the receiver went later than its sender, which was killed, with
    some left of that; ``told_unread``: and said that some of it was in its inbox. ``gone_at``: when the sender knew that the receiver was gone, or if it was not connected, when that left.
    """

    sender: Socket
    receiver: Socket | Nobody
    full: str
    again: bool = False
    masked: bool = False
    network_told: bool = False
    kept: bool = False
    outlived: bool = False
    told_unread: bool = False
    identity: bytes = b""
    gone_at: float | None = None
    topics: set[bytes] = field(default_factory=set)
    lost: dict[Message, str] = field(default_factory=dict)
    taken: set[Message] = field(default_factory=set)
    read: set[Message] = field(default_factory=set)
    spells: list[Spell] = field(default_factory=list)

    @property
    def broadcast(self) -> bool:
        """Every receiver is owed all, and not the one alone to whom the sender gives a message."""
        return self.sender.kind in BROADCASTING

    def join(self, now: float) -> None:
        """The sender learns of the receiver."""
        self.spells.append(Spell(now))

    def leave(self, now: float, meanwhile: str | None = None) -> None:
        """The connection is gone; why what is sent until it is there again is lost."""
        if self.spells and self.spells[-1].until is None:
            self.spells[-1].until, self.spells[-1].meanwhile = now, meanwhile

    def gone(self, now: float) -> None:
        """The receiver is gone: it is owed nothing more."""
        self.leave(now)
        if self.gone_at is None:
            self.gone_at = now

    def owed(self, message: Message) -> bool:
        """Whether it was sent before the receiver was gone."""
        return not self.broadcast or self.gone_at is None or message.sent_at < self.gone_at

    def fate_of_unsent(self, message: Message, passed_at: float) -> str | None:
        """Why a message that the sender had, and did not send this way, is lost to the receiver; None: it is not owed to it."""
        if not self.spells or not any(message.topic.startswith(prefix) for prefix in self.topics):
            return None
        if passed_at < self.spells[0].since:
            return "reconnect" if self.again else "slow_joiner"
        before = [spell for spell in self.spells if spell.since <= passed_at][-1]
        return None if before.until is None or passed_at < before.until else before.meanwhile


@dataclass
class Passage:
    """A socket that passes messages on, as their sender or as a proxy's backend: all of them, in order, with their times."""

    socket: Socket
    passed: list[tuple[float, Message]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    nobody: Edge | None = None
    """Of a ROUTER: what went to a peer that was not there, unless one of that routing id came later."""

    def swallow(self, message: Message) -> None:
        """It was sent to a peer that is not there."""
        if self.nobody is None:
            self.nobody = Edge(self.socket, Nobody(), "unroutable")
            self.edges.append(self.nobody)
        self.nobody.lost[message] = "unroutable"

    def found(self, edge: Edge) -> None:
        """A peer came: what was swallowed that was for its routing id is what it was not sent."""
        for message in list(self.nobody.lost) if self.nobody else ():
            if self.nobody and message.topic == edge.identity:
                edge.lost[message] = self.nobody.lost.pop(message)

    def settle(self) -> None:
        """At the end of all: what was sent to nobody is lost to those who joined later or came back."""
        for edge in self.edges:
            if not edge.broadcast:
                continue
            for passed_at, message in self.passed:
                if message not in edge.taken and message not in edge.lost:
                    why = edge.fate_of_unsent(message, passed_at)
                    if why is not None:
                        edge.lost[message] = why
