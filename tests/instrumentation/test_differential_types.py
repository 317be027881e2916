"""Whatever is done to them, wrapped sockets of every pairing behave as bare ones: results, errors and what they say, options, time."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import hopwatch
import pytest
import zmq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_reader import Journal

PATIENCE = 0.5
"""A call that waits longer than the bare one by so much (s) waits for something else; less is what a loaded machine may add."""

PAIRINGS = {
    "PUB-SUB": (zmq.PUB, zmq.SUB),
    "XPUB-XSUB": (zmq.XPUB, zmq.XSUB),
    "REQ-REP": (zmq.REQ, zmq.REP),
    "DEALER-ROUTER": (zmq.DEALER, zmq.ROUTER),
    "PUSH-PULL": (zmq.PUSH, zmq.PULL),
    "PAIR-PAIR": (zmq.PAIR, zmq.PAIR),
}
ENDS = st.sampled_from(["one", "other"])
BODIES = st.one_of(st.binary(max_size=4), st.just(b"x" * 48), st.just(b"y" * 70_000))
WRONG = st.sampled_from(["text", 7, None])
DONTWAIT, SNDMORE = int(zmq.DONTWAIT), int(zmq.SNDMORE)
FLAGS = st.sampled_from([0, 0, DONTWAIT, SNDMORE, SNDMORE | DONTWAIT])
OPTIONS = {
    "linger": st.sampled_from([0, 0]),
    "sndtimeo": st.sampled_from([1, 3]),
    "rcvtimeo": st.sampled_from([1, 3]),
    "sndhwm": st.sampled_from([2, 5]),
    "rcvhwm": st.sampled_from([2, 5]),
    "maxmsgsize": st.just(-1),
    "sndhwn": st.just(1),
    "subscribe": st.sampled_from([b"", b"a", "text"]),
    "unsubscribe": st.sampled_from([b"", b"a"]),
}

OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, st.one_of(BODIES, WRONG), FLAGS, st.booleans(), st.booleans()),
    st.tuples(st.just("send_frame"), ENDS, BODIES, FLAGS, st.booleans()),
    st.tuples(st.just("send_multipart"), ENDS, st.lists(BODIES, max_size=3), FLAGS, st.booleans()),
    st.tuples(st.just("send_as"), ENDS, st.sampled_from(["string", "json", "pyobj", "serialized"]), FLAGS),
    st.tuples(st.just("recv"), ENDS, st.sampled_from([0, DONTWAIT]), st.booleans(), st.booleans()),
    st.tuples(st.just("recv_multipart"), ENDS, st.sampled_from([0, DONTWAIT]), st.booleans()),
    st.tuples(st.just("recv_as"), ENDS, st.sampled_from(["string", "json", "pyobj", "serialized"])),
    st.tuples(st.just("recv_into"), ENDS, st.integers(0, 8), st.sampled_from([-1, 0, 3, 20])),
    st.tuples(st.just("poll"), ENDS, st.sampled_from([1, 2, 3])),
    st.sampled_from(sorted(OPTIONS)).flatmap(
        lambda name: st.tuples(st.just("set"), ENDS, st.just(name), OPTIONS[name])
    ),
    st.tuples(
        st.just("get"),
        ENDS,
        st.sampled_from(
            [
                "linger",
                "sndtimeo",
                "sndhwm",
                "rcvhwm",
                "maxmsgsize",
                "sndhwn",
                "type",
                "rcvmore",
                "events",
                "mechanism",
                "routing_id",
            ]
        ),
    ),
    st.tuples(st.just("endpoint"), ENDS, st.sampled_from(["bind", "connect", "unbind", "disconnect"])),
    st.tuples(st.just("close"), ENDS),
    st.tuples(st.just("say"), ENDS),
)


def send(socket: zmq.Socket, body: Any, flags: int, copy: bool, track: bool) -> Any:
    return type(socket.send(body, flags, copy, track)).__name__


def send_frame(socket: zmq.Socket, body: bytes, flags: int, copy: bool) -> Any:
    return type(socket.send(zmq.Frame(body), flags, copy)).__name__


def send_multipart(socket: zmq.Socket, bodies: list[Any], flags: int, copy: bool) -> Any:
    return type(socket.send_multipart(bodies, flags, copy)).__name__


def send_as(socket: zmq.Socket, how: str, flags: int) -> Any:
    if how == "serialized":
        return socket.send_serialized("abc", lambda text: [text.encode(), b"z"], flags)
    return getattr(socket, f"send_{how}")("abc", flags)


def recv(socket: zmq.Socket, flags: int, copy: bool, track: bool) -> Any:
    return seen(socket.recv(flags, copy, track))


def recv_multipart(socket: zmq.Socket, flags: int, copy: bool) -> Any:
    return [seen(part) for part in socket.recv_multipart(flags, copy)]


def recv_as(socket: zmq.Socket, how: str) -> Any:
    return socket.recv_serialized(list) if how == "serialized" else getattr(socket, f"recv_{how}")()


def recv_into(socket: zmq.Socket, size: int, nbytes: int) -> Any:
    buffer = bytearray(size)
    return socket.recv_into(buffer, nbytes=nbytes), bytes(buffer)


def poll(socket: zmq.Socket, flags: int) -> int:
    return socket.poll(0, flags)


def set_option(socket: zmq.Socket, name: str, value: Any) -> None:
    setattr(socket, name, value)


def get(socket: zmq.Socket, name: str) -> Any:
    return getattr(socket, name)


def endpoint(socket: zmq.Socket, what: str) -> Any:
    return type(getattr(socket, what)("inproc://elsewhere")).__name__


def close(socket: zmq.Socket) -> Any:
    return socket.close(), socket.closed


def say(socket: zmq.Socket) -> Any:
    return socket.closed, type(socket).__name__, type(socket).__module__, repr(socket).partition(" at ")[0]


ACTIONS: dict[str, Callable[..., Any]] = {
    "set": set_option,
    **{
        action.__name__: action
        for action in (send, send_frame, send_multipart, send_as, recv, recv_multipart, recv_as, recv_into)
    },
    **{action.__name__: action for action in (poll, get, endpoint, close, say)},
}


def seen(part: bytes | zmq.Frame) -> Any:
    if isinstance(part, bytes):
        return part
    return part.bytes, part.more, len(part), part.tracker is not None


def outcome(socket: zmq.Socket, name: str, arguments: tuple[Any, ...]) -> tuple[Any, float]:
    """What comes of one operation, its result or its error with all that it says; and how long it took."""
    began = time.perf_counter()
    try:
        came: Any = ACTIONS[name](socket, *arguments)
    except Exception as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
        came = type(error), getattr(error, "errno", None), str(error)
    return came, time.perf_counter() - began


@contextmanager
def pair(kinds: tuple[int, int], *, wrapped: bool) -> Iterator[dict[str, zmq.Socket]]:
    """Two sockets over inproc, where a message is there as soon as it was sent."""
    with zmq.Context() as context, context.socket(kinds[0]) as one, context.socket(kinds[1]) as other:
        for socket in (one, other):
            socket.linger = 0
            socket.sndhwm = socket.rcvhwm = 1000
            socket.sndtimeo = socket.rcvtimeo = 3
            if socket.type in {zmq.DEALER, zmq.ROUTER, zmq.REQ}:
                socket.routing_id = b"me"
            if wrapped:
                hopwatch.wrap(socket)
        one.bind("inproc://pair")
        other.connect("inproc://pair")
        if other.type == zmq.SUB:
            other.subscribe(b"")
        if other.type == zmq.XSUB:
            other.send(b"\x01")
        if one.type in {zmq.PUB, zmq.XPUB}:
            one.poll(1)
        yield {"one": one, "other": other}
        one.close()  # libzmq (4.3.5) may never end a context whose full SUB is closed before its PUB, bare ones too


@pytest.mark.parametrize("pairing", PAIRINGS)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    database=None,
)
@given(operations=st.lists(OPERATIONS, max_size=20))
def test_wrapped_sockets_of_every_type_behave_as_bare_ones(
    journal: Journal, pairing: str, operations: list[tuple[Any, ...]]
) -> None:
    with (
        pair(PAIRINGS[pairing], wrapped=False) as bare,
        pair(PAIRINGS[pairing], wrapped=True) as wrapped,
    ):
        for name, end, *arguments in operations:
            if bare["other" if end == "one" else "one"].closed:
                continue  # libzmq tells a socket of its peer's end some time later
            expected, took = outcome(bare[end], name, tuple(arguments))
            came, took_wrapped = outcome(wrapped[end], name, tuple(arguments))
            assert came == expected, (name, end, arguments)
            assert took_wrapped < took + PATIENCE, (name, end, arguments)
    assert journal.events("fault") == []
