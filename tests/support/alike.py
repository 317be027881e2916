"""A bare pair of sockets and a wrapped one of the same kind, to which the same is done: what can be seen of both must be the same."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hopwatch
import zmq
from hypothesis import HealthCheck, Phase, settings
from socket_actions import ACTIONS, ASKING, PATIENT_S, Hand, seen_of_error
from zmq.backend import Socket as BackendSocket


def by_their_length(frames: Sequence[bytes]) -> tuple[bytes, int] | None:
    """Reads a number off any message, and none off an empty one: what hypothesis sends is of every kind."""
    return (frames[0][:1], len(frames[-1])) if frames[-1] else None


SEQUENCES: dict[str, dict[str, Any]] = {
    "counting": {},
    "topics counted": {"sequence": "count"},
    "stamped": {"sequence": "stamp"},
    "every third stamped": {"sequence": "stamp", "stamp_every": 3},
    "numbered by a callable": {"sequence": by_their_length},
    "numbered by bitcoin": {"sequence": hopwatch.sequences.bitcoin_core},
}
PAIRINGS = {
    "PUB-SUB": (zmq.PUB, zmq.SUB),
    "XPUB-XSUB": (zmq.XPUB, zmq.XSUB),
    "REQ-REP": (zmq.REQ, zmq.REP),
    "DEALER-ROUTER": (zmq.DEALER, zmq.ROUTER),
    "PUSH-PULL": (zmq.PUSH, zmq.PULL),
    "PAIR-PAIR": (zmq.PAIR, zmq.PAIR),
}
BITCOINS = [[b"topic", b"body", number.to_bytes(4, "little")] for number in (0, 1, 2, 7, 2**32 - 1)]
"""Messages that carry a number as Bitcoin Core's do."""

LINGER_MS = 200
"""With 0, libzmq ends the process where a socket closes with messages of several frames queued just as its peer goes."""

PEER_OF = {"one": "other", "other": "one"}


def differential(examples: int, *, shrink: bool = False) -> Callable[[Any], Any]:
    """Settings of a comparing test; ``DIFFERENTIAL_DEPTH`` multiplies its examples.

    Where what failed was waited for until a deadline, making it smaller would take longer than the test may.
    """
    phases = [Phase.explicit, Phase.generate, *([Phase.shrink] if shrink else [])]
    return settings(
        phases=phases,
        max_examples=examples * int(os.environ.get("DIFFERENTIAL_DEPTH", "1")),
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )


@dataclass
class Outcome:
    """What came of an action, and how long it took (s)."""

    seen: Any
    took: float

    @property
    def is_of_nothing_there(self) -> bool:
        """Whether there was no message yet."""
        seen = self.seen
        return isinstance(seen, tuple) and seen[:1] == ("raised",) and seen[2] == zmq.EAGAIN


@dataclass
class Pair:
    """Two connected sockets."""

    one: Hand
    other: Hand

    def __getitem__(self, end: str) -> Hand:
        return self.one if end == "one" else self.other

    def take_in(self) -> None:
        """Have libzmq take in what the peers have told: unasked, it does so about once a millisecond."""
        for hand in (self.one, self.other):
            if not hand.socket.closed:
                BackendSocket.get(hand.socket, zmq.EVENTS)

    def do(self, operation: tuple[Any, ...]) -> Outcome:
        """The outcome of one operation: an action's name, the end it is done to, and its arguments."""
        name, end, *arguments = operation
        self.take_in()
        began = time.perf_counter()
        try:
            seen = ACTIONS[name](self[end], *arguments)
        except Exception as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
            seen = seen_of_error(error)
        return Outcome(seen, time.perf_counter() - began)


def compare(bare: Pair, wrapped: Pair, operation: tuple[Any, ...], *, at_once: bool) -> None:
    """Do the same to both pairs, and assert that the same comes of it.

    Where a message is not there as soon as it was sent (not ``at_once``), who has found none yet asks again, until
    it has the same as the other one or a deadline is over.
    """
    expected, came = bare.do(operation), wrapped.do(operation)
    deadline = time.monotonic() + PATIENT_S
    while came.seen != expected.seen and not at_once and time.monotonic() < deadline:
        asking = operation[0] in ASKING
        if not (asking or expected.is_of_nothing_there or came.is_of_nothing_there):
            break
        if asking or expected.is_of_nothing_there:
            expected = bare.do(operation)
        if asking or came.is_of_nothing_there:
            came = wrapped.do(operation)
    assert came.seen == expected.seen, f"{operation}: {came.seen!r}, and of the bare one {expected.seen!r}"


@contextmanager
def pairs(
    kinds: tuple[int, int], transport: str, sequence: str, set_up: Callable[[zmq.Socket], None]
) -> Iterator[tuple[Pair, Pair]]:
    """A bare and a wrapped pair, connected."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory())) if transport == "ipc" else Path()
        made = []
        for name, wish in (("bare", None), ("wrapped", SEQUENCES[sequence])):
            address = {"inproc": "inproc://pair", "ipc": f"ipc://{folder / name}", "tcp": "tcp://127.0.0.1:*"}
            made.append(stack.enter_context(pair(kinds, address[transport], wish, set_up)))
        yield made[0], made[1]


@contextmanager
def pair(
    kinds: tuple[int, int], address: str, wish: dict[str, Any] | None, set_up: Callable[[zmq.Socket], None]
) -> Iterator[Pair]:
    with zmq.Context() as context, context.socket(kinds[0]) as one, context.socket(kinds[1]) as other:
        for socket in (one, other):
            socket.linger = LINGER_MS
            if socket.type in {zmq.DEALER, zmq.ROUTER, zmq.REQ}:
                socket.routing_id = b"me"
            if wish is not None:
                hopwatch.wrap(socket, **wish)
            set_up(socket)
        other.rcvtimeo = int(PATIENT_S * 1000)
        one.bind(address)
        other.connect(one.last_endpoint.rstrip(b"\0").decode())
        if other.type == zmq.SUB:
            other.subscribe(b"")
        if other.type == zmq.XSUB:
            other.send(b"\x01")
        connected = Pair(Hand(one), Hand(other))
        wait_until_connected(connected)
        if other.type == zmq.ROUTER:  # which knows a peer once its first message or its greeting was read
            one.send(b"hello")
            other.recv_multipart()
        other.rcvtimeo = one.rcvtimeo
        yield connected
        one.close()  # libzmq (4.3.5) may never end a context whose full SUB is closed before its PUB, bare ones too


def wait_until_connected(pair: Pair) -> None:
    """Until both ends have their pipe, and a publisher its subscription."""
    ready = zmq.POLLIN if pair.one.socket.type == zmq.XPUB else zmq.POLLOUT
    deadline = time.monotonic() + PATIENT_S
    while not is_connected(pair.one.socket, ready):
        assert time.monotonic() < deadline, "not connected within 10 s"
        time.sleep(0.001)


def is_connected(one: zmq.Socket, ready: int) -> bool:
    if one.type == zmq.PUB:
        return bool(BackendSocket.get(one, zmq.EVENTS)) and bool(one.getsockopt(zmq.TOPICS_COUNT))
    return bool(BackendSocket.get(one, zmq.EVENTS) & ready)
