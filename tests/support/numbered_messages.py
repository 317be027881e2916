"""Messages that are told apart by their numbers, sent and read by bare sockets."""

from collections.abc import Callable, Iterator
from functools import partial

import zmq
from set_up_sockets import BODY

Until = Callable[[Callable[[], object]], None]
PATIENT_MS = 10_000
QUIET_MS = 300


def all_of(receiver: zmq.Socket, count: int = 0, *, quiet_ms: int = QUIET_MS) -> list[bytes]:
    """What comes until nothing does for a while; so many messages are waited for longer."""
    got: list[bytes] = []
    while receiver.poll(PATIENT_MS if len(got) < count else quiet_ms):
        got.append(receiver.recv_multipart()[-1])
    return got


def numbered(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield b"%010d" % number + BODY


def sent_in_step(pub: zmq.Socket, reader: zmq.Socket, until: Until) -> list[bytes]:
    """What a reader gets of messages that are sent no faster than it reads."""
    got: list[bytes] = []

    def has_read(message: bytes) -> bool:
        while reader.poll(0):
            got.append(reader.recv())
        return got[-1:] == [message]

    for sent, message in enumerate(numbered(5000), start=1):
        pub.send(message)
        if sent % 200 == 0:
            until(partial(has_read, message))
    return got
