"""What became of each message on the ways from its sender to its receivers, summed up in books of every stream and receiver."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from hopwatch_simulate.edges import Edge, Nobody, Passage
from hopwatch_simulate.messages import Message
from hopwatch_simulate.sockets import Socket

Way = tuple[Edge, ...]
SAMPLED_EVERY = 1.0
"""Seconds."""


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
    """Of those lost, what no later message has shown yet: both ends are open, or it may be in the queue of a sender that is."""
    traceable: bool = True
    """Some event tells whose messages the receiver got."""
    counted: bool = True
    """Some event tells how much had been sent when the receiver left: not so behind a proxy, while the stream goes on, and until a sample is taken."""


LOST, IN_FLIGHT, DELIVERED = range(3)


@dataclass(frozen=True, order=True)
class Fate:
    """What became of a message on a way, and at which of its edges: the greatest of several is what came of it in all."""

    became: int
    depth: int


Counts = Callable[[Fate, Way], bool]
"""Whether a message of this fate on this way is in some books."""


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
    blurred: set[int] = field(default_factory=set)
    """Edges of shared-out streams of which a receiver cannot be told from a stranger."""
    clear: set[int] = field(default_factory=set)
    """Edges on a way along which events tell of everything."""
    edges: dict[int, Edge] = field(default_factory=dict)
    uncounted: set[int] = field(default_factory=set)
    """Edges that a receiver left of which it is not counted how much it was owed by then."""
    before_uncounted: set[int] = field(default_factory=set)
    """Those and the edges before them: what such a receiver was owed at the end may have been lost there, and if nobody else is behind them, nothing counts it."""
    counted: set[int] = field(default_factory=set)
    """Edges on the way of a receiver of which it is counted."""
    under_way: Counter[int] = field(default_factory=Counter)
    """Messages that had been sent when a receiver left such an edge, and came to it later: they may be told as lost there."""


def follow(passage: Passage, ways: Sequence[Way], fates: Fates) -> None:
    """Books of all receivers of a stream, and of what was lost before it was anybody's: behind a proxy some share it out."""
    by_receiver: dict[str, list[Way]] = defaultdict(list)
    for way in ways:
        by_receiver[way[-1].receiver.id].append(way)
    shared = len(by_receiver) > 1 and not any(way[-1].broadcast for way in ways)
    if shared and any(map(_may_end_elsewhere, ways)):
        _blur(passage, ways, fates)
    for own_ways in by_receiver.values():
        counts = _was_given_to_one if shared else _whatever
        _follow_to(own_ways[0][-1].receiver, passage, own_ways, fates, counts)
    if shared:
        _follow_to(Nobody(), passage, ways, fates, _was_given_to_nobody)


def _may_end_elsewhere(way: Way) -> bool:
    """No event tells that it leads to its receiver: for all that they tell, a stranger there has taken what is missing of a shared-out stream."""
    masked = any(edge.masked for edge in way)
    return masked and (len(way) > 1 or not way[0].read)


def _blur(passage: Passage, ways: Sequence[Way], fates: Fates) -> None:
    """None of these ways tells more of the stream than that it ended between its sender and somebody."""
    ends = {(passage.socket.id, way[-1].receiver.id) for way in ways}
    hops = {(edge.sender.id, edge.receiver.id) for way in ways for edge in way}
    for edge in (edge for way in ways for edge in way):
        fates.untraceable[id(edge)] |= ends | hops
        fates.blurred.add(id(edge))


def _follow_to(
    receiver: Socket | Nobody, passage: Passage, ways: Sequence[Way], fates: Fates, counts: Counts
) -> None:
    """Books of a receiver: over several ways where a proxy, or the receiver's connection, was replaced by another."""
    books = Books(passage.socket, receiver)
    on_the_ways = {id(edge) for way in ways for edge in way}
    if _left_uncounted(passage, ways):
        books.counted = False
        fates.uncounted |= {id(way[-1]) for way in ways}
        fates.before_uncounted |= on_the_ways
        _note_under_way(passage, ways[-1], fates)
    else:
        fates.counted |= on_the_ways
    for way in ways:
        masked = any(edge.masked for edge in way)
        books.traceable &= not (masked and books.stream.carries)
        blurred = (len(way) > 1 and (masked or any(map(is_dark, way)))) or not books.traceable
        for depth, edge in enumerate(way):
            if blurred or _went_with_a_proxy(edge) or _is_at_a_later_proxy(way, depth):
                others = {(each.sender.id, each.receiver.id) for other in ways for each in other}
                fates.untraceable[id(edge)] |= {(books.stream.id, books.receiver.id), *others}
            elif id(edge) not in fates.blurred:
                fates.clear.add(id(edge))
    _count(passage, ways, books, fates, counts)
    if books.sent:
        fates.books.append(books)


def _count(passage: Passage, ways: Sequence[Way], books: Books, fates: Fates, counts: Counts) -> None:
    newest: dict[int, int] = {}
    lost: list[tuple[Message, Edge]] = []
    for _, message in passage.passed:
        fates_of_it = [(fate, way) for way in ways if (fate := _fate(message, way)) and counts(fate, way)]
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
        may_be_queued = edge.kept and books.stream.ended is None
        if (both_open or may_be_queued) and message.lane_number > newest.get(message.lane, -1):
            books.unseen += 1
            fates.unseen[id(edge)].add(message)
        else:
            fates.seen[id(edge)].add(message)


def _was_given_to_one(fate: Fate, way: Way) -> bool:
    """It came to the hop to the receiver, at least."""
    return fate.depth >= len(way) - 1


def _was_given_to_nobody(fate: Fate, way: Way) -> bool:
    return not _was_given_to_one(fate, way)


def _whatever(_fate_of_it: Fate, _way: Way) -> bool:
    return True


def _left_uncounted(passage: Passage, ways: Sequence[Way]) -> bool:
    last = ways[-1][-1]
    sent_until = max((message.sent_at for _, message in passage.passed), default=0.0)
    seen_by = sent_until + SAMPLED_EVERY
    return len(ways[-1]) > 1 and last.broadcast and last.gone_at is not None and seen_by > last.gone_at


def _note_under_way(passage: Passage, way: Way, fates: Fates) -> None:
    """What was between its sender and the last proxy when the receiver left that."""
    *before, last = way
    for _, message in passage.passed:
        wanted = any(message.topic.startswith(prefix) for prefix in last.topics)
        came = all(message in edge.read for edge in before)
        if wanted and came and last.owed(message) and message not in last.taken and message not in last.lost:
            fates.under_way[id(last)] += 1
            fates.edges[id(last)] = last


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


def is_dark(edge: Edge) -> bool:
    return edge.sender.dark or edge.receiver.dark


def _went_with_a_proxy(edge: Edge) -> bool:
    """A proxy at one of its ends was killed, and took messages along: nobody can tell how far into it they had come."""
    ends = {"receiver_died": edge.receiver, "sender_died": edge.sender}
    gone = [end for cause, end in ends.items() if cause in edge.lost.values()]
    return any(isinstance(end, Socket) and end.proxied for end in gone)


def _is_at_a_later_proxy(way: Way, depth: int) -> bool:
    """A proxy at one of the edge's ends came in another's place, behind a third one: who sends to it tells of no numbers, and so nothing of which were lost before it."""
    beyond = (each for each in way[max(2, depth) : depth + 2])
    return any(each.again and each.sender.proxied for each in beyond)
