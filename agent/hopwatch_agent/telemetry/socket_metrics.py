"""Which metrics there are of series of sockets: names, units, and what of the sums each tells."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.state import CONNECTION_COUNTS
from hopwatch_agent.records import INT64_MAX
from hopwatch_agent.telemetry.attributes import DIRECTION, MESSAGING, OPERATION, Attributes
from hopwatch_agent.telemetry.sums import Sums

Read = Callable[[Sums], float]
NONE: frozenset[str] = frozenset()
SENDING = frozenset({"PUB", "XPUB", "PUSH", "DEALER", "ROUTER", "REQ", "REP", "PAIR"})
RECEIVING = frozenset({"SUB", "XSUB", "PULL", "DEALER", "ROUTER", "REQ", "REP", "PAIR"})
PROBED = frozenset({"PUB", "XPUB", "ROUTER"})
ROUTER = frozenset({"ROUTER"})


@dataclass(frozen=True)
class Counted:
    """A counter of each series, or, with ``more`` attributes, a part of one.

    ``from_zero``: the types of which it is told before there is anything to count, so that the first increase is seen as one.
    It is not told of others before, since each further series costs every collection some 30 microseconds.
    """

    name: str
    unit: str
    text: str
    read: Read
    from_zero: frozenset[str] = NONE
    more: Attributes = field(default_factory=dict)


def _word(*names: str) -> Read:
    places = [COUNTERS.index(name) for name in names]
    return lambda sums: min(sum(sums.counters[place] for place in places), INT64_MAX)


def _connections(name: str) -> Read:
    place = CONNECTION_COUNTS.index(name)
    return lambda sums: sums.connections[place]


def _seconds(name: str) -> Read:
    place = COUNTERS.index(name)
    return lambda sums: sums.counters[place] / 1e9


_SEND: Attributes = {OPERATION: "send"}
_RECEIVE: Attributes = {OPERATION: "receive"}
_EAGAIN = "Calls that raised EAGAIN to the application."
_FRAMES = "Frames that a proxy passed, stamps included."
_PROXIED = "Bytes of the frames that a proxy passed."
_IN: Attributes = {DIRECTION: "receive"}
_OUT: Attributes = {DIRECTION: "transmit"}

COUNTED = (
    Counted(
        "messaging.client.sent.messages",
        "{message}",
        "Messages that libzmq accepted from the application.",
        _word("sent"),
        SENDING,
        MESSAGING | _SEND,
    ),
    Counted(
        "messaging.client.consumed.messages",
        "{message}",
        "Messages that the application received.",
        _word("received"),
        RECEIVING,
        MESSAGING | _RECEIVE,
    ),
    Counted(
        "hopwatch.sent.payload",
        "By",
        "Bytes of the messages sent, stamps not counted.",
        _word("sent_bytes"),
    ),
    Counted(
        "hopwatch.received.payload",
        "By",
        "Bytes of the messages received, stamps not counted.",
        _word("received_bytes"),
    ),
    # a number that arrives late is taken off what the socket counts as lost, but no counter may fall
    Counted(
        "hopwatch.lost.messages",
        "{message}",
        "Messages that a receiver found missing; of these, hopwatch.late.messages arrived after all.",
        _word("lost", "reordered"),
        RECEIVING,
    ),
    Counted(
        "hopwatch.late.messages",
        "{message}",
        "Messages that arrived after later ones, having been counted as lost.",
        _word("reordered"),
        RECEIVING,
    ),
    Counted("hopwatch.gaps", "{gap}", "Runs of numbers found missing.", _word("gaps")),
    Counted(
        "hopwatch.duplicated.messages",
        "{message}",
        "Messages that arrived a second time.",
        _word("duplicated"),
    ),
    Counted(
        "hopwatch.onsets",
        "{onset}",
        "Sends of a probed PUB, XPUB or ROUTER that met a full pipe: it began to drop.",
        _word("onsets"),
        PROBED,
    ),
    Counted(
        "hopwatch.unroutable.messages",
        "{message}",
        "Messages that a ROUTER had no peer for.",
        _word("unroutable"),
        ROUTER,
    ),
    Counted("hopwatch.eagain", "{call}", _EAGAIN, _word("eagain_sends"), more=_SEND),
    Counted("hopwatch.eagain", "{call}", _EAGAIN, _word("eagain_receives"), more=_RECEIVE),
    Counted(
        "hopwatch.send.waits",
        "{send}",
        "Sends that found no room at first and waited.",
        _word("waited_sends"),
    ),
    Counted("hopwatch.send.wait.time", "s", "Time that those sends waited.", _seconds("waited_ns")),
    Counted("hopwatch.proxied.frames", "{frame}", _FRAMES, _word("proxied_in_frames"), more=_IN),
    Counted("hopwatch.proxied.frames", "{frame}", _FRAMES, _word("proxied_out_frames"), more=_OUT),
    Counted("hopwatch.proxied.payload", "By", _PROXIED, _word("proxied_in_bytes"), more=_IN),
    Counted("hopwatch.proxied.payload", "By", _PROXIED, _word("proxied_out_bytes"), more=_OUT),
    Counted("hopwatch.connects", "{connection}", "Connections that came up.", _connections("connected")),
    Counted(
        "hopwatch.disconnects",
        "{connection}",
        "Connections that went down.",
        _connections("disconnected"),
    ),
    Counted(
        "hopwatch.reconnects",
        "{connection}",
        "Connections that came up again: of the connecting side, to an endpoint that it had reached before.",
        _connections("reconnected"),
    ),
    Counted(
        "hopwatch.handshake.failures",
        "{failure}",
        "Handshakes that failed: a peer was refused, or refused us.",
        _connections("handshakes_failed"),
    ),
)
"""The parts of one name stand together."""

NAMES = frozenset(counted.name for counted in COUNTED)
