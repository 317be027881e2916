"""How an instrumented socket is put together, from what was asked for and what the socket is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import finding, native_state
from hopwatch.alive import weakly
from hopwatch.finding import Finding
from hopwatch.ids import as_text, new_id
from hopwatch.instrument import Instrument
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import MOST_LANES, SendingLanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.lanes.topics import MOST_TOPICS, first_of_several
from hopwatch.lanes.unstamped import TopicCounts, Unstamped
from hopwatch.monitors.promised import PromisedMonitor
from hopwatch.rules.judge import OLDEST_TRIED
from hopwatch.sockets import making
from hopwatch.sockets.classes import instrumented
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.hot_paths import methods_of, parts_of
from hopwatch.sockets.incoming import Incoming
from hopwatch.sockets.numbering import (
    NEVER,
    KnownLane,
    LaneChooser,
    Numbering,
    known_by_topic,
    known_single_lane,
    lane_by_routing_id,
    lane_by_topic,
    single_lane,
)
from hopwatch.sockets.options import subscription_changed
from hopwatch.sockets.outgoing import Outgoing
from hopwatch.sockets.past_us import may_send_past
from hopwatch.sockets.routing import may_probe_routing
from hopwatch.sockets.sequenced import read_numbers
from hopwatch.sockets.set_up import last_endpoint, look_at_wrapped, options_of, options_of_new, set_up_of
from hopwatch.sockets.standing import above, enrol, join, way_of, worker_of
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.use import Use
from hopwatch.sockets.ways import Way
from hopwatch.stamp import SHARED_OUT
from hopwatch.wishes import Wish
from hopwatch.words import SOCKET

SHARING_OUT = {zmq.PUSH, zmq.DEALER, zmq.REQ, zmq.REP}
STAMPABLE = {zmq.PUB, zmq.XPUB, zmq.ROUTER, zmq.PAIR, *SHARING_OUT}
FILTERING = {zmq.SUB, zmq.XSUB}
RECEIVING_ONLY = {zmq.SUB, zmq.XSUB, zmq.PULL}
PROBEABLE = {zmq.PUB, zmq.XPUB}


def instrument_socket(
    socket: zmq.Socket[bytes], wish: Wish, instrument: Instrument, by_install: bool
) -> None:
    """Make an instrumented socket of it: its state, its class, its journal's first lines, its monitor."""
    known = making.PROCESS.state_of(socket)
    if known is not None:
        join(socket, known)
        return
    worker = worker_of(socket)
    socket_type = zmq.SocketType(cast(int, BackendSocket.get(socket, zmq.TYPE)))
    state = _new_state(socket_type, way_of(socket), wish, instrument)
    refusal = _stamp_refusal(socket_type) if wish.stamped else None
    counts = wish.counted and socket_type in STAMPABLE | RECEIVING_ONLY
    reads_stamps = counts or (wish.stamped and refusal is None)
    stamps = reads_stamps and socket_type in STAMPABLE
    if stamps:
        _number(state, socket_type, wish)
    # what install wraps was made this moment: nothing is set, bound, subscribed to or attached that would have to be looked for
    probed = _may_probe(socket, socket_type, state, new=by_install)
    state.takes_stamps = reads_stamps
    state.incoming.may_ask_seldom = not reads_stamps and not state.way.asynchronous
    methods = methods_of(state, stamps=stamps, probed=probed)
    parts = parts_of(socket_type, state.way, stamps=stamps, probed=probed)
    if wish.numbers is not None:
        parts, methods = read_numbers(state, socket_type, wish.numbers, (parts, methods))
    state.methods = methods
    new_class = instrumented(type(worker), parts, above(worker))
    known_options = instrument.options_of_new if by_install else None
    options = (
        options_of(socket) if known_options is None else options_of_new(socket, socket_type, known_options)
    )
    state.setup = set_up_of(socket, socket_type, options, probed=probed)
    _write_opened(socket, state, options, wish.sequence_name, probed)
    state.find(refusal)
    state.by_install = by_install
    if wish.stamp_every > 1 and state.numbering is not None and state.numbering.every == 1:
        state.find(finding.sparse_refused())
    if socket_type in FILTERING and not by_install and native_state.subscribes_to_everything(socket):
        subscription_changed(state, "subscribe", b"")
    state.receiving.find = state.receiving.unstamped.topics.find = weakly(state.find)
    state.is_wrapped = lambda peer: any(
        peer in other.bound_within and not other.closed for other in instrument.states
    )
    hooked = enrol(worker, new_class, state)
    making.PROCESS.know(hooked)
    instrument.states.add(state)
    join(socket, state)
    _make_stamp_room(socket, state, options, needed=wish.stamped and reads_stamps)
    endpoint = "" if by_install else last_endpoint(socket)
    if not by_install or options["conflate"] == 1 or zmq.zmq_version_info() < OLDEST_TRIED:
        look_at_wrapped(state, endpoint)
    instrument.monitors.make_room(socket)
    if instrument.is_read:
        state.attaching = PromisedMonitor(instrument.monitors)
    if not by_install:
        if endpoint:
            state.note("endpoint", endpoint=endpoint)
        with Use(cast(HookedSocket, socket)):
            pass


def _new_state(socket_type: zmq.SocketType, way: Way, wish: Wish, instrument: Instrument) -> SocketState:
    journal = instrument.journal
    identifier = new_id()
    slot = journal.socket_slot()
    slot.words[SOCKET] = identifier
    subscriptions = Subscriptions() if socket_type in FILTERING else None
    guess = 0 if subscriptions is None else wish.rule_flags or 0
    unstamped = Unstamped(guess, TopicCounts(identifier, journal, wanted=wish.stamped or wish.counted))
    unstamped.by_frames = not wish.counted
    first_calls = FirstCalls(sends=max(1, wish.first_calls), receives=wish.first_calls)
    return SocketState(
        identifier=identifier,
        name=wish.name or f"{socket_type.name.lower()}-{as_text(identifier)[:6]}",
        type_name=socket_type.name,
        journal=journal,
        slot=slot,
        subscriptions=subscriptions,
        receiving=ReceivingLanes(identifier, slot.words, journal, subscriptions, unstamped),
        outgoing=Outgoing(slot.words, first_calls, way.plain_flags),
        incoming=Incoming(slot.words),
        first_calls=first_calls,
        way=way,
    )


def _number(state: SocketState, socket_type: zmq.SocketType, wish: Wish) -> None:
    rule, every = wish.rule, NEVER if wish.counted else wish.stamp_every
    lanes = SendingLanes(state.identifier, state.journal, MOST_TOPICS if wish.counted else MOST_LANES)
    find = weakly(state.find)
    if wish.counted:
        lanes.gathering = lambda: find(finding.topics_gathered(MOST_TOPICS))
    choose: LaneChooser = single_lane(lanes)
    known: KnownLane | None = known_single_lane(lanes)
    single_frames_share = socket_type != zmq.ROUTER and (
        socket_type not in PROBEABLE or rule is first_of_several
    )
    if socket_type in PROBEABLE:
        choose = lane_by_topic(lanes, rule)
        known = known_by_topic(lanes) if rule is first_of_several else None
    elif socket_type == zmq.ROUTER:
        choose, known = lane_by_routing_id(lanes), None
        lanes.gathering = partial(_gathering, find, lanes.most_lanes)
    flags = SHARED_OUT if socket_type in SHARING_OUT else 0
    told = wish.rule_flags if socket_type in PROBEABLE else 0
    if told is None and wish.stamped and every > 1:
        every = 1
    state.sending = lanes
    state.numbering = Numbering(
        state.identifier, flags, state.slot.words, choose, single_frames_share, every, told or 0, known
    )
    state.numbering.lane_of_stranger = lanes.of_stranger


def _gathering(find: Callable[[Finding], None], most: int) -> None:
    find(finding.peers_gathered(most))


def _stamp_refusal(socket_type: zmq.SocketType) -> Finding | None:
    if socket_type in STAMPABLE | RECEIVING_ONLY:
        return None
    return finding.stamp_refused(f"stamps are not for {socket_type.name} sockets")


def _make_stamp_room(
    socket: zmq.Socket[bytes], state: SocketState, options: dict[str, int], *, needed: bool
) -> None:
    """Let a stamp be beyond the bound that the application has set, or will set, for the size of messages."""
    state.stamp_room = needed
    bound = options["maxmsgsize"]
    if needed and bound >= 0:
        BackendSocket.set(socket, zmq.MAXMSGSIZE, state.with_stamp_room(int(zmq.MAXMSGSIZE), bound))


def _may_probe(
    socket: zmq.Socket[bytes], socket_type: zmq.SocketType, state: SocketState, *, new: bool
) -> bool:
    if socket_type == zmq.ROUTER:
        return may_probe_routing(socket, state, new=new)
    if socket_type not in PROBEABLE or may_send_past(type(worker_of(socket))):
        return False
    if new:
        return True
    set_already = (native_state.nodrop_is_set(socket), native_state.last_value_is_set(socket))
    if None in set_already:
        state.find(finding.nodrop_unknown())
    return set_already == (False, False)


def _write_opened(
    socket: zmq.Socket[bytes],
    state: SocketState,
    options: dict[str, int],
    sequence: str | None,
    probed: bool,
) -> None:
    if not probed and state.type_name in ("PUB", "XPUB") and native_state.nodrop_is_set(socket):
        options = {**options, "xpub_nodrop": 1}
    state.note(
        "opened",
        name=state.name,
        type=state.type_name,
        slot=state.slot.place,
        sequence=sequence,
        stamp_every=1 if state.numbering is None or not state.numbering.stamps else state.numbering.every,
        probed=probed,
        proxy=None,
        options=options,
    )
