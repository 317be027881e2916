"""The books of a case: what each receiver got, and what passed each hop."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hopwatch_judge.known import Known
from hopwatch_judge.ranges import Range, length, merged
from hopwatch_judge.socket_types import BALANCED_TYPES
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Account, EdgeOfStream, Expected


class Delivered(NamedTuple):
    """How many messages of a stream a receiver got."""

    stream: str
    receiver: str
    delivered: int


class Passed(NamedTuple):
    """Messages of a stream on one hop: ``sent`` are those that came as far as it. The hop leads nowhere where ``to_socket`` is None, or empty."""

    stream: str
    from_socket: str
    to_socket: str | None
    sent: int
    delivered: int
    lost: int
    in_flight: int
    unexplained: int


@dataclass
class _Sums:
    lost: int = 0
    in_flight: int = 0
    unexplained: int = 0

    def add(self, account: Account) -> None:
        if account.cause == IN_FLIGHT:
            self.in_flight += account.messages
        elif account.cause == UNEXPLAINED:
            self.unexplained += account.messages
        else:
            self.lost += account.messages

    @property
    def missing(self) -> int:
        return self.lost + self.in_flight + self.unexplained


def delivered(known: Known, expected: Expected, came: Mapping[tuple[str, str], int]) -> list[Delivered]:
    """What each receiver got of the streams that are told of, with what ``came`` though its lanes do not tell; receivers that were owed none are left out."""
    got: defaultdict[tuple[str, str], int] = defaultdict(int)
    for each in expected.owed.values():
        got[each.stream, each.receiver] += each.count
    for way in known.case.ways:
        if known.socket(way.stream).type in BALANCED_TYPES:
            receipts = known.receipts_of.get((way.stream, way.receiver), ())
            got[way.stream, way.receiver] += sum(each.count + each.since for each in receipts)
    for key, count in came.items():
        got[key] += count
    return [Delivered(*key, count) for key, count in got.items() if is_told_of(known, key[0])]


def is_told_of(known: Known, stream: str) -> bool:
    """Whether the stream is of the window."""
    return known.case.window is None or stream in known.case.window


def passed(
    known: Known, expected: Expected, accounts: Sequence[Account], got: Iterable[Delivered]
) -> list[Passed]:
    """What came as far as each hop, and what became of it there."""
    sent = defaultdict(int, {(each.stream, each.receiver): each.delivered for each in got})
    for each in accounts:
        if each.receiver is not None:
            sent[each.stream, each.receiver] += each.messages
    entering = _entering(known, expected, accounts, sent)
    at_edge = _sums_by_edge(_once(accounts))
    before = _lost_before(known, accounts)
    found = []
    for edge, came in entering.items():
        sums = at_edge.get(edge, _Sums())
        reached = came - before.get(edge, 0)
        left = reached - sums.missing
        found.append(Passed(*edge, reached, left, sums.lost, sums.in_flight, sums.unexplained))
    return [*found, *_to_nobody(accounts)]


def _entering(
    known: Known, expected: Expected, accounts: Sequence[Account], sent: Mapping[tuple[str, str], int]
) -> dict[EdgeOfStream, int]:
    """What was sent for anyone behind each hop, whether it got that far or not."""
    entering: defaultdict[EdgeOfStream, int] = defaultdict(int)
    wanted: defaultdict[tuple[EdgeOfStream, int], list[Range]] = defaultdict(list)
    checked = {stream for stream, _, _ in (*expected.ranges, *expected.unheard)}
    inner: defaultdict[str, dict[EdgeOfStream, int]] = defaultdict(dict)
    for way in known.case.ways:
        if (way.stream, way.receiver) not in sent:
            continue
        last = (way.stream, *way.last.edge)
        entering[last] += sent[way.stream, way.receiver]
        for depth, hop in enumerate(way.hops[:-1], 1):
            edge = (way.stream, *hop.edge)
            inner[way.stream][edge] = depth
            if way.stream not in checked:
                entering[edge] += sent[way.stream, way.receiver]
                continue
            for lane in known.lanes_of.get(way.stream, ()):
                key = (way.stream, way.receiver, lane.lane)
                wanted[edge, lane.lane] += [*expected.ranges.get(key, ()), *expected.unheard.get(key, ())]
    for (edge, _), ranges in wanted.items():
        entering[edge] += length(merged(ranges))
    for edge, messages in _for_any(inner, accounts):
        entering[edge] += messages
    return dict(entering)


def _for_any(
    inner: Mapping[str, Mapping[EdgeOfStream, int]], accounts: Sequence[Account]
) -> Iterable[tuple[EdgeOfStream, int]]:
    """What was lost before a proxy of a stream that is shared out behind it: for whom it was is not known. It was sent along the hops before, too."""
    for each in accounts:
        edges = inner.get(each.stream, {})
        lost_at = edges.get((each.stream, each.from_socket or "", each.to_socket or ""))
        if each.receiver is None and lost_at is not None:
            yield from ((edge, each.messages) for edge, depth in edges.items() if depth <= lost_at)


def _lost_before(known: Known, accounts: Sequence[Account]) -> dict[EdgeOfStream, int]:
    """Of that, what did not get as far as the hop."""
    lost: dict[EdgeOfStream, set[tuple[int | None, str, int]]] = {}
    for each in accounts:
        way = known.way.get((each.stream, each.receiver or ""))
        if way is None or each.depth is None:
            continue
        for hop in way.hops[each.depth :]:
            lost.setdefault((each.stream, *hop.edge), set()).add((each.lane, each.mark, each.messages))
    return {edge: sum(messages for _, _, messages in told) for edge, told in lost.items()}


def _once(accounts: Iterable[Account]) -> Iterable[Account]:
    """Each run of messages once on its hop, however many receivers miss it."""
    return {
        (
            each.stream,
            each.lane,
            each.mark,
            each.from_socket,
            each.to_socket,
            each.cause,
            each.exact,
            each.messages,
        ): each
        for each in accounts
    }.values()


def _sums_by_edge(accounts: Iterable[Account]) -> dict[EdgeOfStream, _Sums]:
    found: dict[EdgeOfStream, _Sums] = {}
    for each in accounts:
        if each.from_socket is not None and each.to_socket is not None:
            found.setdefault((each.stream, each.from_socket, each.to_socket), _Sums()).add(each)
    return found


def _to_nobody(accounts: Iterable[Account]) -> list[Passed]:
    """Hops that lead nowhere: what a socket accepted and no known receiver was there for, or a ROUTER had no peer for."""
    found: dict[tuple[str, str, str | None], _Sums] = {}
    for each in _once(accounts):
        if each.from_socket is not None and not each.to_socket:
            found.setdefault((each.stream, each.from_socket, each.to_socket), _Sums()).add(each)
    return [
        Passed(*edge, sums.missing, 0, sums.lost, sums.in_flight, sums.unexplained)
        for edge, sums in found.items()
    ]
