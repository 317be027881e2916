"""Streams that are shared out, in few words: what a test does not say is as in a plain system.

A PUSH ``x`` (SNDHWM 20) is bound and sent 100 messages, the last one at 150 s. Of those its PULLs (RCVHWM 10) got as many as is said, the last
ones at 150.1 s. Nobody is gone when the case ends at 200 s.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hopwatch_judge.case import Case, Hop, Lane, Link, Receipt, Socket, Way
from hopwatch_judge.expected.sparse import narrowed
from hopwatch_judge.known import Known
from hopwatch_judge.placing.proxy_counts import Arrivals
from hopwatch_judge.shared_out.shared_out import accounts
from hopwatch_judge.steps import Account

SENDER = Socket("x", type="PUSH", host="h", opened_at=0.0, sndhwm=20)
LANE = Lane("x", 0, sent=100, frames_each=1.0, moved_at=150.0)
AS_IT_IS: Mapping[str, Any] = {}

DIED = {"end": "died", "ended_at": 160.0}
CLOSED = {"end": "closed", "ended_at": 160.0}
READ_ALL = {**CLOSED, "unread": False}
LEFT_SOME = {**CLOSED, "unread": True}
WENT_FIRST = {"receiver_left_first": True, "left_at": 160.0}
"""Of the way of a receiver that ended before its sender did."""


@dataclass(frozen=True)
class Pull:
    """A receiver, what it got, and the fields in which it differs. ``reached``: how many had been sent up to the last that it got (None: as many as it got)."""

    name: str
    got: int
    reached: int | None = None
    socket: Mapping[str, Any] = field(default_factory=dict)
    link: Mapping[str, Any] = field(default_factory=dict)
    way: Mapping[str, Any] = field(default_factory=dict)
    receipt: Mapping[str, Any] = field(default_factory=dict)
    hops: tuple[Hop, ...] = ()

    @property
    def path(self) -> tuple[Hop, ...]:
        return self.hops or (Hop("x", self.name, "tcp"),)


def died(name: str, got: int, reached: int | None = None, **others: Any) -> Pull:
    """Return a receiver that died before its sender went."""
    plain: dict[str, Any] = {"socket": DIED, "way": WENT_FIRST}
    return Pull(name, got, reached, **plain | others)


def case(
    *pulls: Pull,
    sender: Mapping[str, Any] = AS_IT_IS,
    lane: Mapping[str, Any] = AS_IT_IS,
    sockets: tuple[Socket, ...] = (),
    links: tuple[Link, ...] = (),
    **parts: Any,
) -> Known:
    """Return what is known of the stream to these receivers; ``parts`` are fields of the case."""
    own = [_last_link(pull) for pull in pulls]
    plain: dict[str, Any] = {
        "sockets": {each.id: each for each in (replace(SENDER, **sender), *map(_socket, pulls), *sockets)},
        "links": {link.edge: link for link in (*own, *links)},
        "ways": tuple(_way(pull) for pull in pulls),
        "lanes": (replace(LANE, **lane),),
        "receipts": tuple(_receipt(pull) for pull in pulls),
        "totals": {},
    }
    return Known(Case(200.0, 5.0, **plain | parts))


def told(known: Known, arrivals: Mapping[str, Arrivals] = AS_IT_IS) -> list[Account]:
    """Return the accounts of the case."""
    return accounts(known, arrivals, narrowed(known))


def lost(*pulls: Pull, **others: Any) -> list[str]:
    """Return what the stream lacks: each mark with its receiver, how many, the cause, and whether that is exact."""
    return sorted(map(_in_words, told(case(*pulls, **others))))


def lost_on_hops(known: Known, arrivals: Mapping[str, Arrivals] = AS_IT_IS) -> list[str]:
    """Return it with the hop that lost it."""
    return sorted(f"{_in_words(each)}, {each.from_socket}-{each.to_socket}" for each in told(known, arrivals))


def _in_words(account: Account) -> str:
    return f"{account.mark}: {account.messages} {account.cause}{' exactly' if account.exact else ''}"


def _socket(pull: Pull) -> Socket:
    plain = Socket(pull.name, type="PULL", host="h", opened_at=0.0, rcvhwm=10)
    return replace(plain, **pull.socket)


def _last_link(pull: Pull) -> Link:
    plain = Link(*pull.path[-1].edge, transport="tcp", mirrored=True, told=True, sender_connects=False, connected_at=1.0)  # fmt: skip
    return replace(plain, **pull.link)


def _way(pull: Pull) -> Way:
    return replace(Way("x", pull.name, pull.path), **pull.way)


def _receipt(pull: Pull) -> Receipt:
    reached = pull.got if pull.reached is None else pull.reached
    plain = Receipt("x", 0, pull.name, count=pull.got, next=reached, moved_at=150.1, got_first_at=3.0)
    return replace(plain, **pull.receipt)
