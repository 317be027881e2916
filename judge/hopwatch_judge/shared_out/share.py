"""Records of a stream that is shared out among receivers: what was sent, what each receiver has, and the totals.

Each message goes to one of the receivers, so only the totals show what is missing. Counts are of messages.
"""

from dataclasses import dataclass

from hopwatch_judge.case import Edge, Link, Socket, Way

LEFT, UNREAD, REST, OVERTAKEN, KEPT = "left", "unread", "rest", "overtaken", "kept"
"""Marks of parts: with a receiver that left or was cut off, in the inbox of one that was closed, the rest that the one receiver lacks, what later
messages overtook, and what the sender may have kept in its queue.
"""
IN_THE_CUT, AROUND, CONFLATED, ANY = "cut", "around", "conflated", "any"
"""Lost in a cut, in it or with an end later, thrown away for newer messages, and what any receiver may have lost."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What the sender of a stream sent, without what it may have sent since a receiver's host was last heard of.

    ``until`` is when it was seen to send the last one. ``all_counted``: the socket's own counts are of these messages alone.
    """

    sender: Socket
    messages: int
    frames_each: float | None = None
    until: float | None = None
    all_counted: bool = True


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a stream that one receiver has.

    ``feeder`` is the sending end of the last hop, ``link`` the connection there. ``reached`` is how many messages had been sent up to the last one that
    came, or no fewer, where several lanes have numbers of their own.
    """

    sent: Sent
    way: Way
    receiver: Socket
    feeder: Socket
    link: Link
    delivered: int = 0
    reached: int = 0
    moved_at: float | None = None
    linked: bool = True
    """It is known how the last hop is connected."""
    reads_on: bool = False
    """The receiver is there, and is taken to go on where the case ends."""
    watched: bool = True
    """No connection of the way went down unseen."""
    conflates: bool = False
    """An end of the last hop keeps the newest message only."""
    cut_depths: frozenset[int] = frozenset()
    """The hops before the last whose connection was cut."""
    relay_gone: bool = False
    """A proxy of the way ended while the receiver was there."""
    succeeded: bool = False
    """A later receiver at the same place got a newer message: the queue for that place held none of what is missing."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A stream with all its shares, and the totals by which each share is judged."""

    sent: Sent
    shares: tuple[Share, ...]
    missing: int
    """Without those of ``lost_before``."""
    highest: int = 0
    """The most that any receiver reached."""
    suspects: int = 0
    """Receivers that may have lost some: they left with some unread, or were cut off. ``gone``: those of them that did not come back."""
    gone: int = 0
    conflates: bool = False
    all_watched: bool = True
    unsure: bool = False
    """Nothing tells whether the sender or a receiver went first."""
    unknown_peers: bool = False
    """Peers that report nothing may have got some; ``perhaps_others``: nothing tells whether there are such."""
    perhaps_others: bool = False
    sent_when_left: int | None = None
    """How many had been sent when the last receiver left that takes no more; ``sent_when_mended``: when the last connection was back."""
    sent_when_mended: int | None = None
    lost_before: int = 0
    """Messages lost in cuts before proxies, as later ones overtook them."""
    never_arrived: int | None = None
    """Messages that did not come to the last proxy; None where proxies' counts do not tell. ``never_arrived_first``: to the first one."""
    never_arrived_first: int | None = None

    @property
    def stream(self) -> str:
        return self.sent.sender.id

    @property
    def only_share(self) -> Share | None:
        return self.shares[0] if len(self.shares) == 1 else None


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the missing messages, with one cause. ``share`` is whose they were; None: nobody knows. ``sure``: nothing else explains them."""

    share: Share | None
    messages: int
    cause: str
    mark: str
    sure: bool = False


@dataclass(frozen=True, slots=True)
class ProxyHop:
    """A hop into a proxy, and how many messages had come to its sending end and did not come over it.

    ``exact``: that is a whole number of messages, and nothing else is counted with them.
    """

    depth: int
    edge: Edge
    lacking: int
    exact: bool = True
