"""Attributes of series: the messaging conventions' where they have one, hopwatch's own for the rest.

``messaging.destination.name`` and ``server.address`` are left out: a ZeroMQ socket has any number of endpoints and topics, and
they change while it lives, which would move its counts from one series to another.
"""

from collections.abc import Iterable, Mapping

from hopwatch_agent.live.series import TEXT_LIMIT, Series

HOST, PROGRAM, NAME, TYPE, CONTAINER = ATTRIBUTES = (
    "hopwatch.host",
    "hopwatch.program",
    "hopwatch.socket.name",
    "hopwatch.socket.type",
    "hopwatch.container",
)
"""Of a series, in the order of its parts; those that are not known are left out."""
OVERFLOW = "otel.metric.overflow"
SYSTEM = "messaging.system"
OPERATION = "messaging.operation.name"
CAUSE = "hopwatch.cause"
RULE = "hopwatch.finding.rule"
STATE = "hopwatch.connection.state"
LIMIT = "hopwatch.limit"
DIRECTION = "network.io.direction"
SOURCE = "hopwatch.error.source"
SIGNAL = "hopwatch.signal"
EVENT = "hopwatch.event"
CPU_MODE = "cpu.mode"

Value = str | bool
Attributes = dict[str, Value]
MESSAGING: Attributes = {SYSTEM: "zeromq"}


def attributes_of(parts: Series | None) -> Attributes:
    """The attributes of a series; of all that there was no room for, those that OpenTelemetry has for it."""
    if parts is None:
        return {OVERFLOW: True}
    return {name: value for name, value in zip(ATTRIBUTES, parts, strict=True) if value}


def key_of(attributes: Mapping[str, object]) -> Series | None:
    """Which series a point with these attributes is of; the opposite of ``attributes_of``."""
    if OVERFLOW in attributes:
        return None
    return Series(*(str(attributes.get(name, "")) for name in ATTRIBUTES))


def few(values: Mapping[str, int], most: int) -> Iterable[tuple[str, int]]:
    """The values of a name that a journal gave, no more than ``most``: the rest is added up under "other"."""
    ordered = sorted(values.items())
    for name, value in ordered[:most]:
        yield name[:TEXT_LIMIT], value
    if len(ordered) > most:
        yield "other", sum(value for _, value in ordered[most:])
