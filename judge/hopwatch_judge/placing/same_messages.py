"""What is true of the same messages for all who are behind a hop, and not at one of its receivers alone."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import inf
from typing import NamedTuple

from hopwatch_judge.case import Down, Edge
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.optional import highest, lowest
from hopwatch_judge.placing.open_piece import Messages, OpenPiece
from hopwatch_judge.resting import idle_between
from hopwatch_judge.steps import Expected, LaneOfReceiver
from hopwatch_judge.thresholds import UNDER_WAY


class Seen(NamedTuple):
    """Facts of messages that may have been lost on one hop.

    ``alone``: no other proxy was beside this one, whose counts would miss what went through the other.
    ``in_a_cut``: all may have been lost with the hop's connection. ``ends_by_leaving``: all who lack them
    left then. ``handed``: they were sent after the proxy had replaced another.
    """

    alone: bool
    in_a_cut: bool
    ends_by_leaving: bool
    handed: bool


def seen_at(
    known: Known, pieces: Iterable[OpenPiece], left: Mapping[LaneOfReceiver, bool], depth: int
) -> dict[Messages, Seen]:
    """Return the facts of all messages that are open at this depth. ``left``: see ``left_with_some``."""
    asked = by_key((each for each in pieces if each.is_open_at(depth)), lambda each: each.messages(depth))
    connections: dict[Edge, _Connection] = {}
    found = {}
    for messages, same in asked.items():
        edge = messages[2]
        if edge not in connections:
            connections[edge] = _connection(known, edge)
        # the same messages were sent no earlier and no later, whichever receiver reports it
        sent_from = highest(each.missing.before_sent_at for each in same)
        sent_to = lowest(each.missing.after_sent_at for each in same)
        cut = _may_have_taken_all(connections[edge].downs, sent_from, sent_to)
        # a receiver that came later was not sent them, and says nothing of others
        leaving = [each.is_end and left[each.missing.key] for each in same if each.missing.part != "head"]
        found[messages] = Seen(
            alone=not any(each.way.hops[depth - 1].replaced for each in same),
            in_a_cut=cut and not all(_went_with_the_proxy(connections[edge], each) for each in same),
            ends_by_leaving=bool(leaving) and all(leaving),
            handed=any(each.handed for each in same),
        )
    return found


def left_with_some(known: Known, expected: Expected) -> dict[LaneOfReceiver, bool]:
    """Return whether the receiver of each lane left before its sender, and may not have read all.

    A receiver had read all if it was closed with nothing left to read when nothing had been sent to it for a
    while, and nothing had come.
    """
    last_sent_at = {
        stream: highest(lane.moved_at for lane in lanes) for stream, lanes in known.lanes_of.items()
    }
    found = {}
    ways = by_key(expected.owed.values(), lambda owed: (owed.stream, owed.receiver))
    for (stream, name), lanes in ways.items():
        receiver = known.socket(name)
        read_all = (
            receiver.end == "closed"
            and receiver.unread is False
            and idle_between(highest(each.moved_at for each in lanes), receiver.ended_at)
            and idle_between(last_sent_at.get(stream), receiver.ended_at)
        )
        found.update({each.key: each.receiver_left_first and not read_all for each in lanes})
    return found


class _Connection(NamedTuple):
    """The connection of a hop into a proxy.

    ``downs`` are its downs in the order of their starts, each as its start and the latest end of any that
    began by then. ``gone_from``: when it was last up again, if the proxy has ended (else None).
    """

    downs: Sequence[tuple[float, float]]
    gone_from: float | None


def _connection(known: Known, edge: Edge) -> _Connection:
    link = known.link(edge)
    ended = link.told and known.socket(edge[1]).ended_at is not None
    mended = max((down.end for down in link.downs if down.end is not None), default=-inf)
    return _Connection(_in_order(link.downs), mended if ended else None)


def _in_order(downs: Iterable[Down]) -> list[tuple[float, float]]:
    in_order = sorted((down.start, inf if down.end is None else down.end) for down in downs)
    return list(accumulate(in_order, lambda sofar, down: (down[0], max(sofar[1], down[1]))))


def _may_have_taken_all(
    downs: Sequence[tuple[float, float]], sent_from: float | None, sent_to: float | None
) -> bool:
    """Return whether all was sent while the connection was down, shortly before, or just as it came back."""
    if sent_from is None:
        return False
    began_by, ended_from = sent_from + UNDER_WAY, sent_from
    if sent_to is not None:
        began_by, ended_from = min(began_by, sent_to), max(ended_from, sent_to - UNDER_WAY)
    at = bisect_right(downs, began_by, key=lambda down: down[0])
    return at > 0 and downs[at - 1][1] >= ended_from


def _went_with_the_proxy(connection: _Connection, piece: OpenPiece) -> bool:
    """Return whether the connection went down for good when the proxy ended.

    All connections of the proxy did then. Messages that had not arrived may have been before it, in it or
    behind it.
    """
    if connection.gone_from is None or not piece.is_end:
        return False
    before = piece.missing.before_sent_at
    return before is None or connection.gone_from < before
