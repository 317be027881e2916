"""A bound method that somebody kept goes on working after its socket was given another way, or unwrapped."""

from collections.abc import Callable

import hopwatch
import pytest
import zmq
from journal_reader import Journal

Link = Callable[[zmq.Socket, zmq.Socket], None]


@pytest.mark.parametrize("receive", ["recv", "recv_multipart"])
def test_a_kept_receive_takes_stamps_off_from_the_first_on(
    context: zmq.Context, journal: Journal, link: Link, receive: str
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    link(push, pull)
    kept = getattr(pull, receive)
    for number in range(200):
        push.send(b"%d" % number)
    got = [kept() for _ in range(200)]
    assert [item if receive == "recv" else item[0] for item in got] == [
        b"%d" % number for number in range(200)
    ]
    counts = journal.socket("pull")
    assert (counts["received"], counts["gaps"]) == (200, 0)


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_kept_methods_of_an_unwrapped_socket_are_the_bare_ones(
    context: zmq.Context, journal: Journal, link: Link, sequence: str | None
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), sequence=sequence)
    link(push, pull)
    send, recv, recv_multipart, close = push.send, pull.recv, pull.recv_multipart, pull.close
    push.send(b"wrapped")
    assert recv() == b"wrapped"
    for socket in (push, pull):
        hopwatch.unwrap(socket)
    send(b"one")
    push.send_multipart([b"two", b"frames"])
    assert recv() == b"one"
    assert recv_multipart() == [b"two", b"frames"]
    close()
    assert pull.closed
