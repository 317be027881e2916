"""Losses with all that bears on them, in few words: what a test does not say is as in a plain system that works.

A PUB ``x`` on a host has a SUB ``y`` beside it, connected and watched. Messages 10 to 19 of its only lane are missing, sent between 100 and 101 s; the case
ends at 200 s.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hopwatch_judge.case import Down, Lane, Link, Socket
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.loss import Loss
from hopwatch_judge.steps import Pressure

SENDER = Socket("x", type="PUB", node_type="PUB", host="h", opened_at=0.0, probed=True, sndhwm=1000)
RECEIVER = Socket("y", type="SUB", node_type="SUB", host="h", opened_at=0.0, rcvhwm=1000)
LINK = Link("x", "y", transport="tcp", mirrored=True, told=True, connected_at=1.0)
LANE = Lane("x", 0, sent=100, moved_at=150.0, moved_after=149.0, announced_at=2.0)
GAP = Loss(
    stream="x",
    lane=0,
    first=10,
    last=19,
    from_socket="x",
    to_socket="y",
    hop_known=True,
    part="inner",
    before=9,
    after=20,
    before_sent_at=100.0,
    after_sent_at=101.0,
    seen_at=101.0,
    seen_by="y",
    moved_at=150.0,
    way_moved_at=150.0,
    way_newest_sent_at=150.0,
    got_of_stream=90,
    reached=100,
    pace=0.5,
    got_first_at=3.0,
)
HEAD = replace(
    GAP,
    part="head",
    first=0,
    last=9,
    before=None,
    after=None,
    before_sent_at=None,
    after_sent_at=None,
    seen_at=None,
    seen_by=None,
)
TAIL = replace(GAP, part="tail", first=90, last=99, before=None, after=None, before_sent_at=140.0, after_sent_at=None, seen_at=None, seen_by=None,
               moved_at=140.0, way_moved_at=140.0, way_newest_sent_at=140.0)  # fmt: skip
ALL = replace(TAIL, part="all", first=0, last=99, before_sent_at=None, moved_at=None, way_moved_at=None, way_newest_sent_at=None, got_of_stream=0,
              reached=0, pace=None, got_first_at=None)  # fmt: skip
BY_PART = {"inner": GAP, "head": HEAD, "tail": TAIL, "all": ALL, "unsure": replace(TAIL, part="unsure")}
OVERLOADED = {"overloaded": True}
"""Its receiver was clearly asked to read more than it could."""


def down(start: float, end: float | None = None) -> tuple[Down, ...]:
    """One time in which a connection was down."""
    return (Down(start, end),)


def clues(
    part: str = "inner",
    *,
    sender: Mapping[str, Any] = {},
    receiver: Mapping[str, Any] = {},
    link: Mapping[str, Any] = {},
    lane: Mapping[str, Any] = {},
    loss: Mapping[str, Any] = {},
    **others: Any,
) -> Clues:
    """What is said, in place of what is so in a plain system; ``others`` are the clues' own."""
    own = replace(LANE, **lane)
    plain = Clues(
        loss=replace(BY_PART[part], **loss),
        sender=replace(SENDER, **sender),
        receiver=replace(RECEIVER, **receiver),
        link=replace(LINK, **link),
        lane=own,
        stream_sent=own.messages,
        stream_ended_at=sender.get("ended_at"),
        ends_at=200.0,
        guard=5.0,
        pressure=Pressure(),
    )
    return replace(plain, **others)
