"""What the rules judge: a socket's set-up, and the moment at which it is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto


class Kind(Enum):
    """When a set-up is looked at."""

    WRAPPED = auto()
    """The socket was wrapped, with the options that it had by then."""
    OPTION = auto()
    """An option was set: ``detail`` is its lower-case name, ``value`` its value."""
    BOUND = auto()
    """``detail`` is the endpoint."""
    CONNECTED = auto()
    """Told to connect; ``detail`` is the endpoint."""
    SUBSCRIBED = auto()
    """``value`` is how many prefixes it has subscribed to."""
    WAITED = auto()
    """A blocking send found no room."""
    SENT_SEVERAL_FRAMES = auto()
    """A frame was sent that more of its message follow."""
    CLOSING = auto()
    """It is being closed; ``value`` is how many messages it has sent."""


@dataclass(frozen=True)
class Moment:
    """One look at a set-up."""

    kind: Kind
    detail: str = ""
    value: int = 0


@dataclass(frozen=True)
class SetUp:
    """A socket as its application has set it up so far. ``options``: sndhwm, rcvhwm, linger, conflate."""

    type_name: str
    libzmq: tuple[int, ...]
    options: Mapping[str, int]
    bound: tuple[str, ...] = ()
    connected: tuple[str, ...] = field(default=())

    def after(self, moment: Moment) -> SetUp:
        """The set-up with what happened at this moment."""
        if moment.kind is Kind.OPTION and moment.detail in self.options:
            return replace(self, options={**self.options, moment.detail: moment.value})
        if moment.kind is Kind.BOUND:
            return replace(self, bound=(*self.bound[-99:], moment.detail))
        if moment.kind is Kind.CONNECTED:
            return replace(self, connected=(*self.connected[-99:], moment.detail))
        return self

    def option(self, name: str) -> int:
        """Value of an option; -1 where the socket has none of that name."""
        return self.options.get(name, -1)
