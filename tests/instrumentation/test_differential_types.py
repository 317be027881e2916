"""Whatever is done to them, wrapped sockets of every pairing behave as bare ones: results, errors and what they say, options, time."""

from typing import Any

import pytest
import zmq
from alike import BITCOINS, PAIRINGS, PEER_OF, SEQUENCES, Pair, compare, differential, pairs
from hypothesis import given
from hypothesis import strategies as st
from journal_reader import Journal

DONTWAIT, SNDMORE = int(zmq.DONTWAIT), int(zmq.SNDMORE)
STAMP_LIKE = b"\xff\x48\x57\x01" + b"x" * 43

ENDS = st.sampled_from(["one", "other"])
ROUTED = st.sampled_from([b"me", b"me", b"nobody", b""])
CONTENTS = st.one_of(st.binary(max_size=4), st.just(b"x" * 48), st.just(STAMP_LIKE), st.just(70_000), ROUTED)
WRONG = st.sampled_from(["text", 7, None, [b"x"], 1.5])
BODIES = st.one_of(
    st.tuples(st.just("bytes"), CONTENTS),
    st.tuples(st.just("bytes"), CONTENTS),
    st.tuples(
        st.sampled_from(
            ["bytearray", "memoryview", "strided", "table", "array", "frame", "tracked", "as is"]
        ),
        CONTENTS,
    ),
    st.tuples(st.just("as is"), WRONG),
)
ODD_FLAGS = st.sampled_from([None, 0.0, 1.0, True, False, "1", 1 << 40, -1, 64, zmq.DONTWAIT, zmq.SNDMORE])
FLAGS = st.one_of(
    st.sampled_from([0, 0, DONTWAIT, SNDMORE, SNDMORE | DONTWAIT]),
    st.sampled_from([0, SNDMORE]),
    ODD_FLAGS,
)
RECEIVING_FLAGS = st.one_of(st.sampled_from([0, DONTWAIT, DONTWAIT]), ODD_FLAGS)
NAMED = st.fixed_dictionaries(
    {},
    optional={
        "flags": FLAGS,
        "copy": st.booleans(),
        "track": st.booleans(),
        "routing_id": st.sampled_from([None, 0, 1, "x"]),
        "group": st.sampled_from([None, "", "x", 1]),
        "nonsense": st.just(1),
    },
)
SERIAL = st.sampled_from(["string", "json", "pyobj", "serialized"])
SMALL_OPTIONS = {
    "sndtimeo": st.sampled_from([1, 3]),
    "rcvtimeo": st.sampled_from([1, 3]),
    "copy_threshold": st.sampled_from([0, 3, 65536]),
    "maxmsgsize": st.just(-1),
    "sndhwn": st.just(1),
}

OPERATIONS = st.one_of(
    st.tuples(st.just("send"), ENDS, BODIES, FLAGS, st.booleans(), st.booleans()),
    st.tuples(st.just("send"), ENDS, BODIES, st.sampled_from([0, SNDMORE]), st.just(True), st.just(False)),
    st.tuples(st.just("send_named"), ENDS, BODIES, NAMED),
    st.tuples(st.just("send_again"), ENDS, FLAGS, st.booleans(), st.booleans()),
    st.tuples(
        st.just("send_multipart"), ENDS, st.lists(BODIES, max_size=4), FLAGS, st.booleans(), st.booleans()
    ),
    st.tuples(
        st.just("send_multipart"),
        ENDS,
        st.lists(st.tuples(st.just("bytes"), CONTENTS), min_size=1, max_size=4),
        st.just(0),
        st.just(True),
        st.just(False),
    ),
    st.tuples(
        st.just("send_multipart"),
        ENDS,
        st.sampled_from([[("bytes", part) for part in parts] for parts in BITCOINS]),
        FLAGS,
        st.booleans(),
        st.just(False),
    ),
    st.tuples(st.just("send_as"), ENDS, SERIAL, FLAGS),
    st.tuples(st.just("recv"), ENDS, RECEIVING_FLAGS, st.booleans(), st.booleans()),
    st.tuples(st.just("recv_blindly"), ENDS, RECEIVING_FLAGS, st.booleans()),
    st.tuples(st.just("recv_multipart"), ENDS, RECEIVING_FLAGS, st.booleans(), st.booleans()),
    st.tuples(st.just("recv_as"), ENDS, SERIAL, RECEIVING_FLAGS),
    st.tuples(
        st.just("recv_into"),
        ENDS,
        st.sampled_from(["bytes", "bytes", "readonly", "strided", "words", "table", "no buffer"]),
        st.integers(0, 8),
        st.sampled_from([0, 0, -1, 3, 20, None, 1 << 70]),
        RECEIVING_FLAGS,
    ),
    st.tuples(st.just("poll"), ENDS, st.sampled_from([0, 1, 0.5, -0.0, "x"]), st.sampled_from([1, 2, 3, 0])),
    st.tuples(st.just("poller"), ENDS, st.sampled_from([1, 2, 3])),
    st.tuples(st.just("select"), ENDS),
    st.tuples(st.just("state"), ENDS),
    st.sampled_from(sorted(SMALL_OPTIONS)).flatmap(
        lambda name: st.tuples(st.just("set_attribute"), ENDS, st.just(name), SMALL_OPTIONS[name])
    ),
    st.tuples(
        st.just("attribute"), ENDS, st.sampled_from(["rcvmore", "events", "type", "closed", "nothing"])
    ),
    st.tuples(st.just("close"), ENDS),
)
SUBSCRIBING = st.tuples(
    st.just("call"),
    st.just("other"),
    st.sampled_from(["subscribe", "unsubscribe"]),
    st.sampled_from([b"", b"a", "text", 7]),
)
MARKS = st.tuples(
    st.just("set_attribute"), ENDS, st.sampled_from(["sndhwm", "rcvhwm"]), st.sampled_from([2, 5])
)
AT_ONCE = st.one_of(OPERATIONS, OPERATIONS, OPERATIONS, SUBSCRIBING, MARKS)
"""What can be compared only where a message, or a subscription, is there as soon as it was sent."""


def impatient(socket: zmq.Socket) -> None:
    socket.sndhwm = socket.rcvhwm = 1000
    socket.sndtimeo = socket.rcvtimeo = 3


def compare_all(bare: Pair, wrapped: Pair, operations: list[tuple[Any, ...]], *, at_once: bool) -> None:
    for operation in operations:
        if bare[PEER_OF[operation[1]]].socket.closed:
            continue  # libzmq tells a socket of its peer's end some time later
        compare(bare, wrapped, operation, at_once=at_once)


@pytest.mark.parametrize("pairing", PAIRINGS)
@differential(80, shrink=True)
@given(
    sequence=st.sampled_from(sorted(SEQUENCES)),
    operations=st.lists(AT_ONCE, max_size=20),
)
def test_wrapped_sockets_of_every_type_behave_as_bare_ones(
    journal: Journal, pairing: str, sequence: str, operations: list[tuple[Any, ...]]
) -> None:
    with pairs(PAIRINGS[pairing], "inproc", sequence, impatient) as (bare, wrapped):
        compare_all(bare, wrapped, operations, at_once=True)
    assert journal.faults() == []


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
@pytest.mark.parametrize("pairing", PAIRINGS)
@differential(15)
@given(sequence=st.sampled_from(sorted(SEQUENCES)), operations=st.lists(OPERATIONS, max_size=20))
def test_they_do_so_over_connections_too(
    journal: Journal, pairing: str, transport: str, sequence: str, operations: list[tuple[Any, ...]]
) -> None:
    with pairs(PAIRINGS[pairing], transport, sequence, impatient) as (bare, wrapped):
        compare_all(bare, wrapped, operations, at_once=False)
    assert journal.faults() == []
