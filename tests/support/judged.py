"""Cases in few words: what a test does not say is as in a plain system that works.

A PUB ``x`` sent a SUB ``y`` 100 messages of the topic "ab", of which it subscribed to "a" at 1 s. All came. The case ends at 200 s.
"""

from typing import Any

from hopwatch_judge.case import Case, Hop, Lane, Receipt, Socket, Way
from hopwatch_judge.events import Progress, Subscribed
from hopwatch_judge.known import Known
from hopwatch_judge.loss import Loss

SENDER = Socket("x", type="PUB", node="x", node_type="PUB", host="h", opened_at=0.0, probed=True, sndhwm=10)
RECEIVER = Socket("y", type="SUB", node="y", node_type="SUB", host="h", opened_at=0.0, rcvhwm=10)
WAY = Way("x", "y", (Hop("x", "y", "tcp"),))
LANE = Lane("x", 0, topic="ab", sent=100, moved_at=150.0, moved_after=149.0, announced_at=2.0)
RECEIPT = Receipt(
    "x", 0, "y", count=100, first=0, next=100, newest_sent_at=150.0, moved_at=150.1, got_first_at=3.0
)
NOTHING_CAME = Receipt("x", 0, "y")
KEY = ("x", "y", 0)


def known(**parts: Any) -> Known:
    """Return the plain case with other parts, by the names of the fields of ``Case``; sockets are given as a list."""
    sockets = {each.id: each for each in (SENDER, RECEIVER, *parts.pop("sockets", ()))}
    links = {link.edge: link for link in parts.pop("links", ())}
    plain: dict[str, Any] = {
        "ways": (WAY,),
        "lanes": (LANE,),
        "receipts": (RECEIPT,),
        "subscribed": (wants("a"),),
        "totals": {},
    }
    return Known(Case(200.0, 5.0, sockets, links, **plain | parts))


def wants(topic: str, at: float = 1.0, n: int | None = None) -> Subscribed:
    """Return that y subscribed to a topic."""
    return Subscribed("y", topic, subscribes=True, at=at, n=n)


def leaves(topic: str, at: float, n: int | None = None) -> Subscribed:
    """Return that y unsubscribed from it."""
    return Subscribed("y", topic, subscribes=False, at=at, n=n)


def sample(
    at: float, numbered: int, n: int | None = None, *, lane: int = 0, kind: str = "sample"
) -> Progress:
    """Return how far x had numbered a lane."""
    return Progress("x", lane, at, kind, n, numbered)


def lost(first: int, last: int, since: float, until: float, **fields: Any) -> Loss:
    """Return that y lacks numbers of lane 0 of x, between two messages that were sent at those times and read at once."""
    plain: dict[str, Any] = {
        "stream": "x",
        "lane": 0,
        "from_socket": "x",
        "to_socket": "y",
        "hop_known": True,
        "part": "inner",
        "before": first - 1,
        "after": last + 1,
        "before_sent_at": since,
        "after_sent_at": until,
        "seen_at": until,
        "seen_by": "y",
    }
    return Loss(first=first, last=last, **plain | fields)
