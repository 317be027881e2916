"""However it is set up and asked about, a wrapped socket answers as a bare one: options, attributes, endpoints, monitors, copies, its end."""

import socket as tcp
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import hopwatch
import pytest
import zmq
from alike import SEQUENCES, differential
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal
from set_up_actions import SET_UP_ACTIONS, Bench, is_made_up_by_libzmq
from socket_actions import seen_of_error

WISHES: dict[str, dict[str, Any]] = {
    **SEQUENCES,
    "numbered by vllm": {"sequence": hopwatch.sequences.vllm_kv_events},
}
PEER_TYPES = {
    zmq.PUB: zmq.SUB,
    zmq.SUB: zmq.PUB,
    zmq.XPUB: zmq.XSUB,
    zmq.XSUB: zmq.XPUB,
    zmq.REQ: zmq.REP,
    zmq.REP: zmq.REQ,
    zmq.DEALER: zmq.ROUTER,
    zmq.ROUTER: zmq.DEALER,
    zmq.PUSH: zmq.PULL,
    zmq.PULL: zmq.PUSH,
    zmq.PAIR: zmq.PAIR,
    zmq.STREAM: zmq.STREAM,
}
LONG_MS = 5

NOT_COMPARED = {zmq.USE_FD, zmq.EVENTS}
"""With the one, a bind takes over whatever file has that number; the other changes when a connection is made."""

NUMBERS = sorted({int(option) for option in zmq.SocketOption} - NOT_COMPARED)
NAMES = sorted(
    {option.name.lower() for option in zmq.SocketOption if option not in NOT_COMPARED}
    | {"hwm", "identity", "HWM", "LINGER", "SndHwm", "Subscribe", "unsubscribe", "XPUB_NODROP"}
)
PYTHONS_NAMES = (
    *("copy_threshold", "type", "closed", "underlying", "socket_type", "nothing", "_nothing", "FD"),
    *("send", "recv", "getsockopt", "__doc__"),
)
READ_NAMES = ("context", "_shadow", "_type_name", "_monitor_socket", "_closed", "_shadow_obj")
GETTERS, SETTERS = st.sampled_from(["get", "getsockopt"]), st.sampled_from(["set", "setsockopt"])
OPTIONS = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS).map(zmq.SocketOption),
    st.sampled_from([int(zmq.XPUB_NODROP), int(zmq.ROUTER_MANDATORY), int(zmq.CONFLATE), int(zmq.SUBSCRIBE)]),
    st.sampled_from([9999, -1, 0, 1 << 40, None, "LINGER", 17.0, 17.5, 69.5]),
)
VALUES = st.one_of(
    st.sampled_from([0, 1, 1, 5, -1, 100, True, False]),
    st.sampled_from([-2, 1 << 31, (1 << 31) - 1, 1 << 40, 1 << 70]),
    st.sampled_from([b"", b"a", b"me", b"x" * 32, b"y" * 40, b"z" * 255, b"z" * 256, b"\0me"]),
    st.sampled_from(["", "text", None, 1.5, bytearray(b"x"), [1], zmq.PUB]),
)
TOPICS = st.sampled_from([b"", b"a", b"ab", "text", "ü", 7, None, bytearray(b"a")])
ENCODINGS = st.sampled_from(["utf-8", "latin-1", "utf-16", "nonsense"])
ADDRESSES = st.sampled_from(
    [
        *("inproc://here", "inproc://here", "inproc://there", "inproc://", b"inproc://here", "inproc://ü"),
        *("tcp://127.0.0.1:*", "tcp://127.0.0.1:0", b"tcp://127.0.0.1:*", "tcp://127.0.0.1:TAKEN", "last"),
        *("tcp://", "tcp://127.0.0.1", "tcp://256.0.0.1:x", "tcp://[::1]:x"),
        *("ipc://FOLDER/file", "ipc://FOLDER/nowhere/file", "ipc://FOLDER/" + "x" * 200, "ipc://"),
        *(
            "nonsense://x",
            "nonsense",
            "",
            ":",
            7,
            None,
            bytearray(b"inproc://here"),
            "\ud800",
            "inproc://a\0b",
        ),
        *("pgm://127.0.0.1:5", "udp://127.0.0.1:5", "inproc://" + "x" * 300),
    ]
)
ENDPOINT_ACTIONS = st.sampled_from(["bind", "connect", "unbind", "disconnect", "bind", "connect"])
STRINGS = st.sampled_from(
    [zmq.SUBSCRIBE, zmq.ROUTING_ID, zmq.LAST_ENDPOINT, zmq.LINGER, zmq.PLAIN_USERNAME, 9999]
)

OPERATIONS = st.one_of(
    st.tuples(st.just("set_option"), SETTERS, OPTIONS, VALUES),
    st.tuples(st.just("get_option"), GETTERS, OPTIONS),
    st.tuples(st.just("set_attribute"), st.sampled_from([*NAMES, *PYTHONS_NAMES]), VALUES),
    st.tuples(st.just("get_attribute"), st.sampled_from([*NAMES, *PYTHONS_NAMES, *READ_NAMES])),
    st.tuples(st.just("delete_attribute"), st.sampled_from([*PYTHONS_NAMES, "linger"])),
    st.tuples(
        st.just("set_string"),
        st.sampled_from(["set_string", "setsockopt_string", "setsockopt_unicode"]),
        STRINGS,
        st.sampled_from(["", "me", "ü", "\ud800", b"me", 7]),
        ENCODINGS,
    ),
    st.tuples(
        st.just("get_string"),
        st.sampled_from(["get_string", "getsockopt_string", "getsockopt_unicode"]),
        STRINGS,
        st.sampled_from(["utf-8", "ascii", "nonsense"]),
    ),
    st.tuples(st.just("set_string"), st.just("set_hwm"), VALUES),
    st.tuples(st.just("get_string"), st.just("get_hwm")),
    st.tuples(st.just("subscribe"), st.sampled_from(["subscribe", "unsubscribe"]), TOPICS),
    st.tuples(st.just("endpoint"), ENDPOINT_ACTIONS, ADDRESSES),
    st.tuples(st.just("endpoint"), ENDPOINT_ACTIONS, ADDRESSES),
    st.tuples(st.just("endpoint_by_name"), ENDPOINT_ACTIONS, ADDRESSES),
    st.tuples(
        st.just("endpoint_for_a_while"),
        st.sampled_from(["bind", "connect"]),
        ADDRESSES,
        st.sampled_from(["", "close", "undo"]),
    ),
    st.tuples(
        st.just("peer_endpoint"), st.sampled_from(["bind", "connect"]), st.sampled_from(["inproc://here"])
    ),
    st.tuples(
        st.just("random_port"),
        st.sampled_from(["tcp://127.0.0.1", "tcp://127.0.0.1", "inproc://x", "nonsense", 7]),
        st.sampled_from(["any", "taken", "never", "text"]),
    ),
    st.tuples(st.just("tells")),
    st.tuples(st.just("file_number")),
    st.tuples(st.just("address")),
    st.tuples(st.just("copied"), st.sampled_from(["copy", "deepcopy", "shadow", "Socket", "pickle"])),
    st.tuples(st.just("another")),
    st.tuples(
        st.just("monitor"),
        st.sampled_from(["inproc://seen-N", b"inproc://seen-N", None, "tcp://127.0.0.1:1", "", 7]),
        st.sampled_from([zmq.EVENT_ALL, 0, 1, -1, None, 1 << 40]),
    ),
    st.tuples(st.just("monitor_socket"), st.sampled_from([None, 1, "x"])),
    st.tuples(st.just("disable_monitor")),
    st.tuples(st.just("entered"), st.booleans()),
    st.tuples(st.just("group"), st.sampled_from(["join", "leave"]), st.sampled_from(["x", b"x", 7])),
    st.tuples(st.just("close"), st.sampled_from([0, 5, -1, None, "x", 1 << 40, 0.0])),
)


@contextmanager
def bench(kind: int, wish: dict[str, Any] | None) -> Iterator[Bench]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bare" if wish is None else "ours")))
        taken = stack.enter_context(tcp.create_server(("127.0.0.1", 0)))
        context = zmq.Context()
        context.set(zmq.BLOCKY, 0)  # so that no socket lingers unless it is told to
        stack.callback(context.destroy, linger=0)  # with the monitors' sockets that an operation has left
        made = Bench(context.socket(kind), context.socket(PEER_TYPES[zmq.SocketType(kind)]), folder, taken)
        if wish is not None:
            hopwatch.wrap(made.socket, **wish)
        stack.callback(made.socket.close, 0)  # a close that was refused has made the context forget it
        yield made


def would_end_the_process(operation: tuple[Any, ...], connected: set[bytes]) -> bool:
    """With libzmq 4.3.5 a process crashes, of bare sockets too, where two connections wait for one inproc endpoint, and may where it is bound then.

    And where one was given up before it was bound, by whom hands over routing ids (test_what_libzmq_does.py).
    """
    name, *arguments = operation
    if "endpoint" not in name or arguments[0] not in {"bind", "connect"}:
        return False
    if arguments[1] == "last":  # which may be any of them
        return bool(connected)
    address = arguments[1].encode(errors="replace") if isinstance(arguments[1], str) else arguments[1]
    if not isinstance(address, bytes) or not address.startswith(b"inproc:"):
        return False
    address = address.partition(b"\0")[0]
    waited_for = address in connected
    if arguments[0] == "connect":
        connected.add(address)
    return waited_for


def waits_for_an_address(bench: Bench, operation: tuple[Any, ...]) -> bool:
    """Libzmq gives the inproc address of a socket or monitor that was closed free some time later."""
    if operation[0] == "monitor_socket":
        return bool(bench.readers) and bench.socket._monitor_socket is None
    return operation[0] == "peer_endpoint" and bench.socket.closed


def would_linger(operation: tuple[Any, ...]) -> bool:
    """Whether a context might never end after this: what a SUB subscribes to waits for a connection, as messages do."""
    if len(operation) < 2:
        return False
    *_, what, value = operation
    long = isinstance(value, int) and (value == -1 or LONG_MS < value < 1 << 31)
    return long and (what in {zmq.LINGER, "close"} or str(what).lower() == "linger")


def outcome(bench: Bench, operation: tuple[Any, ...]) -> Any:
    name, *arguments = operation
    try:
        return SET_UP_ACTIONS[name](bench, *arguments)
    except Exception as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
        if isinstance(error, UnicodeDecodeError) and is_made_up_by_libzmq(error.object):
            return bench.seen(error.object)
        kind, cls, errno, text = seen_of_error(error)
        return kind, cls, errno, "" if cls is UnicodeDecodeError else bench.without_places(text)


@pytest.mark.parametrize("kind", PEER_TYPES, ids=lambda kind: kind.name)
@differential(20, shrink=True)
@given(wish=st.sampled_from(sorted(WISHES)), operations=st.lists(OPERATIONS, max_size=20))
def test_a_wrapped_socket_is_set_up_as_a_bare_one(
    journal: Journal, kind: zmq.SocketType, wish: str, operations: list[tuple[Any, ...]]
) -> None:
    known, connected = len(journal.faults()), set[bytes]()
    with bench(kind, None) as bare, bench(kind, WISHES[wish]) as wrapped:
        for operation in operations:
            if would_linger(operation) or would_end_the_process(operation, connected):
                continue
            if waits_for_an_address(bare, operation):
                continue
            assert outcome(wrapped, operation) == outcome(bare, operation), operation
        for option in NUMBERS:
            asked = ("get_option", "get", option)
            assert outcome(wrapped, asked) == outcome(bare, asked), zmq.SocketOption(option)
    assert [fault["text"] for fault in journal.faults()[known:]] == []


@pytest.mark.parametrize("length", [243, 244, 245, 246, 247, 1000])
def test_an_endpoint_too_long_for_pyzmq_to_ask_for_is_journaled_all_the_same(
    journal: Journal, context: zmq.Context, length: int
) -> None:
    endpoint = "inproc://" + "x" * length
    pull, late = hopwatch.wrap(context.socket(zmq.PULL), name="pull"), context.socket(zmq.PUSH)
    pull.bind(endpoint)
    late.connect(endpoint)
    hopwatch.wrap(late, name="late")
    late.send(b"x")
    assert pull.recv() == b"x"
    assert [event["endpoint"] for event in journal.of("pull", "bind")] == [endpoint]
    assert (journal.socket("late")["sent"], journal.socket("pull")["received"]) == (1, 1)
    assert journal.faults() == []
