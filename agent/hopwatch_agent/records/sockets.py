"""Events of sockets: their opening, options, endpoints, subscriptions, and end."""

from msgspec import field

from hopwatch_agent.records.fields import Count, Event, Hex, Id, Int64, Nanoseconds, Slot


class Opened(Event, frozen=True, tag="opened"):
    """A socket was wrapped."""

    socket: Id
    name: str
    type: str
    slot: Slot = None
    sequence: str | None = None
    probed: bool = False
    proxy: Id | None = None
    options: dict[str, Int64] = field(default_factory=dict)


class OptionSet(Event, frozen=True, tag="option"):
    """A socket option was set."""

    socket: Id
    option: str
    value: int | str
    """Some options are unsigned: past what a signed integer of 64 bits holds."""


class EndpointEvent(Event, frozen=True):
    """Something was done with an endpoint."""

    socket: Id
    endpoint: str


class Bind(EndpointEvent, frozen=True, tag="bind"):
    """Bound; the endpoint is as resolved by libzmq."""


class Connect(EndpointEvent, frozen=True, tag="connect"):
    """Told to connect."""


class Endpoint(EndpointEvent, frozen=True, tag="endpoint"):
    """Bound or connected before it was wrapped; which of the two is not known."""


class Unbind(EndpointEvent, frozen=True, tag="unbind"):
    """Unbound."""


class Disconnect(EndpointEvent, frozen=True, tag="disconnect"):
    """Told to disconnect."""


class Subscribe(Event, frozen=True, tag="subscribe"):
    """Subscribed to a topic."""

    socket: Id
    topic: Hex


class Unsubscribe(Event, frozen=True, tag="unsubscribe"):
    """Unsubscribed from a topic."""

    socket: Id
    topic: Hex


class Monitor(Event, frozen=True, tag="monitor"):
    """Whether the socket's monitor is ours."""

    socket: Id
    state: str


class ProxyStarted(Event, frozen=True, tag="proxy"):
    """Two sockets are one proxy."""

    proxy: Id
    name: str
    frontend: Id
    backend: Id
    frontend_type: str
    backend_type: str


class ProxyEnded(Event, frozen=True, tag="proxy_ended"):
    """The proxy returned: its context has ended, or it was interrupted."""

    proxy: Id
    name: str
    frontend: Id
    backend: Id
    frontend_type: str
    backend_type: str
    counted_at: Nanoseconds | None = None


class FindingMade(Event, frozen=True, tag="finding"):
    """Something is wrong or risky in a socket's set-up."""

    socket: Id
    rule: str
    text: str
    advice: str = ""


class FaultCaught(Event, frozen=True, tag="fault"):
    """The instrumentation failed and is off for this socket."""

    socket: Id | None = None
    text: str = ""


class Closed(Event, frozen=True, tag="closed"):
    """A socket was closed; its last counters."""

    socket: Id
    counters: dict[str, Count] = field(default_factory=dict)
    unread: bool | None = None


class Exit(Event, frozen=True, tag="exit"):
    """The interpreter is ending by itself."""
