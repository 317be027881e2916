"""What a ROUTER swallows is counted and journaled; the application sees the socket that it knows."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import hopwatch
import pytest
import zmq
from alike import differential
from hopwatch import native_state
from hopwatch.stamp import WHOLE_STREAM_LANE
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal

HOW_SENT = [
    {"copy": True},
    {"copy": False},
    {"copy": False, "track": True},
    {"flags": zmq.DONTWAIT},
]


@pytest.fixture
def router(context: zmq.Context) -> zmq.Socket:
    socket = context.socket(zmq.ROUTER)
    socket.bind_to_random_port("tcp://127.0.0.1")
    return socket


@pytest.fixture
def peer(context: zmq.Context, router: zmq.Socket) -> Callable[..., zmq.Socket]:
    """A peer of this routing id, which the router has heard of."""

    def connect(routing_id: bytes, kind: int = zmq.DEALER, **options: int) -> zmq.Socket:
        socket = context.socket(kind)
        socket.routing_id = routing_id
        socket.rcvtimeo = 5000
        for name, value in options.items():
            setattr(socket, name, value)
        socket.connect(router.last_endpoint.decode())
        socket.send(b"hello")
        assert router.recv_multipart()[0] == routing_id
        return socket

    return connect


@pytest.mark.parametrize("how", HOW_SENT)
@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_message_without_a_peer_is_taken_counted_and_journaled(
    router: zmq.Socket, peer, journal: Journal, sequence: str | None, how: dict[str, Any]
) -> None:
    hopwatch.wrap(router, name="router", sequence=sequence)
    known = hopwatch.wrap(peer(b"known"), sequence=sequence)
    for body in (b"1", b"2"):
        router.send_multipart([b"nobody", b"", body], **how)
        router.send_multipart([b"known", b"", body], **how)
        assert known.recv_multipart() == [b"", body]
    counters = journal.socket("router")
    assert (counters["sent"], counters["unroutable"], counters["onsets"]) == (4, 2, 0)
    events = journal.of("router", "unroutable")
    assert [(event["number"], event["messages"], event["reason"]) for event in events] == [
        (0, 1, "unknown_peer"),
        (2, 1, "unknown_peer"),
    ]
    assert {event["peer"] for event in events} == {b"nobody".hex()}
    lanes = {event["topic"]: event["lane"] for event in journal.of("router", "lane")}
    numbered = [(lanes[b"nobody".hex()], number) for number in (0, 1)] if sequence else [(None, None)] * 2
    assert [(event["lane"], event["lane_number"]) for event in events] == numbered
    assert journal.of("router", "opened")[0]["probed"]


@pytest.mark.parametrize("sequence", ["stamp", "count"])
def test_peers_past_the_bound_of_lanes_lose_nothing_and_a_finding_says_that_they_are_not_numbered(
    router: zmq.Socket, peer, journal: Journal, monkeypatch: pytest.MonkeyPatch, sequence: str
) -> None:
    monkeypatch.setattr("hopwatch.assembling.MOST_LANES", 2)
    monkeypatch.setattr("hopwatch.assembling.MOST_TOPICS", 2)
    hopwatch.wrap(router, name="router", sequence=sequence)
    names = ["a", "b", "c", "d"]
    peers = [hopwatch.wrap(peer(name.encode()), name=name, sequence="stamp") for name in names]
    for number in range(5):
        for name, dealer in zip(names, peers, strict=True):
            router.send_multipart([name.encode(), b"%d" % number])
            assert dealer.recv_multipart() == [b"%d" % number]
    found = [finding.rule for finding in hopwatch.findings(router)]
    assert found == ["router_not_mandatory", "peers_gathered"]
    counters = [journal.socket(name) for name in names]
    assert [(each["received"], each["gaps"], each["lost"]) for each in counters] == [(5, 0, 0)] * 4
    router_stream = journal.of("router", "opened")[0]["socket"]
    lanes = [lane for lane in journal.lanes() if lane["stream"] == int(router_stream, 16)]
    sent = {lane["lane"]: lane["count"] for lane in lanes if lane["socket"] == lane["stream"]}
    assert sent == {0: 5, 1: 5, WHOLE_STREAM_LANE: 10}
    told = {lane["lane"] for lane in lanes if lane["socket"] != lane["stream"]}
    assert told == ({0, 1} if sequence == "stamp" else set())


def test_peers_that_are_not_there_leave_the_lanes_to_those_that_are(
    router: zmq.Socket, peer, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopwatch.assembling.MOST_LANES", 20)
    hopwatch.wrap(router, name="router", sequence="stamp")
    for number in range(100):
        router.send_multipart([b"gone%d" % number, b"", b"x"])
    known = hopwatch.wrap(peer(b"known"), name="known", sequence="stamp")
    late = hopwatch.wrap(peer(b"gone99"), name="late", sequence="stamp")
    for number in range(3):
        for dealer, name in ((known, b"known"), (late, b"gone99")):
            router.send_multipart([name, b"%d" % number])
            assert dealer.recv() == b"%d" % number
    lanes = [lane for lane in journal.of("router", "lane") if int(lane["stream"], 16)]
    assert len(lanes) == 4
    assert journal.socket("router")["unroutable"] == 100
    events = journal.of("router", "unroutable")
    assert [event["lane_number"] for event in events] == [0, 0, *[None] * 98]
    received = [lane for lane in journal.lanes() if lane["stream"] not in (0, lane["socket"])]
    assert [(lane["count"], lane["first"], lane["next"]) for lane in received] == [(3, 0, 3)] * 2
    assert [journal.socket(name)["lost"] for name in ("known", "late")] == [0, 0]
    assert "peers_gathered" not in [finding.rule for finding in hopwatch.findings(router)]


def fill(router: zmq.Socket, journal: Journal, peer: bytes) -> int:
    """Send numbered messages until the pipe has refused a hundred in a row; how many were sent."""
    sent = 0
    full_since = 0
    while full_since < 100:
        before = journal.socket("router")["onsets"]
        router.send_multipart([peer, b"%06d" % sent + b"x" * 2000])
        sent += 1
        full_since = full_since + 1 if journal.socket("router")["onsets"] > before else 0
    return sent


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_full_pipe_is_an_onset_at_exactly_the_messages_that_are_lost(
    narrow, journal: Journal, link, until, sequence: str | None
) -> None:
    router, dealer = narrow(zmq.ROUTER), narrow(zmq.DEALER)
    dealer.routing_id = b"slow"
    hopwatch.wrap(router, name="router", sequence=sequence)
    hopwatch.wrap(dealer, name="dealer", sequence=sequence)
    link(router, dealer)
    dealer.send(b"hello")
    router.recv_multipart()
    sent = fill(router, journal, b"slow")
    got: list[int] = []
    while dealer.poll(200):
        got.append(int(dealer.recv()[:6]))

    def have_come() -> bool:
        router.send_multipart([b"slow", b"%06d" % sent])
        while dealer.poll(5):
            got.append(int(dealer.recv()[:6]))
        return sent in got

    until(have_come)
    lost = set(range(sent)) - set(got)
    onsets = [event["number"] for event in journal.of("router", "onset")]
    # one event a run: each run of losses begins at one
    assert {number for number in lost if number - 1 not in lost} <= set(onsets) <= lost | {sent}
    assert journal.socket("router")["onsets"] >= len(lost)
    assert journal.socket("router")["unroutable"] == 0


def test_what_is_swallowed_stays_swallowed_when_the_peer_comes_in_between(
    router: zmq.Socket, peer, journal: Journal
) -> None:
    hopwatch.wrap(router, name="router")
    router.send(b"late", zmq.SNDMORE)
    late = peer(b"late")
    router.send(b"to nobody")
    router.send_multipart([b"late", b"to the peer"])
    assert late.recv() == b"to the peer"
    assert not late.poll(50)
    assert journal.socket("router")["unroutable"] == 1


@pytest.mark.parametrize("kind", [zmq.DEALER, zmq.REQ])
def test_a_peer_that_takes_over_a_routing_id_ends_the_run(
    router: zmq.Socket, peer, journal: Journal, until, kind: int
) -> None:
    router.router_handover = 1
    hopwatch.wrap(router, name="router", sequence="stamp")
    first = peer(b"id", kind)
    envelope = [b"id", b""] if kind == zmq.REQ else [b"id"]
    router.send_multipart([*envelope, b"0"])
    assert first.recv()[:-48] == b"0"
    first.close(linger=0)
    until(
        lambda: [router.send_multipart([*envelope, b"gone"]), journal.socket("router")["unroutable"] >= 20][1]
    )
    second = peer(b"id", kind)
    router.send_multipart([*envelope, b"1"])
    assert second.recv()[:-48] == b"1"
    events = journal.of("router", "unroutable")
    first_number = events[0]["lane_number"]
    assert sum(event["messages"] for event in events) == journal.socket("router")["unroutable"]
    numbers = [event["lane_number"] for event in events]
    assert numbers == [first_number + sum(e["messages"] for e in events[:i]) for i in range(len(events))]
    assert len(events) < 10


def test_two_peers_of_one_routing_id_and_handover_behave_as_bare(
    router: zmq.Socket, peer, journal: Journal
) -> None:
    router.router_handover = 1
    hopwatch.wrap(router, name="router")
    old, new = peer(b"id"), peer(b"id")
    router.send_multipart([b"id", b"x"])
    assert new.recv() == b"x"
    assert not old.poll(20)
    assert journal.socket("router")["unroutable"] == 0


def test_a_routing_id_and_no_more_is_lost_and_counted_stamped_or_not(
    router: zmq.Socket, peer, journal: Journal
) -> None:
    hopwatch.wrap(router, name="router", sequence="stamp")
    known = peer(b"known")
    router.send(b"known")
    router.send_multipart([b"known"])
    router.send_multipart([b"known", b"body"])
    assert known.recv_multipart()[0][:-48] == b"body"
    assert journal.socket("router")["unroutable"] == 2
    assert {event["reason"] for event in journal.of("router", "unroutable")} == {"routing_id_alone"}
    assert [lane["count"] for lane in journal.lanes() if lane["stream"]] == [1]


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_router_that_is_wrapped_between_the_frames_of_a_message_has_lost_none(
    context: zmq.Context, journal: Journal, link, sequence: str | None
) -> None:
    router, dealer = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    dealer.routing_id = b"peer"
    link(router, dealer)
    dealer.send(b"x")
    router.recv_multipart()
    router.send(b"peer", zmq.SNDMORE)
    hopwatch.wrap(router, name="router", sequence=sequence)
    router.send(b"x", zmq.SNDMORE)
    router.send(b"y")
    first, last = dealer.recv_multipart()
    assert (first, last[: len(last) if sequence is None else -48]) == (b"x", b"y")
    router.send_multipart([b"nobody", b"z"])
    assert journal.socket("router")["unroutable"] == 1
    assert [event["reason"] for event in journal.of("router", "unroutable")] == ["unknown_peer"]


def test_polling_for_room_answers_as_a_bare_router_does(
    router: zmq.Socket, context: zmq.Context, journal: Journal
) -> None:
    hopwatch.wrap(router, name="router")
    poller = zmq.Poller()
    poller.register(router, zmq.POLLOUT)
    for _ in range(2):
        assert poller.poll(0) == [(router, zmq.POLLOUT)]
        assert router.poll(0, zmq.POLLOUT) == zmq.POLLOUT
        router.send_multipart([b"nobody", b"x"])
        router.send(b"nobody", zmq.SNDMORE)
        assert poller.poll(0) == [(router, zmq.POLLOUT)]
        router.send(b"x")
    assert native_state.mandatory_is_set(router) is False


@pytest.mark.parametrize("before", [True, False])
def test_an_application_that_asked_to_be_refused_is_refused(
    router: zmq.Socket, peer, journal: Journal, before: bool
) -> None:
    if before:
        router.router_mandatory = 1
    hopwatch.wrap(router, name="router")
    known = peer(b"known", rcvhwm=1, rcvbuf=4096)
    if not before:
        router.send_multipart([b"nobody", b"x"])
        router.router_mandatory = 1
    with pytest.raises(zmq.ZMQError) as raised:
        router.send_multipart([b"nobody", b"x"])
    assert raised.value.errno == zmq.EHOSTUNREACH
    with suppress(zmq.Again):
        while True:
            router.send_multipart([b"known", b"x" * 10_000], zmq.DONTWAIT)
    router.sndtimeo = 20
    with pytest.raises(zmq.Again):
        router.send_multipart([b"known", b"x" * 10_000])
    counters = journal.socket("router")
    assert (counters["unroutable"], counters["onsets"], counters["waited_sends"]) == (
        0 if before else 1,
        0,
        1,
    )
    assert counters["eagain_sends"] == 2
    assert journal.of("router", "opened")[0]["probed"] is not before
    assert len(journal.of("router", "probing_stopped")) == (not before)
    assert native_state.mandatory_is_set(router)
    router.close(
        linger=0
    )  # before its peer: where that is full and closes first, libzmq may never end the context
    known.close(linger=0)


def test_an_application_that_switches_refusals_off_again_has_a_bare_router(
    router: zmq.Socket, journal: Journal
) -> None:
    hopwatch.wrap(router, name="router")
    router.setsockopt(zmq.ROUTER_MANDATORY, 1)
    router.set(zmq.ROUTER_MANDATORY, 0)
    router.send_multipart([b"nobody", b"x"])
    assert journal.socket("router")["sent"] == 1


@pytest.mark.parametrize("hand_over", [lambda socket: socket.underlying, zmq.Socket.shadow, hopwatch.unwrap])
def test_a_router_that_is_handed_over_swallows_on(router: zmq.Socket, journal: Journal, hand_over) -> None:
    hopwatch.wrap(router, name="router")
    router.send_multipart([b"nobody", b"x"])
    hand_over(router)
    assert native_state.mandatory_is_set(router) is False
    router.send_multipart([b"nobody", b"x"])
    assert journal.socket("router")["unroutable"] == 1
    assert len(journal.of("router", "probing_stopped")) == 1


@pytest.mark.parametrize("run", [zmq.proxy, hopwatch.proxy])
def test_a_proxy_goes_on_when_its_router_has_no_such_peer(journal: Journal, until, run) -> None:
    context = zmq.Context()
    ports: list[int] = []

    def relay() -> None:
        with context.socket(zmq.ROUTER) as front, context.socket(zmq.DEALER) as back:
            hopwatch.wrap(front, name="front")
            front.send_multipart([b"nobody", b"probed"])
            ports.extend(socket.bind_to_random_port("tcp://127.0.0.1") for socket in (front, back))
            with suppress(zmq.ContextTerminated):
                run(front, back)

    relaying = threading.Thread(target=relay)
    relaying.start()
    until(lambda: len(ports) == 2)
    with context.socket(zmq.REQ) as asker, context.socket(zmq.DEALER) as replier:
        asker.linger = replier.linger = 0
        asker.rcvtimeo = replier.rcvtimeo = 5000
        asker.connect(f"tcp://127.0.0.1:{ports[0]}")
        replier.connect(f"tcp://127.0.0.1:{ports[1]}")
        asker.send(b"question")
        question = replier.recv_multipart()
        replier.send_multipart([b"gone", b"", b"to nobody"])
        replier.send_multipart([*question[:-1], b"answer"])
        assert asker.recv() == b"answer"
    context.term()
    relaying.join()
    assert journal.socket("front")["unroutable"] == 1


def test_thousands_of_messages_to_a_peer_that_is_gone_are_a_few_events(
    router: zmq.Socket, journal: Journal
) -> None:
    hopwatch.wrap(router, name="router")
    for _ in range(20_000):
        router.send_multipart([b"nobody", b"x"])
    assert journal.socket("router")["unroutable"] == 20_000
    router.close()
    events = journal.of("router", "unroutable")
    assert sum(event["messages"] for event in events) == 20_000
    assert len(events) < 20


PEERS = [b"a", b"b", b"c"]
OPERATIONS = st.one_of(
    st.tuples(
        st.just("send"),
        st.sampled_from([*PEERS, b"nobody", b""]),
        st.lists(st.sampled_from([b"", b"body", "text", None]), max_size=3),
        st.sampled_from(range(len(HOW_SENT))),
    ),
    st.tuples(st.just("come"), st.sampled_from(PEERS)),
    st.tuples(st.just("go"), st.sampled_from(PEERS)),
    st.tuples(st.just("read"), st.sampled_from(PEERS)),
    st.tuples(st.just("poll"), st.sampled_from([zmq.POLLIN, zmq.POLLOUT, zmq.POLLIN | zmq.POLLOUT])),
    st.tuples(st.just("mandatory"), st.booleans()),
)


class Side:
    """A ROUTER and its peers over inproc, where commands arrive as soon as they are asked for."""

    def __init__(self, context: zmq.Context, name: str, wrapped: bool, sequence: str | None) -> None:
        self.context = context
        self.name = name
        self.sequence = sequence if wrapped else None
        self.wrapped = wrapped
        self.peers: dict[bytes, zmq.Socket] = {}
        self.router = self.socket(zmq.ROUTER)
        self.router.router_handover = 1
        self.router.bind(f"inproc://{name}")

    def socket(self, kind: int) -> zmq.Socket:
        socket = self.context.socket(kind)
        socket.linger = 0
        socket.sndhwm = socket.rcvhwm = 2
        socket.sndtimeo = socket.rcvtimeo = 0
        return hopwatch.wrap(socket, sequence=self.sequence) if self.wrapped else socket

    def do(self, operation: tuple[Any, ...]) -> Any:
        name, *arguments = operation
        try:
            result = getattr(self, name)(*arguments)
        except zmq.ZMQError as error:
            result = type(error), error.errno
        except (TypeError, ValueError) as error:
            result = type(error)
        self.router.getsockopt(zmq.EVENTS)  # take in what peers did: else it depends on the time
        return result

    def send(self, peer: bytes, body: list[Any], how: int) -> Any:
        return type(self.router.send_multipart([peer, *body], **HOW_SENT[how])).__name__

    def come(self, peer: bytes) -> None:
        self.go(peer)
        dealer = self.socket(zmq.DEALER)
        dealer.routing_id = peer
        dealer.connect(f"inproc://{self.name}")
        self.peers[peer] = dealer

    def go(self, peer: bytes) -> None:
        if peer in self.peers:
            dealer = self.peers.pop(peer)
            with suppress(zmq.ZMQError):
                dealer.disconnect(
                    f"inproc://{self.name}"
                )  # the ROUTER is told at once: a close is done by another thread
            dealer.close()

    def read(self, peer: bytes) -> Any:
        return self.peers[peer].recv_multipart() if peer in self.peers else None

    def poll(self, flags: int) -> int:
        return self.router.poll(0, flags)

    def mandatory(self, on: bool) -> None:
        self.router.router_mandatory = int(on)

    def rest(self) -> dict[bytes, list[Any]]:
        """All that its peers have not read yet."""
        left: dict[bytes, list[Any]] = {}
        for name, dealer in self.peers.items():
            left[name] = []
            with suppress(zmq.Again):
                while True:
                    left[name].append(dealer.recv_multipart())
        return left


@contextmanager
def sides(sequence: str | None) -> Iterator[list[Side]]:
    with zmq.Context() as context:
        both = [Side(context, "bare", False, None), Side(context, "wrapped", True, sequence)]
        try:
            yield both
        finally:
            for side in both:
                for socket in [*side.peers.values(), side.router]:
                    socket.close(linger=0)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@differential(60, shrink=True)
@given(operations=st.lists(OPERATIONS, max_size=40))
def test_a_probed_router_delivers_what_a_bare_one_does(
    journal: Journal, sequence: str | None, operations: list[tuple[Any, ...]]
) -> None:
    with sides(sequence) as (bare, wrapped):
        for operation in operations:
            came, expected = wrapped.do(operation), bare.do(operation)
            deadline = time.monotonic() + 10
            # another thread takes down the pipe of a peer that went: until then a poll may still tell of it
            while operation[0] == "poll" and came != expected and time.monotonic() < deadline:
                came, expected = wrapped.do(operation), bare.do(operation)
            assert came == expected, operation
        assert wrapped.rest() == bare.rest()
    assert journal.events("fault") == []


def test_thousands_of_random_messages_arrive_as_from_a_bare_router(journal: Journal) -> None:
    rng = Random(7)  # noqa: S311 -- no secret
    with sides(None) as (bare, wrapped):
        for step in range(4_000):
            operation = rng.choices(
                [
                    ("send", rng.choice([*PEERS, b"nobody"]), [b"%d" % step], rng.randrange(4)),
                    ("come", rng.choice(PEERS)),
                    ("go", rng.choice(PEERS)),
                    ("read", rng.choice(PEERS)),
                ],
                weights=[10, 1, 1, 4],
            )[0]
            assert wrapped.do(operation) == bare.do(operation), (step, operation)
        assert wrapped.rest() == bare.rest()


def test_flags_that_are_none_are_refused_by_a_closed_router_as_by_a_bare_one(
    narrow, journal: Journal
) -> None:
    router = hopwatch.wrap(narrow(zmq.ROUTER), name="router")
    router.close()
    with pytest.raises(OverflowError):
        router.send_multipart([b"peer", b"body"], 1 << 40)
    with pytest.raises(zmq.ZMQError, match="socket"):
        router.send_multipart([b"peer", b"body"])
