"""The truth of a fleet: read off what happened to each message, with the books of every stream and receiver."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from hopwatch_simulate.edges import Edge, Nobody, Passage
from hopwatch_simulate.fates import Books, Fates, Way, follow, is_dark
from hopwatch_simulate.messages import Message
from hopwatch_simulate.receivers import SHARED_OUT
from hopwatch_simulate.site import Site
from hopwatch_simulate.sockets import Socket

Json = dict[str, Any]
FULL = ("slow_receiver", "hwm_too_low", "network")


def truth_of(site: Site) -> Json:
    """Everything to hold a report against; call it once, when all is over."""
    passages = {passage.socket.id: passage for passage in site.passages()}
    for passage in passages.values():
        passage.settle()
    behind = {proxy.front.id: passages[proxy.back.id] for proxy in site.proxies}
    fates = Fates()
    for passage in passages.values():
        follow(passage, list(_ways(passage, behind)), fates)
    refused = [
        {
            "socket": socket.id,
            "name": socket.name,
            "messages": socket.counters["eagain_sends"],
            "knowable": not socket.dark,
        }
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
    if own_stream and not passage.socket.proxied:
        yield from _onward(passage, behind)


def _onward(passage: Passage, behind: dict[str, Passage]) -> Iterator[Way]:
    for edge in passage.edges:
        if edge.receiver.id in behind:
            yield from ((edge, *rest) for rest in _onward(behind[edge.receiver.id], behind))
        elif edge.spells or edge.taken or edge.lost:
            yield (edge,)


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
        unknowable_by = _where(
            unnumbered=not numbers,
            dark=is_dark(edge),
            untraceable=not traced,
            uncounted=key in fates.uncounted,
        )
        known = not unknowable_by
        doubtful = _doubtful(edge, causes)
        unseen = fates.unseen[key] - fates.seen[key]
        may_be_told = len(unseen) + (doubtful.total() if edge.sender.kind in SHARED_OUT else 0)
        all_lost = sum(len(lost) for lost in causes.values())
        blurred = _blurred(edge)
        yield {
            "from": node(edge.sender),
            "to": node(edge.receiver),
            "lost": all_lost,
            "unseen": may_be_told,
            "knowable": known and all_lost > may_be_told,
            "uncounted": key in fates.uncounted,
            "between": sorted(fates.untraceable.get(key, ())),
            "causes": [
                {
                    "cause": cause,
                    "lost": len(lost),
                    "knowable": known and cause not in blurred and len(lost - unseen) > doubtful[cause],
                    "unknowable_by": [
                        *unknowable_by,
                        *_where(untold=cause in blurred, unseen=len(lost - unseen) <= doubtful[cause]),
                    ],
                    "at_least": len(lost - unseen) - doubtful[cause],
                    "at_most": len(lost) - doubtful[cause] + doubtful.total(),
                    "looks_like": [] if _told_apart(edge, cause, known) else list(FULL),
                    "for_memory": _killed_for_memory(edge, cause),
                    "ranges": _ranges(lost),
                }
                for cause, lost in causes.items()
            ],
        }


def _blurred(edge: Edge) -> set[str]:
    """Causes that no event tells: the network where no agent saw that it was the limit, and bursts where sparse stamps do not tell when."""
    network = {"network"} if not edge.network_told else set()
    return network | ({"hwm_too_low"} if edge.sender.stamp_every > 1 else set())


def _where(**reasons: bool) -> list[str]:
    """Those that hold."""
    return [reason for reason, holds in reasons.items() if holds]


def _told_apart(edge: Edge, cause: str, known: bool) -> bool:
    """Whether the events tell this cause of a full pipe from others: the network only where an agent saw that it was the limit, and bursts
    only where they tell who had to read them, and when: sparse stamps do not.
    """
    if cause == "network":
        return known and edge.network_told
    return cause != "hwm_too_low" or (known and edge.sender.stamp_every == 1)


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
    if edge.sender.kind in SHARED_OUT:
        doubtful = _doubtful_around_a_mend(edge, causes, last) + _doubtful_of_a_queue(edge, causes, last)
        return Counter({cause: min(len(lost), doubtful[cause]) for cause, lost in causes.items()})
    return at_the_end if len(at_the_end) > 1 and at_the_end.keys() & set(FULL) else Counter()


def _doubtful_around_a_mend(
    edge: Edge, causes: dict[str, set[Message]], last: dict[str, int]
) -> Counter[str]:
    """Of a share it shows which messages are missing in all, and not which were still in an inbox: what was sent before those that were
    lost in the cut may have been there, until as many came over the new connection as an inbox holds.
    """
    cut = causes.get("reconnect", set())
    if not cut or len(causes) == 1 or isinstance(edge.receiver, Nobody):
        return Counter()
    behind = max(each.number for each in cut)
    came_since = sum(each.number > behind for each in edge.read)
    may_be_in_the_inbox = came_since <= edge.receiver.options.get("rcvhwm", 1000)
    in_the_inbox = {
        cause: sum(each.number < behind for each in lost)
        for cause, lost in causes.items()
        if cause != "reconnect"
    }
    unread = sum(each.number > last.get(each.stream, -1) for each in cut)
    return Counter({**in_the_inbox, "reconnect": len(cut) if may_be_in_the_inbox else unread})


def _doubtful_of_a_queue(edge: Edge, causes: dict[str, set[Message]], last: dict[str, int]) -> Counter[str]:
    """Where a sender kept its queue when its receiver went, what the receiver had not read may all have been in that, but for the half of an
    inbox that had filled before it.
    """
    if not edge.kept or isinstance(edge.receiver, Nobody):
        return Counter()
    unread = {
        cause: [each.number for each in lost if each.number > last.get(each.stream, -1)]
        for cause, lost in causes.items()
    }
    doubtful = Counter({cause: len(numbers) for cause, numbers in unread.items()})
    if doubtful.total():
        of_the_receiver = min((min(numbers), cause) for cause, numbers in unread.items() if numbers)[1]
        mark = edge.receiver.options.get("rcvhwm", 1000)
        surely = mark // 2 if mark else doubtful.total()
        doubtful[of_the_receiver] = max(0, doubtful[of_the_receiver] - surely)
    return doubtful


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
