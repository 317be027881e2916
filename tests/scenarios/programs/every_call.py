"""An application that prints everything it can see of its sockets' behaviour, and ends with a status of its own.

What it prints must be the same whether hopwatch works, is disabled or has nowhere to write.
"""

import sys
from collections.abc import Callable

import zmq
from sockets import wrap

OWN_STATUS = 7
ROUNDS = 300


def show(label: str, call: Callable[[], object]) -> None:
    """Print what a call returns or raises."""
    try:
        print(label, "->", repr(call()))
    except zmq.ZMQError as error:
        print(label, "raised", type(error).__name__, error.errno, error)


def open_pair(context: zmq.Context, kinds: tuple[str, str]) -> tuple[zmq.Socket, zmq.Socket]:
    sender, receiver = (context.socket(getattr(zmq, kind)) for kind in kinds)
    for socket, kind in zip((sender, receiver), kinds, strict=True):
        wrap(socket, f"{kind.lower()}-of-{kinds[0].lower()}")
        socket.linger = 0
        socket.rcvtimeo = 5000
    if kinds[1] == "SUB":
        receiver.subscribe(b"")
    port = sender.bind_to_random_port("tcp://127.0.0.1")
    receiver.connect(f"tcp://127.0.0.1:{port}")
    return sender, receiver


def exercise(context: zmq.Context, kinds: tuple[str, str]) -> None:
    sender, receiver = open_pair(context, kinds)
    show("nothing there", lambda: receiver.recv(zmq.DONTWAIT))
    if kinds[0] == "PUB":
        while not (sender.getsockopt(zmq.EVENTS) and sender.getsockopt(zmq.TOPICS_COUNT)):
            pass
    show("send", lambda: sender.send(b"one"))
    show("recv", receiver.recv)
    show("send_multipart", lambda: sender.send_multipart([b"topic", b"", b"three"]))
    show("recv first frame", receiver.recv)
    show("more", lambda: receiver.rcvmore)
    show("recv second frame", receiver.recv)
    show("recv third frame", receiver.recv)
    show("no more", lambda: receiver.rcvmore)
    show("tracked send", lambda: type(sender.send(b"x" * 100_000, copy=False, track=True)).__name__)
    show("frame", lambda: len(receiver.recv(copy=False).bytes))
    show("send_string", lambda: sender.send_string("text"))
    show("poll", lambda: receiver.poll(5000))
    show("recv_string", receiver.recv_string)
    show("send_json", lambda: sender.send_json({"a": 1}))
    show("recv_json", receiver.recv_json)
    for number in range(ROUNDS):
        sender.send(b"%d" % number)
        assert receiver.recv() == b"%d" % number
    show("send on a receiver", lambda: receiver.send(b"wrong way") if kinds[1] in ("SUB", "PULL") else None)
    show("unknown option", lambda: sender.setsockopt(9999, 1))
    show("bind to nonsense", lambda: sender.bind("nonsense"))
    sender.close()
    show("send after close", lambda: sender.send(b"late"))
    receiver.close()
    show("closed", lambda: (sender.closed, receiver.closed))


def exercise_full_pipe(context: zmq.Context) -> None:
    lonely = context.socket(zmq.PUSH)
    wrap(lonely, "lonely")
    lonely.linger = 0
    show("no peer, no wait", lambda: lonely.send(b"nobody", zmq.DONTWAIT))
    lonely.sndtimeo = 50
    show("no peer, some wait", lambda: lonely.send_multipart([b"no", b"body"]))
    lonely.close()


def main() -> None:
    context = zmq.Context()
    for kinds in (("PUSH", "PULL"), ("PUB", "SUB"), ("PAIR", "PAIR"), ("DEALER", "DEALER")):
        print(*kinds)
        exercise(context, kinds)
    exercise_full_pipe(context)
    context.term()
    sys.exit(OWN_STATUS)


if __name__ == "__main__":
    main()
