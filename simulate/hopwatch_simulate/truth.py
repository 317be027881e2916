"""The truth of a fleet: read off what happened to each message, with the books of every stream and receiver."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter
from typing import Any

from hopwatch_simulate.edges import Edge, Nobody, Passage
from hopwatch_simulate.messages import Message
from hopwatch_simulate.site import Site
from hopwatch_simulate.sockets import Socket

Json = dict[str, Any]
Way = tuple[Edge, ...]
FULL = ("slow_receiver", "hwm_too_low", "network")
PROXIED = ("XSUB", "XPUB")


@dataclass
class Books:
    """What became of the messages of one stream that one receiver was owed."""

    stream: Socket
    receiver: Socket | Nobody
    sent: int = 0
    delivered: int = 0
    lost: int = 0
    in_flight: int = 0
    unseen: int = 0
    """Of those lost, what no later message has shown yet: both ends are open."""
    traceable: bool = True
    """Some event tells whose messages the receiver got."""
    counted: bool = True
    """Some event tells how much had been sent when the receiver left: not so behind a proxy, while the stream goes on."""


LOST, IN_FLIGHT, DELIVERED = range(3)


@dataclass(frozen=True, order=True)
class Fate:
    """What became of a message on a way, and at which of its edges: the greatest of several is what came of it in all."""

    became: int
    depth: int


@dataclass
class Fates:
    """Books of all streams and receivers; the messages lost on each edge, by cause, each of them once."""

    books: list[Books] = field(default_factory=list)
    lost: dict[tuple[int, str], set[Message]] = field(default_factory=lambda: defaultdict(set))
    unseen: dict[int, set[Message]] = field(default_factory=lambda: defaultdict(set))
    """Messages lost on each edge that some receiver cannot miss yet, and those that one does."""
    seen: dict[int, set[Message]] = field(default_factory=lambda: defaultdict(set))
    untraceable: dict[int, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    """Edges on ways through proxies that no event tells of, or that were killed, each with the stream and the receiver at the way's ends."""
    clear: set[int] = field(default_factory=set)
    """Edges on a way along which events tell of everything."""
    edges: dict[int, Edge] = field(default_factory=dict)
    uncounted: set[int] = field(default_factory=set)
    """Edges that a receiver left of which it is not counted how much it was owed by then."""


def truth_of(site: Site) -> Json:
    """Everything to hold a report against; call it once, when all is over."""
    passages = {passage.socket.id: passage for passage in site.passages()}
    for passage in passages.values():
        passage.settle()
    behind = {proxy.front.id: passages[proxy.back.id] for proxy in site.proxies}
    fates = Fates()
    for passage in passages.values():
        by_receiver: dict[str, list[Way]] = defaultdict(list)
        for way in _ways(passage, behind):
            by_receiver[way[-1].receiver.id].append(way)
        for ways in by_receiver.values():
            _follow(passage, ways, fates)
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
    own_stream = passage.socket.sending or not passage.socket.numbers
    if own_stream and passage.socket.kind != "XPUB":
        yield from _onward(passage, behind)


def _onward(passage: Passage, behind: dict[str, Passage]) -> Iterator[Way]:
    for edge in passage.edges:
        if edge.receiver.id in behind:
            yield from ((edge, *rest) for rest in _onward(behind[edge.receiver.id], behind))
        elif edge.spells or edge.taken or edge.lost:
            yield (edge,)


def _follow(passage: Passage, ways: Sequence[Way], fates: Fates) -> None:
    """Books of a receiver: over several ways where a proxy, or the receiver's connection, was replaced by another."""
    books = Books(passage.socket, ways[0][-1].receiver)
    if _left_uncounted(passage, ways):
        books.counted = False
        fates.uncounted |= {id(way[-1]) for way in ways}
    for way in ways:
        masked = any(edge.masked for edge in way)
        books.traceable &= not (masked and books.stream.carries)
        blurred = (len(way) > 1 and (masked or any(map(_is_dark, way)))) or not books.traceable
        for edge in way:
            if blurred or _went_with_a_proxy(edge):
                others = {(each.sender.id, each.receiver.id) for other in ways for each in other}
                fates.untraceable[id(edge)] |= {(books.stream.id, books.receiver.id), *others}
            else:
                fates.clear.add(id(edge))
    _count(passage, ways, books, fates)
    if books.sent:
        fates.books.append(books)


def _count(passage: Passage, ways: Sequence[Way], books: Books, fates: Fates) -> None:
    newest: dict[int, int] = {}
    lost: list[tuple[Message, Edge]] = []
    for _, message in passage.passed:
        fates_of_it = [(fate, way) for way in ways if (fate := _fate(message, way)) is not None]
        if not fates_of_it:
            continue
        fate, way = max(fates_of_it, key=itemgetter(0))
        books.sent += 1
        if fate.became == DELIVERED:
            books.delivered += 1
            newest[message.lane] = max(newest.get(message.lane, -1), message.lane_number)
        elif fate.became == IN_FLIGHT:
            books.in_flight += 1
        else:
            books.lost += 1
            edge = way[fate.depth]
            fates.edges[id(edge)] = edge
            fates.lost[id(edge), edge.lost[message]].add(message)
            lost.append((message, edge))
    both_open = books.stream.ended is None and books.receiver.ended is None
    for message, edge in lost:
        if both_open and message.lane_number > newest.get(message.lane, -1):
            books.unseen += 1
            fates.unseen[id(edge)].add(message)
        else:
            fates.seen[id(edge)].add(message)


def _left_uncounted(passage: Passage, ways: Sequence[Way]) -> bool:
    last = ways[-1][-1]
    sent_until = max((message.sent_at for _, message in passage.passed), default=0.0)
    return len(ways[-1]) > 1 and last.broadcast and last.gone_at is not None and sent_until > last.gone_at


def _fate(message: Message, way: Way) -> Fate | None:
    """How far it got on a way; None: it was not owed to the receiver."""
    for depth, edge in enumerate(way):
        if message in edge.lost:
            return Fate(LOST, depth) if way[-1].owed(message) else None
        if message not in edge.taken:
            return None
        if message not in edge.read:
            return Fate(IN_FLIGHT, depth) if way[-1].owed(message) else None
    return Fate(DELIVERED, len(way))


def _ledger_row(books: Books) -> Json:
    ends = (books.stream, books.receiver)
    reasons = {
        "untraceable": not books.traceable,
        "uncounted": not books.counted,
        "unnumbered": not all(each.numbers for each in ends),
        "dark": any(each.dark for each in ends),
    }
    return {
        "stream": books.stream.id,
        "name": books.stream.name,
        "receiver": books.receiver.id or None,
        "receiver_name": books.receiver.name,
        "sent": books.sent,
        "delivered": books.delivered,
        "lost": books.lost,
        "in_flight": books.in_flight,
        "unseen": books.unseen,
        "open": any(each.ended is None for each in ends),
        "knowable": not any(reasons.values()),
        "unknowable_by": [reason for reason, holds in reasons.items() if holds],
    }


def _hops(fates: Fates, site: Site) -> Iterator[Json]:
    sides = {side.id: proxy for proxy in site.proxies for side in (proxy.front, proxy.back)}

    def node(socket: Socket | Nobody) -> Json:
        proxy = sides.get(socket.id)
        sockets = [proxy.front.id, proxy.back.id] if proxy else [socket.id]
        return {"name": proxy.name if proxy else socket.name, "sockets": sockets}

    numbered = {books.stream.id for books in fates.books if books.stream.numbers}
    for key, edge in fates.edges.items():
        causes = {cause: lost for (of_edge, cause), lost in fates.lost.items() if of_edge == key}
        numbers = all(message.stream in numbered for lost in causes.values() for message in lost)
        traced = key in fates.clear or key not in fates.untraceable
        known = numbers and not _is_dark(edge) and traced and key not in fates.uncounted
        doubtful = _doubtful(edge, causes)
        unseen = fates.unseen[key] - fates.seen[key]
        all_lost = sum(len(lost) for lost in causes.values())
        blurred = {"network"} if not edge.network_told else set()
        yield {
            "from": node(edge.sender),
            "to": node(edge.receiver),
            "lost": all_lost,
            "unseen": len(unseen),
            "knowable": known and all_lost > len(unseen),
            "uncounted": key in fates.uncounted,
            "between": sorted(fates.untraceable.get(key, ())),
            "causes": [
                {
                    "cause": cause,
                    "lost": len(lost),
                    "knowable": known and cause not in blurred and len(lost - unseen) > doubtful[cause],
                    "at_least": len(lost - unseen) - doubtful[cause],
                    "at_most": len(lost) - doubtful[cause] + doubtful.total(),
                    "looks_like": list(FULL)
                    if cause == "network" and not (known and edge.network_told)
                    else [],
                    "for_memory": _killed_for_memory(edge, cause),
                    "ranges": _ranges(lost),
                }
                for cause, lost in causes.items()
            ],
        }


def _is_dark(edge: Edge) -> bool:
    return edge.sender.dark or edge.receiver.dark


def _went_with_a_proxy(edge: Edge) -> bool:
    """A proxy at one of its ends was killed, and took messages along: nobody can tell how far into it they had come."""
    ends = {"receiver_died": edge.receiver, "sender_died": edge.sender}
    gone = [end for cause, end in ends.items() if cause in edge.lost.values()]
    return any(isinstance(end, Socket) and end.kind in PROXIED for end in gone)


def _killed_for_memory(edge: Edge, cause: str) -> bool:
    """Whether the kernel killed, for memory, the process that took the messages along."""
    end = {"sender_died": edge.sender, "receiver_died": edge.receiver}.get(cause)
    return isinstance(end, Socket) and end.process.killed_for_memory


def _doubtful(edge: Edge, causes: dict[str, set[Message]]) -> Counter[str]:
    """Messages of each cause of which no event can tell it: of what was lost behind the last message that was read, some was
    dropped at a full pipe, and some taken by it again and lost with it.
    """
    last: dict[str, int] = {}
    for message in edge.read:
        last[message.stream] = max(message.number, last.get(message.stream, -1))
    at_the_end = Counter(
        {
            cause: sum(each.number > last.get(each.stream, -1) for each in lost)
            for cause, lost in causes.items()
        }
    )
    at_the_end = +at_the_end
    return at_the_end if len(at_the_end) > 1 and at_the_end.keys() & set(FULL) else Counter()


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
