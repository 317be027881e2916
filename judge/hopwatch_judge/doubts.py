"""What is told less surely of ways on which not everything is known: no cause, or none that is exact."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from hopwatch_judge.case import Socket, Way
from hopwatch_judge.known import Known
from hopwatch_judge.socket_types import BALANCED_TYPES
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED, Account

WayKey = tuple[str, str]


@dataclass(frozen=True)
class Doubted:
    """The accounts, no surer than what they rest on, and by stream and receiver how much came all the same, which is not among them."""

    accounts: Sequence[Account]
    came: dict[WayKey, int]


def doubted(known: Known, accounts: Sequence[Account]) -> Doubted:
    """Apply every doubt there is."""
    told = _unreadable(known, accounts)
    told = _losing_events(known, told)
    told = _read_past_us(known, told)
    if not any(socket.faulty for socket in known.case.sockets.values()):
        return Doubted(told, {})
    told = _faulty(known, told)
    came = _came_all_the_same(known, told)
    return Doubted([each for each in told if (each.stream, each.receiver) not in came], came)


def _unreadable(known: Known, accounts: Sequence[Account]) -> Sequence[Account]:
    """A file of a host could not be read: what it told of messages that came, or of ends, is not known. Who is known by nobody's word may be there."""
    if not known.case.unreadable:
        return accounts
    hit = [way for way in known.case.ways if any(_is_there(known, socket) for socket in _parties(way))]
    senders = {name for name, socket in known.case.sockets.items() if socket.unreadable}
    return _without_causes(known, accounts, _with_ways_beside(known, hit), senders)


def _is_there(known: Known, name: str) -> bool:
    socket = known.case.sockets.get(name)
    return socket is None or socket.unreadable


def _losing_events(known: Known, accounts: Sequence[Account]) -> Sequence[Account]:
    """An end, a disconnection or a full pipe may be among the events that no agent has."""
    lossy = {name for name, socket in known.case.sockets.items() if socket.loses_events}
    hit = _ways_through(known, lambda socket: socket.loses_events)
    streams = {stream for stream, _ in _with_ways_beside(known, hit)} | lossy
    return _with_none_exact(accounts, streams)


def _read_past_us(known: Known, accounts: Sequence[Account]) -> Sequence[Account]:
    """What these sockets lack, as the last of a way, may have come."""
    ways = {(way.stream, way.receiver) for way in known.case.ways if known.socket(way.receiver).read_past}
    return _without_causes(known, accounts, ways, set()) if ways else accounts


def _faulty(known: Known, accounts: Sequence[Account]) -> Sequence[Account]:
    """Their messages go on, and what tells of them stands still. Who sends goes on without stamps, and a proxy counts that: so ways that share a
    proxy with one on which it sends are hit as well.
    """
    faulty = {name for name, socket in known.case.sockets.items() if socket.faulty}
    hit = _ways_through(known, lambda socket: socket.faulty)
    passing = [way for way in hit if faulty & (set(_parties(way)) - {way.receiver})]
    ways = {(way.stream, way.receiver) for way in hit} | _with_ways_beside(known, passing)
    return _without_causes(known, accounts, ways, faulty)


def _came_all_the_same(known: Known, accounts: Sequence[Account]) -> dict[WayKey, int]:
    """What faulty receivers lack by their lanes, where their own counters say that they got just as many more."""
    came: dict[WayKey, int] = {}
    for name in {each.receiver for each in accounts if each.receiver}:
        if not known.socket(name).faulty or name not in known.case.totals:
            continue
        lacked = [each for each in accounts if each.receiver == name]
        numbered = sum(each.count + each.since for each in known.case.receipts if each.receiver == name)
        if known.totals(name).received == numbered + sum(each.messages for each in lacked):
            for each in lacked:
                came[each.stream, name] = came.get((each.stream, name), 0) + each.messages
    return came


def _without_causes(
    known: Known, accounts: Sequence[Account], ways: Collection[WayKey], senders: Collection[str]
) -> list[Account]:
    """What is missing is unexplained on these ways, of streams shared out to a receiver on such a way, and of ``senders`` with no
    receiver known. Of other receivers of the same streams no cause is exact: one receiver's gaps tell of another's, too.
    """
    streams = {stream for stream, _ in ways}
    whole = {stream for stream in streams if known.socket(stream).type in BALANCED_TYPES}
    whole |= set(senders) - streams

    def told(each: Account) -> Account:
        unknown = (each.stream, each.receiver) in ways or each.stream in whole
        if not unknown or each.cause == IN_FLIGHT:
            return each
        return each._replace(cause=UNEXPLAINED, exact=False)

    return _with_none_exact(map(told, accounts), streams)


def _with_none_exact(accounts: Iterable[Account], streams: Collection[str]) -> list[Account]:
    return [each._replace(exact=False) if each.stream in streams else each for each in accounts]


def _ways_through(known: Known, told: Callable[[Socket], bool]) -> list[Way]:
    return [way for way in known.case.ways if any(told(known.socket(each)) for each in _parties(way))]


def _parties(way: Way) -> Iterable[str]:
    return dict.fromkeys(socket for hop in way.hops for socket in hop.edge)


def _with_ways_beside(known: Known, ways: Iterable[Way]) -> set[WayKey]:
    """These ways, and those that share a proxy with them: its counts are held against all their streams."""
    hit = list(ways)
    proxies = {socket for way in hit for socket in _parties(way) if socket not in (way.stream, way.receiver)}
    beside = (
        [
            way
            for way in known.case.ways
            if proxies.intersection(set(_parties(way)) - {way.stream, way.receiver})
        ]
        if proxies
        else []
    )
    return {(way.stream, way.receiver) for way in (*hit, *beside)}
