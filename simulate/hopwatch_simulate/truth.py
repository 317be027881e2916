"""The truth of a fleet: read off what happened to each message, with the books of every stream and receiver."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hopwatch_simulate.edges import Edge, Passage
from hopwatch_simulate.messages import Message
from hopwatch_simulate.site import Site
from hopwatch_simulate.sockets import Socket

Json = dict[str, Any]
Way = tuple[Edge, ...]
FULL = ("slow_receiver", "hwm_too_low", "network")


@dataclass
class Books:
    """What became of the messages of one stream that one receiver was owed."""

    stream: Socket
    receiver: Socket
    sent: int = 0
    delivered: int = 0
    lost: int = 0
    in_flight: int = 0


@dataclass
class Fates:
    """Books of all streams and receivers; the messages lost on each edge, by cause, each of them once."""

    books: list[Books] = field(default_factory=list)
    lost: dict[tuple[int, str], set[Message]] = field(default_factory=lambda: defaultdict(set))
    edges: dict[int, Edge] = field(default_factory=dict)


def truth_of(site: Site) -> Json:
    """Everything to hold a report against; call it once, when all is over."""
    passages = {passage.socket.id: passage for passage in site.passages()}
    for passage in passages.values():
        passage.settle()
    behind = {proxy.front.id: passages[proxy.back.id] for proxy in site.proxies}
    fates = Fates()
    for passage in passages.values():
        for way in _ways(passage, behind):
            _follow(passage, way, fates)
    refused = [
        {"socket": socket.id, "name": socket.name, "messages": socket.counters["eagain_sends"]}
        for socket in (passage.socket for passage in passages.values())
        if socket.counters["eagain_sends"]
    ]
    return {
        "ledger": [_ledger_row(books) for books in fates.books],
        "hops": list(_hops(fates, site)),
        "refused": refused,
    }


def _ways(passage: Passage, behind: dict[str, Passage]) -> Iterator[Way]:
    own_stream = passage.socket.sending or not passage.socket.stamps
    if own_stream and passage.socket.kind != "XPUB":
        yield from _onward(passage, behind)


def _onward(passage: Passage, behind: dict[str, Passage]) -> Iterator[Way]:
    for edge in passage.edges:
        if edge.receiver.id in behind:
            yield from ((edge, *rest) for rest in _onward(behind[edge.receiver.id], behind))
        elif edge.spells or edge.taken:
            yield (edge,)


def _follow(passage: Passage, way: Way, fates: Fates) -> None:
    books = Books(passage.socket, way[-1].receiver)
    for _, message in passage.passed:
        _account(message, way, books, fates)
    if books.sent:
        fates.books.append(books)


def _account(message: Message, way: Way, books: Books, fates: Fates) -> None:
    spells = way[-1].spells
    left_at = spells[-1][1] if spells else None
    for edge in way:
        if message in edge.lost:
            if left_at is None or message.sent_at < left_at:
                books.sent += 1
                books.lost += 1
                fates.edges[id(edge)] = edge
                fates.lost[id(edge), edge.lost[message]].add(message)
            return
        if message not in edge.taken:
            return  # not owed
        if message not in edge.read:
            books.sent += 1
            books.in_flight += 1
            return
    books.sent += 1
    books.delivered += 1


def _ledger_row(books: Books) -> Json:
    ends = (books.stream, books.receiver)
    return {
        "stream": books.stream.id,
        "name": books.stream.name,
        "receiver": books.receiver.id,
        "receiver_name": books.receiver.name,
        "sent": books.sent,
        "delivered": books.delivered,
        "lost": books.lost,
        "in_flight": books.in_flight,
        "open": any(each.ended is None for each in ends),
        "knowable": all(each.stamps and not each.process.dark for each in ends),
    }


def _hops(fates: Fates, site: Site) -> Iterator[Json]:
    sides = {side.id: proxy for proxy in site.proxies for side in (proxy.front, proxy.back)}

    def node(socket: Socket) -> Json:
        proxy = sides.get(socket.id)
        sockets = [proxy.front.id, proxy.back.id] if proxy else [socket.id]
        return {"name": proxy.name if proxy else socket.name, "sockets": sockets}

    for key, edge in fates.edges.items():
        causes = {cause: lost for (of_edge, cause), lost in fates.lost.items() if of_edge == key}
        stamped = all(message.stamped_at for lost in causes.values() for message in lost)
        known = stamped and not (edge.sender.process.dark or edge.receiver.process.dark)
        doubtful = _doubtful(edge, causes)
        yield {
            "from": node(edge.sender),
            "to": node(edge.receiver),
            "lost": sum(len(lost) for lost in causes.values()),
            "knowable": known,
            "causes": [
                {
                    "cause": cause,
                    "lost": len(lost),
                    "knowable": known and cause not in doubtful,
                    "ranges": _ranges(lost),
                }
                for cause, lost in causes.items()
            ],
        }


def _doubtful(edge: Edge, causes: dict[str, set[Message]]) -> set[str]:
    """Causes between which no event can tell: of what was lost behind the last message that was read, some was dropped at a
    full pipe, and some taken by it again and lost with it.
    """
    last: dict[str, int] = {}
    for message in edge.read:
        last[message.stream] = max(message.number, last.get(message.stream, -1))
    at_the_end = {
        cause
        for cause, lost in causes.items()
        if any(each.number > last.get(each.stream, -1) for each in lost)
    }
    return at_the_end if len(at_the_end) > 1 and at_the_end & set(FULL) else set()


def _ranges(messages: Iterable[Message]) -> list[Json]:
    lanes: dict[tuple[str, int], list[int]] = defaultdict(list)
    for message in messages:
        lanes[message.stream, message.lane].append(message.lane_number)
    return [
        {"stream": stream, "lane": lane, "first": first, "last": last}
        for (stream, lane), numbers in sorted(lanes.items())
        for first, last in _runs(sorted(numbers))
    ]


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    breaks = [position for position, (one, next_) in enumerate(pairwise(numbers), 1) if next_ != one + 1]
    for start, end in pairwise([0, *breaks, len(numbers)]):
        yield numbers[start], numbers[end - 1]
