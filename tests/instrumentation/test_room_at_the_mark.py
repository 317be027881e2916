"""How many messages fit into a pipe: libzmq takes one for read once its last frame is, and a SUB that polls has the first one taken out of the pipe."""

from typing import Any

import hopwatch
import pytest
import zmq
from journal_reader import Journal


def take_in(*sockets: zmq.Socket) -> None:
    for socket in sockets * 2:
        socket.getsockopt(zmq.EVENTS)


def arrived(context: zmq.Context, endpoint: str, frames: int, wish: dict[str, Any] | None) -> list[bytes]:
    """What a SUB gets of a PUB that meets a full pipe once the SUB has taken one message, and has asked for the next."""
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    for socket in (pub, sub):
        socket.hwm = 2
        if wish is not None:
            hopwatch.wrap(socket, **wish)
    pub.bind(endpoint)
    sub.connect(endpoint)
    sub.subscribe(b"")
    take_in(pub, sub)
    got = []
    for number in range(6):
        pub.send_multipart([b"%d" % number, *[b"more"] * (frames - 1)])
        take_in(pub, sub)
        if not number:
            got.append(sub.recv_multipart()[0])
    while sub.poll(0):
        got.append(sub.recv_multipart()[0])
    return got


@pytest.mark.parametrize("sequence", [None, "count", "stamp"])
def test_a_message_takes_the_room_that_it_always_took(
    context: zmq.Context, journal: Journal, sequence: str | None
) -> None:
    for frames in (1, 2):
        bare = arrived(context, f"inproc://bare-{frames}", frames, None)
        assert arrived(context, f"inproc://{frames}", frames, {"sequence": sequence}) == bare
