"""Losses before and behind one proxy that nobody behind it tells apart: its counts say how many were which, in all, and no event says which."""

from collections.abc import Sequence
from itertools import chain

from hopwatch_simulate.edges import Edge
from hopwatch_simulate.fates import Fates
from hopwatch_simulate.messages import Message


def blur_in_series(into: Sequence[Edge], beyond: Sequence[Edge], fates: Fates) -> None:
    """The hops that lead ``into`` a proxy and ``beyond`` it become untraceable where both lost what nobody behind the proxy got."""
    if not all(edge.broadcast for edge in beyond):
        return
    lost: dict[int, set[Message]] = {}
    for (key, _), messages in fates.lost.items():
        lost.setdefault(key, set()).update(messages)
    got_by_somebody = set(chain.from_iterable(edge.read for edge in beyond))
    before = [edge for edge in into if lost.get(id(edge))]
    behind = [edge for edge in beyond if lost.get(id(edge), set()) - got_by_somebody]
    if not (before and behind):
        return
    hops = {(edge.sender.id, edge.receiver.id) for edge in (*into, *beyond)}
    for edge in (*before, *behind):
        fates.untraceable[id(edge)] |= hops
        fates.clear.discard(id(edge))
