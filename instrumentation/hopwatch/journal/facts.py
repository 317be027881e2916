"""The events that still stand, which each segment repeats (FORMAT.md, "The head of a segment")."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

MOST_TIMES = 100
"""So many subscriptions to one topic are repeated; any further ones are only counted."""

MOST_LEFT = 1_000
"""So many topics that a socket has unsubscribed from are repeated."""

MOST_LET_GO = 100
"""So many endpoints that a socket has disconnected from are remembered: its monitor may report them late."""

MOST_GIVEN_WAY = 20_000
"""So many lanes of a socket that gave way are repeated: as many as its receiver remembers."""

MOST_UNOPENED = 1_000
"""Findings of so many sockets are kept that no event has opened yet, or that are another process's."""

ENTRIES_A_LINE = 2_000

Fact = tuple[int, bytes]
"""An event's number and its line."""

Fields = Mapping[str, Any]
"""An event as it is written, but for its number."""

KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("opened", "monitor", "probing_stopped", "fault", "exit"), ()),
    "endpoint": ("endpoint",),
    "proxy": ("proxy",),
    "finding": ("rule",),
}
"""The events that stand until another of their kind has the same values in these fields."""


@dataclass(slots=True)
class _Facts:
    """What stands of one socket, or of the process itself."""

    by_key: dict[tuple[Any, ...], Fact] = field(default_factory=dict)
    lanes: dict[tuple[str, int], Fact] = field(default_factory=dict)
    _in_force: dict[str, Fact] | None = None
    _given_way: dict[tuple[str, int], Fact] = field(default_factory=dict)
    _left: dict[str, Fact] = field(default_factory=dict)
    _times: dict[str, int] = field(default_factory=dict)
    _let_go: dict[str, None] = field(default_factory=dict)
    _called: dict[str, dict[int, None]] = field(default_factory=dict)
    _awaiting: dict[str, dict[int, None]] = field(default_factory=dict)

    def all_but_lanes(self) -> Iterator[Fact]:
        """Return the facts in no order."""
        return chain(self.by_key.values(), self._left.values(), (self._in_force or {}).values())

    def all_of_lanes(self) -> Iterator[Fact]:
        """Return the facts in no order; a line about several lanes comes once for each of them."""
        return chain(self.lanes.values(), self._given_way.values())

    def connections(self) -> list[int]:
        """Return the numbers of the open connections, the lowest first."""
        return sorted(key[1] for key in self.by_key if key[0] == "connected")

    def kept(self, fields: Fields, fact: Fact) -> None:
        """Keep an event until another of its kind has the same values in the fields that ``KEYS`` names."""
        key = (fields["event"], *map(fields.get, KEYS[fields["event"]]))
        self.by_key[key] = fact

    def option_set(self, fields: Fields, fact: Fact) -> None:
        """Keep an option, and the value of the last bind or connect, which may still be in force there."""
        option = fields["option"]
        before = self.by_key.get(("option", option))
        if before is not None and self._in_force is not None:
            self._in_force.setdefault(option, before)
        self.by_key["option", option] = fact

    def attached(self, fields: Fields, fact: Fact) -> None:
        """Keep an endpoint; the options as they are now are in force there."""
        self.by_key[fields["event"], fields["endpoint"]] = fact
        self._in_force = {}
        self._let_go.pop(fields["endpoint"], None)

    def subscribed(self, fields: Fields, fact: Fact) -> None:
        """Count a subscription: libzmq wants each taken back."""
        topic = fields["topic"]
        times = self._times.get(topic, 0)
        self._times[topic] = times + 1
        if times < MOST_TIMES:
            self.by_key["subscribe", topic, times] = fact

    def unsubscribed(self, fields: Fields, fact: Fact) -> None:
        """Take a subscription back. That a topic was left once stands, whatever is subscribed to later."""
        topic = fields["topic"]
        times = self._times.pop(topic, 0) - 1
        if times >= 0:
            self.by_key.pop(("subscribe", topic, times), None)
        if times > 0:
            self._times[topic] = times
        _renew(self._left, topic, fact, MOST_LEFT)

    def unbound(self, fields: Fields, _fact: Fact) -> None:
        """Forget an endpoint."""
        for event in ("bind", "endpoint", "unreached"):
            self.by_key.pop((event, fields["endpoint"]), None)

    def disconnected_by_application(self, fields: Fields, fact: Fact) -> None:
        """Forget an endpoint and the connections made to it, since no monitor reports that they go.

        That the application disconnected at all stands.
        """
        endpoint = fields["endpoint"]
        for event in ("connect", "endpoint", "unreached"):
            self.by_key.pop((event, endpoint), None)
        for number in list(self._called.get(endpoint, ())):
            self._lose(number, endpoint)
        self.by_key["disconnect",] = fact
        _renew(self._let_go, endpoint, None, MOST_LET_GO)

    def connected(self, fields: Fields, fact: Fact) -> None:
        """Keep an open connection."""
        number, endpoint = fields["connection"], fields["endpoint"]
        if endpoint in self._let_go and not fields["accepted"]:
            return
        self.by_key["connected", number] = fact
        self.by_key.pop(("unreached", endpoint), None)
        for table in (self._awaiting,) if fields["accepted"] else (self._awaiting, self._called):
            table.setdefault(endpoint, {})[number] = None

    def shook_hands(self, fields: Fields, fact: Fact) -> None:
        """Keep it with the oldest connection that awaits one: monitors name the endpoint alone."""
        endpoint = fields["endpoint"]
        number = next(iter(self._awaiting.get(endpoint, ())), None)
        if number is not None:
            _take_out(self._awaiting, endpoint, number)
            self.by_key["handshake", number] = fact

    def disconnected(self, fields: Fields, _fact: Fact) -> None:
        """Forget a connection."""
        self._lose(fields["connection"], fields["endpoint"])

    def unreached(self, fields: Fields, fact: Fact) -> None:
        """Keep the last failure at an endpoint until it is connected."""
        if fields["endpoint"] not in self._let_go:
            self.by_key["unreached", fields["endpoint"]] = fact

    def lane(self, fields: Fields, fact: Fact) -> None:
        """Keep a lane that is followed, anew or again."""
        key = fields["stream"], fields["lane"]
        self._given_way.pop(key, None)
        self.lanes[key] = fact

    def lanes_stood(self, fields: Fields, fact: Fact) -> None:
        """Keep where lanes stood that gave way. All other lanes are read from their slots."""
        if fields["final"]:
            return
        for stream, lane, *_ in fields["lanes"]:
            if stream != fields["socket"]:
                forgotten = _renew(self._given_way, (stream, lane), fact, MOST_GIVEN_WAY)
                if forgotten is not None:
                    self.lanes.pop(forgotten, None)

    def proxy_ended(self, fields: Fields, _fact: Fact) -> None:
        """Forget a proxy."""
        self.by_key.pop(("proxy", fields["proxy"]), None)

    def _lose(self, number: int, endpoint: str) -> None:
        for event in ("connected", "handshake"):
            self.by_key.pop((event, number), None)
        for table in (self._called, self._awaiting):
            _take_out(table, endpoint, number)


HANDLERS: dict[str, Callable[[_Facts, Fields, Fact], None]] = {
    **dict.fromkeys(KEYS, _Facts.kept),
    "option": _Facts.option_set,
    "bind": _Facts.attached,
    "connect": _Facts.attached,
    "subscribe": _Facts.subscribed,
    "unsubscribe": _Facts.unsubscribed,
    "unbind": _Facts.unbound,
    "disconnect": _Facts.disconnected_by_application,
    "connected": _Facts.connected,
    "handshake": _Facts.shook_hands,
    "disconnected": _Facts.disconnected,
    "retried": _Facts.unreached,
    "handshake_failed": _Facts.unreached,
    "lane": _Facts.lane,
    "lanes": _Facts.lanes_stood,
    "proxy_ended": _Facts.proxy_ended,
}


class StandingFacts:
    """Keeps the lines of events for as long as they are true. Used under the lock of the event log."""

    def __init__(self) -> None:
        self._process = _Facts()
        self._sockets: dict[str, _Facts] = {}
        self._unopened: dict[str, _Facts] = {}

    def take(self, fields: Fields, number: int, line: bytes) -> None:
        """Note one event. Events that come in floods cost a look at one table."""
        event = fields["event"]
        handle = HANDLERS.get(event)
        if handle is None:
            if event == "closed":
                self._sockets.pop(fields["socket"], None)
            return
        facts = self._of(event, fields.get("socket"))
        if facts is not None:
            handle(facts, fields, (number, line))

    def lines(self, most: int) -> tuple[list[bytes], int]:
        """Return the lines in the order of their numbers, and how many were left out, lanes first.

        ``most``: how many bytes the lines may have.
        """
        every = [self._process, *self._sockets.values(), *self._unopened.values()]
        facts = sorted(chain.from_iterable(each.all_but_lanes() for each in every))
        lanes = sorted(dict(chain.from_iterable(each.all_of_lanes() for each in every)).items())
        kept: list[Fact] = []
        for fact in chain(facts, lanes):
            most -= len(fact[1])
            if most < 0:
                break
            kept.append(fact)
        return [line for _, line in sorted(kept)], len(facts) + len(lanes) - len(kept)

    def standing(self) -> Iterator[dict[str, Any]]:
        """Yield what lists the open sockets, in the order of their ids, each with its open connections."""
        entries = [
            entry
            for socket, facts in sorted(self._sockets.items())
            for entry in ((socket, 0), *((socket, number) for number in facts.connections()))
        ]
        after: tuple[str, int] | None = None
        for start in range(0, max(1, len(entries)), ENTRIES_A_LINE):
            listed = entries[start : start + ENTRIES_A_LINE]
            last = start + ENTRIES_A_LINE >= len(entries)
            by_socket = groupby(listed, key=itemgetter(0))
            sockets = {socket: [number for _, number in pairs if number] for socket, pairs in by_socket}
            yield {"after": after, "last": last, "sockets": sockets}
            after = listed[-1] if listed else None

    def _of(self, event: str, socket: str | None) -> _Facts | None:
        """Whose fact it is. Nothing stands that a monitor reports of a socket that is closed by now."""
        if socket is None:
            return self._process
        if event == "opened" and socket not in self._sockets:
            self._sockets[socket] = self._unopened.pop(socket, _Facts())
        if event != "finding" or socket in self._sockets:
            return self._sockets.get(socket)
        unopened = self._unopened.get(socket, _Facts())
        _renew(self._unopened, socket, unopened, MOST_UNOPENED)
        return unopened


def _renew(table: dict[Any, Any], key: Any, value: Any, most: int) -> Any | None:
    """Put a value last in a table; return the key of the one that made room for it, if any."""
    table.pop(key, None)
    forgotten = next(iter(table)) if len(table) >= most else None
    if forgotten is not None:
        del table[forgotten]
    table[key] = value
    return forgotten


def _take_out(table: dict[str, dict[int, None]], endpoint: str, number: int) -> None:
    numbers = table.get(endpoint, {})
    numbers.pop(number, None)
    if not numbers:
        table.pop(endpoint, None)
