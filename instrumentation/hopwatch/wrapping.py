"""``wrap`` and ``unwrap``: the same socket object, instrumented or bare again."""

from __future__ import annotations

import logging
import os
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import finding, native_state
from hopwatch.errors import UsageError
from hopwatch.finding import Finding
from hopwatch.ids import as_text, new_id
from hopwatch.instrument import PROCESS, Instrument
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import SendingLanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.lanes.topics import TopicRule, first_of_several, topic_rule
from hopwatch.monitors.watched import attach
from hopwatch.settings import Settings, from_environment
from hopwatch.sockets.classes import instrumented
from hopwatch.sockets.counting import arming_send, counting_recv, counting_send, stamped_recv, stamping_send
from hopwatch.sockets.hooks import HookedSocket, stop_monitor, subscription_changed
from hopwatch.sockets.numbering import (
    LaneChooser,
    Numbering,
    lane_by_routing_id,
    lane_by_topic,
    single_lane,
)
from hopwatch.sockets.receiving import CountingReceive, StampedReceive
from hopwatch.sockets.refusals import Arming, Waiting
from hopwatch.sockets.sending import CountingSend, StampingSend, SubscribingSend
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.stamp import SHARED_OUT

logger = logging.getLogger("hopwatch")

AnySocket = TypeVar("AnySocket", bound="zmq.Socket[bytes]")

SHARING_OUT = {zmq.PUSH, zmq.DEALER, zmq.REQ, zmq.REP}
STAMPABLE = {zmq.PUB, zmq.XPUB, zmq.ROUTER, zmq.PAIR, *SHARING_OUT}
FILTERING = {zmq.SUB, zmq.XSUB}
RECEIVING_ONLY = {zmq.SUB, zmq.XSUB, zmq.PULL}
PROBEABLE = {zmq.PUB, zmq.XPUB}

MONITORS_SHARE = 2
"""One in so many of the sockets that a context may have is left to monitors; each takes two."""

JOURNALED_OPTIONS = ("SNDHWM", "RCVHWM", "LINGER", "SNDBUF", "RCVBUF", "IMMEDIATE", "CONFLATE", "MAXMSGSIZE")


@dataclass(frozen=True)
class Wish:
    """What the caller of ``wrap`` asked for."""

    name: str | None
    stamped: bool
    rule: TopicRule


def wrap(
    socket: AnySocket,
    *,
    name: str | None = None,
    sequence: str | None = None,
    stamp_every: int = 1,
    topic: object = None,
) -> AnySocket:
    """Instrument a pyzmq socket; returns the same object.

    ``name`` is what reports call it. ``sequence="stamp"`` appends a numbered trailer frame to what the socket sends and
    takes such frames off what it receives: wrap both ends. ``topic`` says what the topic of a stamped PUB's message is: a
    delimiter, a length, or a callable from the frames (default: the first of two or more frames).

    Raises UsageError for arguments that it cannot use. Whatever else goes wrong leaves the socket bare, with a warning in the log.
    """
    settings = from_environment()
    return wrap_as_wished(socket, wish_of(settings, name, sequence, stamp_every, topic), settings)


def wrap_as_wished(
    socket: AnySocket, wish: Wish, settings: Settings, *, by_install: bool = False
) -> AnySocket:
    """As ``wrap``, which takes the place of an earlier wrapping by ``install``; that in turn leaves unsupported sockets bare in silence."""
    if settings.disabled:
        return socket
    if not by_install and isinstance(socket, HookedSocket) and socket._hopwatch.by_install:
        _wrap_anew(socket, wish, settings)
        return socket
    if isinstance(socket, HookedSocket) or not _is_supported(socket, silently=by_install):
        return socket
    try:
        _instrument(socket, wish, PROCESS.instrument(settings), by_install)
    except Exception:
        logger.warning("hopwatch could not instrument %r", socket, exc_info=True)
    return socket


def unwrap(socket: AnySocket) -> AnySocket:
    """Make a socket bare again; returns the same object. Its stream ends here. A socket that is not wrapped is left alone.

    A call that another thread is in at this moment ends as it would have.
    """
    if not isinstance(socket, HookedSocket):
        return socket
    state = socket._hopwatch
    with Guard(state):
        if not socket.closed and state.process == os.getpid():
            socket._hopwatch_stop_probing()
            stop_monitor(socket, state)
            state.write_closed(still_used=socket)
            state.retire()
    bare = socket._hopwatch_bare
    socket.__class__ = bare  # type: ignore[assignment]
    for attribute in ("_hopwatch", "_hopwatch_words"):
        socket.__dict__.pop(attribute, None)
    return cast(AnySocket, socket)


def findings_of(socket: zmq.Socket[bytes]) -> list[Finding]:
    """Findings of a wrapped socket so far; none for a bare one."""
    return list(socket._hopwatch.findings) if isinstance(socket, HookedSocket) else []


def wish_of(
    settings: Settings, name: str | None, sequence: str | None, stamp_every: int, topic: object
) -> Wish:
    """The arguments of ``wrap``, checked, with what the environment says where they are silent. Raises UsageError."""
    sequence = sequence or settings.sequence
    if sequence not in {None, "stamp"}:
        raise UsageError(f'sequence must be None or "stamp", not {sequence!r}')
    if stamp_every != 1:
        raise UsageError(f"stamp_every must be 1, not {stamp_every!r}: every message is stamped")
    return Wish(name or settings.name, sequence == "stamp", topic_rule(topic))


def _wrap_anew(socket: Any, wish: Wish, settings: Settings) -> None:
    """Wrap as wished what ``install`` had wrapped; subscriptions made in between stay known."""
    before = socket._hopwatch.subscriptions
    wrap_as_wished(unwrap(socket), wish, settings)
    if before is not None and isinstance(socket, HookedSocket):
        state = socket._hopwatch
        seen = state.subscriptions.topics if state.subscriptions else Counter()
        for topic in (before.topics - seen).elements():
            subscription_changed(state, "subscribe", topic)


def _is_supported(socket: zmq.Socket[bytes], silently: bool) -> bool:
    """Synchronous sockets: asyncio and gevent ones go other ways than ``send`` and ``recv``."""
    modules = {cls.__module__ for cls in type(socket).__mro__}
    if not isinstance(socket, zmq.Socket) or modules & {"zmq._future", "zmq.green.core"}:
        if not silently:
            logger.warning("hopwatch instruments synchronous pyzmq sockets only, not %r", socket)
        return False
    return not socket.closed


def _instrument(socket: zmq.Socket[bytes], wish: Wish, instrument: Instrument, by_install: bool) -> None:
    socket_type = zmq.SocketType(cast(int, BackendSocket.get(socket, zmq.TYPE)))
    state = _new_state(socket_type, wish, instrument)
    refusal = _stamp_refusal(socket, socket_type) if wish.stamped else None
    stamps = wish.stamped and refusal is None and socket_type in STAMPABLE
    if stamps:
        _number(state, socket_type, wish.rule)
    # what install wraps was made this moment: nothing is set, subscribed to or attached that would have to be looked for
    probed = socket_type in PROBEABLE if by_install else _may_probe(socket, socket_type, state)
    methods = _methods(state, stamps=stamps, reads_stamps=wish.stamped and refusal is None, probed=probed)
    parts = _parts(socket_type, stamps=stamps, reads_stamps=wish.stamped and refusal is None, probed=probed)
    new_class = instrumented(type(socket), parts, methods)
    _write_opened(socket, state, "stamp" if wish.stamped else None, probed)
    state.find(refusal)
    state.by_install = by_install
    if socket_type in FILTERING and not by_install and native_state.subscribes_to_everything(socket):
        subscription_changed(state, "subscribe", b"")
    state.receiving.find = state.find
    socket.__class__ = new_class
    hooked = cast(HookedSocket, socket)
    hooked._hopwatch = state
    hooked._hopwatch_words = state.slot.words
    instrument.states.add(state)
    _attach_monitor(hooked, state, instrument)


def _new_state(socket_type: zmq.SocketType, wish: Wish, instrument: Instrument) -> SocketState:
    journal = instrument.journal
    identifier = new_id()
    slot = journal.socket_slot()
    slot.words[0] = identifier
    subscriptions = Subscriptions() if socket_type in FILTERING else None
    return SocketState(
        identifier=identifier,
        name=wish.name or f"{socket_type.name.lower()}-{as_text(identifier)[:6]}",
        type_name=socket_type.name,
        journal=journal,
        slot=slot,
        subscriptions=subscriptions,
        receiving=ReceivingLanes(identifier, slot.words, journal, subscriptions),
    )


def _number(state: SocketState, socket_type: zmq.SocketType, rule: TopicRule) -> None:
    lanes = SendingLanes(state.identifier, state.journal)
    choose: LaneChooser = single_lane(lanes)
    single_frames_share = socket_type != zmq.ROUTER and (
        socket_type not in PROBEABLE or rule is first_of_several
    )
    if socket_type in PROBEABLE:
        choose = lane_by_topic(lanes, rule)
    elif socket_type == zmq.ROUTER:
        choose = lane_by_routing_id(lanes)
    flags = SHARED_OUT if socket_type in SHARING_OUT else 0
    state.sending = lanes
    state.numbering = Numbering(state.identifier, flags, state.slot.words, choose, single_frames_share)


def _stamp_refusal(socket: zmq.Socket[bytes], socket_type: zmq.SocketType) -> Finding | None:
    if socket_type not in STAMPABLE | RECEIVING_ONLY:
        return finding.stamp_refused(f"a {socket_type.name} socket has no room for a trailer frame")
    if BackendSocket.get(socket, zmq.CONFLATE):
        return finding.conflate_refused()
    return None


def _may_probe(socket: zmq.Socket[bytes], socket_type: zmq.SocketType, state: SocketState) -> bool:
    if socket_type not in PROBEABLE:
        return False
    nodrop = native_state.nodrop_is_set(socket)
    if nodrop is None:
        state.find(finding.nodrop_unknown())
    return nodrop is False


def _parts(
    socket_type: zmq.SocketType, *, stamps: bool, reads_stamps: bool, probed: bool
) -> tuple[type[HookedSocket], ...]:
    sending: type[HookedSocket] = StampingSend if stamps else CountingSend
    if socket_type == zmq.XSUB:
        sending = SubscribingSend
    receiving: type[HookedSocket] = StampedReceive if reads_stamps else CountingReceive
    return (sending, Arming if probed else Waiting, receiving)


def _methods(state: SocketState, *, stamps: bool, reads_stamps: bool, probed: bool) -> dict[str, Any]:
    words = state.slot.words
    numbering = state.numbering if stamps else None
    sending = counting_send(words) if numbering is None else stamping_send(words, numbering)
    receiving = stamped_recv(words, state) if reads_stamps else counting_recv(words)
    return {**(arming_send(sending) if probed else sending), **receiving}


def _write_opened(socket: zmq.Socket[bytes], state: SocketState, sequence: str | None, probed: bool) -> None:
    options = {}
    for option in JOURNALED_OPTIONS:
        options[option.lower()] = BackendSocket.get(socket, getattr(zmq, option))
    state.event(
        "opened",
        name=state.name,
        type=state.type_name,
        slot=state.slot.place,
        sequence=sequence,
        probed=probed,
        proxy=None,
        options=options,
    )


def _attach_monitor(socket: HookedSocket, state: SocketState, instrument: Instrument) -> None:
    """Attach ours, unless somebody else's is or may be attached: a second monitor silently stops the first."""
    if not state.by_install and (
        socket._monitor_socket is not None or native_state.monitor_is_attached(socket) is not False
    ):
        state.event("monitor", state="application")
        return
    if 2 * instrument.monitors.watching >= socket.context.get(zmq.MAX_SOCKETS) // MONITORS_SHARE:
        state.find(finding.not_watched("monitors would take up the sockets that its context may have"))
        return
    try:
        watched = attach(socket, state)
        state.monitored = True
        instrument.monitors.take(watched)
        state.event("monitor", state="attached")
    except (zmq.ZMQError, RuntimeError) as error:
        stop_monitor(socket, state)
        state.find(finding.not_watched(str(error)))
