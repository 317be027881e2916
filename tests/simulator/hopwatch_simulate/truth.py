"""The truth of a fleet: read off what happened to each message, with the books of every stream and receiver."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from hopwatch_simulate.doubts import ENDS, FULL, doubtful_behind_a_killed_sender, doubtful_of, of_receiver
from hopwatch_simulate.edges import Edge, Nobody, Passage
from hopwatch_simulate.fates import Books, Fates, Way, follow, is_dark
from hopwatch_simulate.messages import Message
from hopwatch_simulate.receivers import SHARED_OUT
from hopwatch_simulate.series import blur_in_series
from hopwatch_simulate.site import Site
from hopwatch_simulate.sockets import Socket

Json = dict[str, Any]


def truth_of(site: Site) -> Json:
    """Everything to hold a report against; call it once, when all is over."""
    passages = {passage.socket.id: passage for passage in site.passages()}
    for passage in passages.values():
        passage.settle()
    behind = {proxy.front.id: passages[proxy.back.id] for proxy in site.proxies}
    fates = Fates()
    for passage in passages.values():
        follow(passage, list(_ways(passage, behind)), fates)
    for proxy in site.proxies:
        into = [
            edge for each in passages.values() for edge in each.edges if edge.receiver.id == proxy.front.id
        ]
        blur_in_series(into, passages[proxy.back.id].edges, fates)
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

    uncounted = fates.uncounted | (fates.before_uncounted - fates.counted)
    numbered = {books.stream.id for books in fates.books if books.stream.numbers}
    for key, edge in fates.edges.items():
        causes = {cause: lost for (of_edge, cause), lost in fates.lost.items() if of_edge == key}
        numbers = all(message.stream in numbered for lost in causes.values() for message in lost)
        traced = key in fates.clear or key not in fates.untraceable
        unknowable_by = _where(
            unnumbered=not numbers,
            dark=is_dark(edge),
            untraceable=not traced,
            uncounted=key in uncounted,
        )
        known = not unknowable_by
        doubtful = doubtful_of(edge, causes)
        unseen = fates.unseen[key] - fates.seen[key]
        may_be_told = len(unseen) + (doubtful.total() if edge.sender.kind in SHARED_OUT else 0)
        all_lost = sum(len(lost) for lost in causes.values())
        doubtful |= doubtful_behind_a_killed_sender(edge, causes)
        blurred = _blurred(edge, causes, doubtful)
        yield {
            "from": node(edge.sender),
            "to": node(edge.receiver),
            "lost": all_lost,
            "unseen": may_be_told,
            "knowable": known and all_lost > may_be_told,
            "uncounted": key in uncounted,
            "under_way": fates.under_way[key],
            "left_by": of_receiver(edge),
            "between": sorted(fates.untraceable.get(key, ())),
            "causes": [
                {
                    "cause": cause,
                    "lost": len(lost),
                    "knowable": known and cause not in blurred and len(lost - unseen) > doubtful[cause],
                    "unknowable_by": [
                        *unknowable_by,
                        *_where(
                            untold=cause in blurred,
                            unseen=not edge.outlived and len(lost - unseen) <= doubtful[cause],
                        ),
                    ],
                    "at_least": len(lost - unseen) - doubtful[cause],
                    "at_most": len(lost) - doubtful[cause] + doubtful.total(),
                    "looks_like": _looks_like(edge, cause, known),
                    "for_memory": _killed_for_memory(edge, cause),
                    "ranges": _ranges(lost),
                }
                for cause, lost in causes.items()
            ],
        }


def _blurred(edge: Edge, causes: dict[str, set[Message]], doubtful: Counter[str]) -> set[str]:
    """Causes that no event tells: the network where no agent saw that it was the limit, bursts where sparse stamps do not tell when, and which end had
    what a sender that was killed may have had in its queue.
    """
    network = {"network"} if not edge.network_told else set()
    bursts = {"hwm_too_low"} if edge.sender.stamp_every > 1 else set()
    ends = {cause for cause in ENDS if cause in causes and len(causes[cause]) <= doubtful[cause]}
    return network | bursts | (ends if edge.outlived else set())


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


def _looks_like(edge: Edge, cause: str, known: bool) -> list[str]:
    if edge.outlived and cause in ENDS:
        return [of_receiver(edge) if cause == "sender_died" else "sender_died"]
    return [] if _told_apart(edge, cause, known) else list(FULL)


def _killed_for_memory(edge: Edge, cause: str) -> bool:
    """Whether the kernel killed, for memory, the process that took the messages along."""
    end = {"sender_died": edge.sender, "receiver_died": edge.receiver}.get(cause)
    return isinstance(end, Socket) and end.process.killed_for_memory


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
