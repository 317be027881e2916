"""Receivers behind proxies in few words, where a test says only how its system differs from the plain one.

A PUB ``x`` sends messages 0 to 99 of one lane, number n at n seconds, through a proxy of ``f`` and ``b`` to
the SUBs ``y`` and ``z``. All are on one host. Nobody probes ``x`` or reports connections. The case ends at
200 s.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hopwatch_judge.case import Case, Down, Hop, Lane, Link, Socket, Totals, Way
from hopwatch_judge.events import Onset, Progress
from hopwatch_judge.known import Known
from hopwatch_judge.placing.placing import placed
from hopwatch_judge.ranges import Ranges
from hopwatch_judge.steps import Expected, LaneOfReceiver, Missing, Owed

SENDER = Socket("x", type="PUB", host="h")
FRONT = Socket("f", type="XSUB", host="h", passes_to="b")
RECEIVER = Socket("y", type="SUB", host="h")
LANE = Lane("x", 0, sent=100, frames_each=1.0, moved_at=99.0)
TO_Y = Way("x", "y", (Hop("x", "f"), Hop("b", "y")))
TO_Z = Way("x", "z", (Hop("x", "f"), Hop("b", "z")))
OWED = Owed(
    stream="x",
    receiver="y",
    lane=0,
    length=2,
    count=90,
    first=0,
    next=100,
    came=0,
    newest_sent_at=99.0,
    moved_at=99.0,
    got_first_at=0.0,
    sent=100,
    receiver_left_first=False,
    owed_until=None,
    subscribed_at=None,
    unsubscribed=False,
    sure_end=100,
    joined_at_number=None,
    end=100,
    by_count=False,
)
BOTH = ("y", "z")
Placed = tuple[str, int, int, int, bool]
"""Receiver, first, last, depth of the hop, and whether that is known."""


def lacks(receiver: str, first: int, last: int, part: str = "inner", **fields: Any) -> Missing:
    """Return that a receiver lacks numbers of lane 0, by default between the messages beside them."""
    around: dict[str, Any] = {"before": first - 1, "before_sent_at": float(first - 1)}
    if part == "inner":
        around |= {"after": last + 1, "after_sent_at": float(last + 1)}
    return Missing("x", receiver, fields.pop("lane", 0), first, last, part, **around | fields)


def both_lack(first: int, last: int, part: str = "inner", **fields: Any) -> list[Missing]:
    """Return that y and z lack the same."""
    return [lacks(receiver, first, last, part, **fields) for receiver in BOTH]


def known(*, came: int | None = None, **parts: Any) -> Known:
    """Return the plain case with other parts. ``came``: frames that ``f`` counted, if anybody says so."""
    plain = (SENDER, FRONT, Socket("b", passes_to="f"), RECEIVER, replace(RECEIVER, id="z"))
    sockets = {each.id: each for each in (*plain, *parts.pop("sockets", ()))}
    links = {link.edge: link for link in parts.pop("links", ())}
    counted = {} if came is None else {"f": Totals("f", proxied_in_frames=came)}
    totals = {"x": Totals("x", sent=100)} | counted | parts.pop("totals", {})
    fields: dict[str, Any] = {"ways": (TO_Y, TO_Z), "lanes": (LANE,), "receipts": ()}
    return Known(Case(200.0, 5.0, sockets, links, totals=totals, **fields | parts))


def expected(
    case: Known,
    missing: Iterable[Missing],
    *,
    changes: Mapping[str, Mapping[str, Any]] | None = None,
    ranges: Mapping[str, Ranges] | None = None,
) -> Expected:
    """Return that each receiver was owed each lane as a whole. ``changes`` to that, and ranges: by receiver."""
    owed = {
        (way.stream, way.receiver, lane.lane): replace(
            OWED, receiver=way.receiver, lane=lane.lane, length=way.length, **(changes or {}).get(way.receiver, {})
        )
        for way in case.case.ways
        for lane in case.case.lanes
    }  # fmt: skip
    due: dict[LaneOfReceiver, Ranges] = {key: (ranges or {}).get(key[1], ((0, 99),)) for key in owed}
    return Expected(owed, due, list(missing), [], {}, [])


def hops(missing: Iterable[Missing], **parts: Any) -> list[Placed]:
    """Return on which hop each piece was lost. ``changes`` and ranges are of the owed, all else of the case."""
    of_owed = {name: parts.pop(name) for name in ("changes", "ranges") if name in parts}
    case = known(**parts)
    pieces = placed(case, expected(case, missing, **of_owed))
    return sorted(
        (each.missing.receiver, each.missing.first, each.missing.last, each.depth, each.hop_known)
        for each in pieces
    )


def hop_of_both(missing: Iterable[Missing], **parts: Any) -> tuple[int, bool]:
    """Return on which hop all pieces were lost; they must agree."""
    (hop,) = {(depth, hop_known) for *_, depth, hop_known in hops(missing, **parts)}
    return hop


def full_at(
    number: int, *, lane: int = 0, stream_number: int | None = None, at: float | None = None
) -> Onset:
    """Return that a message of x met a full pipe."""
    in_stream = number if stream_number is None else stream_number
    return Onset("x", in_stream, lane, number, float(number) if at is None else at)


def into_proxy(*downs: tuple[float, float | None], **fields: Any) -> Link:
    """Return the link from x to the proxy, with times in which it was down."""
    return Link("x", "f", told=True, downs=tuple(Down(*each) for each in downs), **fields)


def sample(n: int, numbered: int, lane: int = 0, kind: str = "sample") -> Progress:
    """Return that x had numbered a lane so far, in its n-th event."""
    return Progress("x", lane, float(n), kind, n, numbered)
