"""CURVE and PLAIN connections of wrapped sockets: what is let in comes through, what is refused is told."""

from collections.abc import Callable, Iterator

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from zmq.auth.thread import ThreadAuthenticator

SERVER_PUBLIC, SERVER_SECRET = zmq.curve_keypair() if zmq.has("curve") else (b"", b"")
MESSAGES = [[b"topic", b"%d" % number] for number in range(20)]

Until = Callable[[Callable[[], object]], None]


@pytest.fixture
def authenticator(context: zmq.Context) -> Iterator[ThreadAuthenticator]:
    authenticator = ThreadAuthenticator(context)
    authenticator.start()
    authenticator.configure_plain(domain="*", passwords={"user": "word"})
    authenticator.configure_curve(domain="*", location=zmq.auth.CURVE_ALLOW_ANY)
    yield authenticator
    authenticator.stop()


def serve(socket: zmq.Socket, mechanism: str) -> None:
    if mechanism == "plain":
        socket.plain_server = True
    else:
        socket.curve_server, socket.curve_secretkey = True, SERVER_SECRET


def present(socket: zmq.Socket, mechanism: str, *, valid: bool) -> None:
    if mechanism == "plain":
        socket.plain_username, socket.plain_password = b"user", b"word" if valid else b"guess"
    else:
        socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
        socket.curve_serverkey = SERVER_PUBLIC if valid else zmq.curve_keypair()[0]


MECHANISMS = pytest.mark.parametrize(
    "mechanism",
    [
        "plain",
        pytest.param("curve", marks=pytest.mark.skipif(not zmq.has("curve"), reason="libzmq without CURVE")),
    ],
)


@MECHANISMS
@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_what_is_let_in_is_sent_stamped_and_counted(
    context: zmq.Context,
    journal: Journal,
    authenticator: ThreadAuthenticator,
    until: Until,
    mechanism: str,
    sequence: str | None,
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=sequence)
    serve(push, mechanism)
    present(pull, mechanism, valid=True)
    pull.rcvtimeo = 20_000
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    for message in MESSAGES:
        push.send_multipart(message)
    assert [pull.recv_multipart() for _ in MESSAGES] == MESSAGES
    assert push.mechanism == pull.mechanism == {"plain": zmq.PLAIN, "curve": zmq.CURVE}[mechanism]
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (20, 20)
    assert journal.socket("pull")["lost"] == 0
    until(lambda: len(journal.events("handshake")) == 2)


@MECHANISMS
def test_what_is_refused_gets_nothing_and_is_told(
    context: zmq.Context,
    journal: Journal,
    authenticator: ThreadAuthenticator,
    until: Until,
    mechanism: str,
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence="stamp")
    serve(push, mechanism)
    present(pull, mechanism, valid=False)
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    until(lambda: journal.events("handshake_failed"))
    with pytest.raises(zmq.Again):
        push.send(b"x", zmq.DONTWAIT)
    assert not pull.poll(0)
    assert (journal.socket("push")["sent"], journal.socket("push")["eagain_sends"]) == (0, 1)
    assert journal.events("handshake", "fault") == []
