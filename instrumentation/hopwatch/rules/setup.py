"""What the rules judge: a socket's set-up, and the moment at which it is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, auto
from types import MappingProxyType
from typing import NamedTuple

MOST_ENDPOINTS = 100


class Kind(IntEnum):
    """When a set-up is looked at."""

    WRAPPED = auto()
    """The socket was wrapped, with the options that it had by then; ``detail`` is an endpoint that it was bound or connected to already."""
    OPTION = auto()
    """An option was set: ``detail`` is its lower-case name, ``value`` its value."""
    BOUND = auto()
    """``detail`` is the endpoint."""
    UNBOUND = auto()
    """``detail`` is the endpoint."""
    CONNECTED = auto()
    """Told to connect; ``detail`` is the endpoint."""
    SUBSCRIBED = auto()
    """``value`` is how many prefixes it has subscribed to."""
    FIRST_SEND = auto()
    """The first message is about to be sent; told where a rule waits for it."""
    SENT_AT_ONCE = auto()
    """The application sent with DONTWAIT, for the first time among the first sends."""
    WAITED = auto()
    """A blocking send found no room."""
    SENT_SEVERAL_FRAMES = auto()
    """A frame was sent that more of its message follow."""
    CLOSE_LINGERS = auto()
    """``close`` was given ``value`` as LINGER."""
    CLOSING = auto()
    """It is being closed; ``value`` is how many messages it has sent."""


class Moment(NamedTuple):
    """One look at a set-up."""

    kind: Kind
    detail: str = ""
    value: int = 0


class SetUp(NamedTuple):
    """A socket as its application has set it up so far.

    ``options``: sndhwm, rcvhwm, linger, conflate, and whatever was set since. ``inherited``: what a Context gives to each of its sockets.
    ``endpoints`` are those that it was bound or connected to, ``bound`` the options at the time of each bind that still holds.
    """

    type_name: str
    libzmq: tuple[int, ...]
    options: Mapping[str, int]
    inherited: Mapping[str, int] = MappingProxyType({})
    endpoints: tuple[str, ...] = ()
    bound: tuple[tuple[str, Mapping[str, int]], ...] = ()
    subscriptions: int = 0

    def after(self, moment: Moment) -> SetUp:
        """The set-up with what happened at this moment."""
        kind, detail = moment.kind, moment.detail
        if (kind is Kind.OPTION and detail in self.options) or kind is Kind.CLOSE_LINGERS:
            return self._replace(options={**self.options, detail or "linger": moment.value})
        if kind is Kind.SUBSCRIBED:
            return self._replace(subscriptions=moment.value)
        if kind is Kind.UNBOUND:
            return self._replace(bound=tuple(pair for pair in self.bound if not _same(pair[0], detail)))
        return self._attached(moment) if kind in ATTACHING and detail else self

    def option(self, name: str) -> int:
        """Value of an option; -1 where the socket has none of that name."""
        return self.options.get(name, -1)

    def is_inherited(self, name: str) -> bool:
        """Whether the option has the value that the Context gives to each of its sockets, whatever their type."""
        return name in self.inherited and self.inherited[name] == self.option(name)

    def _attached(self, moment: Moment) -> SetUp:
        endpoints = (*self.endpoints[1 - MOST_ENDPOINTS :], moment.detail)
        bound = self.bound
        if moment.kind is Kind.BOUND:
            bound = (*bound[1 - MOST_ENDPOINTS :], (moment.detail, self.options))
        return self._replace(endpoints=endpoints, bound=bound)


ATTACHING = frozenset({Kind.BOUND, Kind.CONNECTED, Kind.WRAPPED})


def _same(bound: str, unbound: str) -> bool:
    """For unbinding, a TCP endpoint is taken for unbinding as it was given, too: ``tcp://*:5555`` is ``tcp://0.0.0.0:5555``."""
    both_tcp = bound.startswith("tcp://") and unbound.startswith("tcp://")
    return bound == unbound or (both_tcp and bound.rpartition(":")[2] == unbound.rpartition(":")[2])
