"""How an instrumented socket is put together, from what was asked for and what the socket is."""

from dataclasses import dataclass
from typing import cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import finding, native_state
from hopwatch.alive import weakly
from hopwatch.errors import UsageError
from hopwatch.ids import as_text, new_id
from hopwatch.instrument import Instrument
from hopwatch.lanes.receiving import ReceivingLanes
from hopwatch.lanes.sending import MOST_LANES, SendingLanes
from hopwatch.lanes.subscriptions import Subscriptions
from hopwatch.lanes.topics import MOST_TOPICS, TopicRule, first_of_several, rule_flags, topic_rule
from hopwatch.lanes.unstamped import TopicCounts, Unstamped
from hopwatch.monitors.promised import PromisedMonitor
from hopwatch.rules.judge import OLDEST_TRIED
from hopwatch.sequences import NumberedMessages, named
from hopwatch.settings import Settings
from hopwatch.sockets import making, numbering
from hopwatch.sockets.classes import instrumented, may_send_past
from hopwatch.sockets.counts import Incoming, Outgoing
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.sockets.hooks import HookedSocket, use
from hopwatch.sockets.hot_paths import give_methods, sends_of
from hopwatch.sockets.options import subscription_changed
from hopwatch.sockets.receives import Receives
from hopwatch.sockets.routing import may_probe_routing
from hopwatch.sockets.sequenced import read_numbers
from hopwatch.sockets.set_up import last_endpoint, look_at_wrapped, options_of, options_of_new, set_up_of
from hopwatch.sockets.standing import above, enrol, join, parts_of, way_of, worker_of
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.ways import Way
from hopwatch.stamp import SHARED_OUT
from hopwatch.words import SOCKET

SHARING_OUT = {zmq.PUSH, zmq.DEALER, zmq.REQ, zmq.REP}
STAMPABLE = {zmq.PUB, zmq.XPUB, zmq.ROUTER, zmq.PAIR, *SHARING_OUT}
FILTERING = {zmq.SUB, zmq.XSUB}
NUMBERED = {*STAMPABLE, *FILTERING, zmq.PULL}
PROBEABLE = {zmq.PUB, zmq.XPUB}


@dataclass(frozen=True)
class Wish:
    """What the caller of ``wrap`` asked for."""

    name: str | None
    stamped: bool
    counted: bool
    numbers: NumberedMessages | None
    rule: TopicRule
    stamp_every: int
    rule_flags: int | None
    first_calls: int

    @property
    def sequence_name(self) -> str | None:
        """What the journal calls the sequence."""
        if self.stamped or self.counted:
            return "stamp" if self.stamped else "count"
        return None if self.numbers is None else self.numbers.name


def wish_of(settings: Settings, name: object, sequence: object, stamp_every: int, topic: object) -> Wish:
    """The arguments of ``wrap``, checked, with what the environment says where they are silent. Raises UsageError."""
    sequence = settings.sequence if sequence is None else sequence
    stamped, counted = (isinstance(sequence, str) and sequence == word for word in ("stamp", "count"))
    numbers = None if stamped or counted else named(sequence)
    if not isinstance(stamp_every, int) or isinstance(stamp_every, bool) or stamp_every < 1:
        raise UsageError(f"stamp_every must be an integer from 1 on, not {stamp_every!r}")
    topic = settings.topic if topic is None else topic
    every = settings.stamp_every if stamp_every == 1 else stamp_every
    return Wish(
        settings.name if name is None or name == "" else str(name),
        stamped,
        counted,
        numbers,
        topic_rule(topic),
        every,
        rule_flags(topic),
        settings.first_calls,
    )


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
    reads_stamps = (wish.stamped or wish.counted) and socket_type in NUMBERED
    stamps = reads_stamps and socket_type in STAMPABLE
    if stamps:
        _number(state, socket_type, wish)
    # what install wraps was made this moment: nothing is set, bound, subscribed to or attached that would have to be looked for
    probed = _may_probe(socket, socket_type, state, new=by_install)
    state.takes_stamps = reads_stamps
    sends, receives = sends_of(state, socket_type, stamps=stamps, probed=probed), Receives(state)
    if wish.numbers is not None:
        sends, receives = read_numbers(state, socket_type, wish.numbers, sends, receives)
    state.incoming.may_ask_seldom = not state.takes_stamps and not state.way.asynchronous
    give_methods(state, sends, receives)
    new_class = instrumented(type(worker), parts_of(state.way), above(worker))
    if by_install:
        options = options_of_new(socket, socket_type, instrument.options_of_new)
    else:
        options = options_of(socket)
    state.setup = set_up_of(socket, socket_type, options, probed=probed)
    _write_opened(socket, state, options, wish.sequence_name, probed)
    _tell_of_refusals(state, wish, reads_stamps)
    state.by_install = by_install
    if socket_type in FILTERING and not by_install and native_state.subscribes_to_everything(socket):
        subscription_changed(state, "subscribe", b"")
    state.receiving.find = state.receiving.unstamped.topics.find = weakly(state.find)
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
        with use(cast(HookedSocket, socket), state):
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
        is_wrapped=instrument.has_bound,
        way=way,
    )


def _number(state: SocketState, socket_type: zmq.SocketType, wish: Wish) -> None:
    most = MOST_TOPICS if wish.counted else MOST_LANES
    lanes = SendingLanes(state.identifier, state.journal, most)
    find = weakly(state.find)
    choose: numbering.LaneChooser = numbering.single_lane(lanes)
    known: numbering.KnownLane | None = numbering.known_single_lane(lanes)
    every, single_frames_share, told = numbering.NEVER if wish.counted else wish.stamp_every, True, 0
    if wish.counted:
        lanes.gathering = lambda: find(finding.topics_gathered(most))
    if socket_type in PROBEABLE:
        single_frames_share = wish.rule is first_of_several
        choose = numbering.lane_by_topic(lanes, wish.rule)
        known = numbering.known_by_topic(lanes) if single_frames_share else None
        told = wish.rule_flags or 0
        if wish.rule_flags is None and wish.stamped:
            every = 1
    elif socket_type == zmq.ROUTER:
        choose, known, single_frames_share = numbering.lane_by_routing_id(lanes), None, False
        lanes.gathering = lambda: find(finding.peers_gathered(most))
    flags = SHARED_OUT if socket_type in SHARING_OUT else 0
    state.sending = lanes
    state.numbering = numbering.Numbering(
        state.identifier, flags, state.slot.words, choose, single_frames_share, every, told, known
    )
    state.numbering.lane_of_stranger = lanes.of_stranger


def _tell_of_refusals(state: SocketState, wish: Wish, reads_stamps: bool) -> None:
    if wish.stamped and not reads_stamps:
        state.find(finding.stamp_refused(f"stamps are not for {state.type_name} sockets"))
    if wish.stamp_every > 1 and state.numbering is not None and state.numbering.every == 1:
        state.find(finding.sparse_refused())


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
