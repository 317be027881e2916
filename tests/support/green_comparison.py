"""Run as a program: does random operations to a bare and a wrapped pair of green sockets, and tells the first difference.

Arguments: a seed, how many runs, and "patched" or not. In each run greenlets do what they are told to one after another; who waits is
left waiting, killed, or timed out.
"""

import random
import sys
import time
from typing import Any

import gevent
import gevent.monkey

if sys.argv[3:] == ["patched"]:
    gevent.monkey.patch_all()

import hopwatch
import zmq.green as zmq

WISHES: list[dict[str, Any]] = [
    {},
    {"sequence": "count"},
    {"sequence": "stamp"},
    {"sequence": "stamp", "stamp_every": 3},
]
PAIRINGS = {
    "PUSH-PULL": (zmq.PUSH, zmq.PULL),
    "PUB-SUB": (zmq.PUB, zmq.SUB),
    "DEALER-ROUTER": (zmq.DEALER, zmq.ROUTER),
    "REQ-REP": (zmq.REQ, zmq.REP),
}
STAMP_LIKE = b"\xff\x48\x57\x01" + b"x" * 43
BODIES = [b"", b"a", b"bc", b"x" * 48, STAMP_LIKE, b"y" * 700, b"me", "text", 7, None]
FLAGS = [0, 0, 0, zmq.DONTWAIT, zmq.SNDMORE, zmq.SNDMORE | zmq.DONTWAIT]
TURNS = 3
"""So many turns of the hub are enough for whatever can be done between two sockets of one thread."""
PATIENT_S = 3.0


class Pair:
    """Two green sockets over inproc, and the greenlets that wait on them."""

    def __init__(self, kinds: tuple[int, int], hwm: int, wish: dict[str, Any] | None) -> None:
        self.context = zmq.Context()
        self.sockets = [self.context.socket(kind) for kind in kinds]
        self.waiting: list[gevent.Greenlet] = []
        for socket in self.sockets:
            socket.linger, socket.hwm = 0, hwm
            if wish is not None:
                hopwatch.wrap(socket, **wish)
        one, other = self.sockets
        if one.type in {zmq.DEALER, zmq.REQ}:
            one.routing_id = b"me"
        one.bind("inproc://pair")
        other.connect("inproc://pair")
        if other.type == zmq.SUB:
            other.subscribe(b"")
        self.take_in()

    def take_in(self) -> None:
        """Have libzmq take in what the peers have told, who by this may tell more: that a message was taken out of the pipe."""
        for socket in self.sockets * 2:
            socket.getsockopt(zmq.EVENTS)

    def begin(self, operation: tuple[Any, ...]) -> None:
        """Do an operation, in a greenlet of its own."""
        name, end, _, *arguments = operation
        self.take_in()
        self.waiting.append(gevent.spawn(outcome, self.sockets[end], name, arguments))

    def end(self, afterwards: str) -> None:
        """Give up the last operation, if it is waiting."""
        if afterwards == "kill":
            self.waiting[-1].kill(timeout=1)
        elif afterwards == "time out":
            self.waiting[-1].kill(gevent.Timeout(0), timeout=1)

    def told(self) -> list[Any]:
        """What has come of all operations by now."""
        return [seen(each) for each in self.waiting]

    def is_waited_for(self, end: int, sends: bool) -> bool:
        return any(
            not greenlet.ready()
            and greenlet.args[0] is self.sockets[end]
            and (greenlet.args[1][:4] == "send") is sends
            for greenlet in self.waiting
        )

    def close(self) -> None:
        gevent.killall(self.waiting, timeout=1)
        for socket in self.sockets:
            socket.close(0)
        self.context.term()


def turns() -> None:
    for _ in range(TURNS):
        gevent.sleep(0.0005)  # the hub looks at files only where it has to wait


def have_come_to_the_same(bare: Pair, wrapped: Pair) -> bool:
    """After some turns, or within a deadline."""
    turns()
    deadline = time.monotonic() + PATIENT_S
    while bare.told() != wrapped.told() and time.monotonic() < deadline:
        turns()
    return bare.told() == wrapped.told()


def seen(greenlet: gevent.Greenlet) -> Any:
    if not greenlet.ready():
        return "waits"
    return "killed" if isinstance(greenlet.value, gevent.GreenletExit) else greenlet.value


def outcome(socket: Any, name: str, arguments: list[Any]) -> Any:
    try:
        return shown(ACTIONS[name](socket, *arguments))
    except (Exception, gevent.Timeout) as error:  # noqa: BLE001 -- whatever the bare socket raises, the wrapped one must raise
        return type(error).__name__, getattr(error, "errno", None), str(error)


def shown(value: Any) -> Any:
    if isinstance(value, zmq.Frame):
        return value.bytes, value.more
    if isinstance(value, list | tuple):
        return [shown(each) for each in value]
    return value if isinstance(value, bytes | int | str | None) else type(value).__name__


def recv_into(socket: Any, size: int, flags: int) -> Any:
    buffer = bytearray(size)
    return socket.recv_into(buffer, flags=flags), bytes(buffer)


def recv(socket: Any, flags: int, copy: bool) -> Any:
    return socket.recv(flags, copy), socket.rcvmore


def poller(socket: Any, timeout: Any, flags: int) -> Any:
    made = zmq.Poller()
    made.register(socket, flags)
    return [events for _, events in made.poll(timeout)]


def select(socket: Any) -> Any:
    return [len(ready) for ready in zmq.select([socket], [socket], [socket], 0)]


ACTIONS: dict[str, Any] = {
    "send": lambda socket, body, flags, copy: socket.send(body, flags, copy),
    "send_multipart": lambda socket, bodies, flags, copy: socket.send_multipart(bodies, flags, copy),
    "send_json": lambda socket, flags: socket.send_json({"a": 1}, flags),
    "recv": recv,
    "recv_multipart": lambda socket, flags, copy: socket.recv_multipart(flags, copy),
    "recv_into": recv_into,
    "poll": lambda socket, timeout, flags: socket.poll(timeout, flags),
    "poller": poller,
    "select": select,
    "get": lambda socket, option: socket.getsockopt(option),
    "more": lambda socket: (socket.rcvmore, socket.getsockopt(zmq.RCVMORE)),
}


def an_operation(chance: random.Random) -> tuple[Any, ...]:
    name = chance.choice([*ACTIONS, "send", "send", "recv", "recv", "recv_multipart", "send_multipart"])
    end = chance.choice([0, 1] if name not in {"send", "send_multipart"} else [0, 0, 0, 1])
    receiving = chance.choice([0, 0, zmq.DONTWAIT])
    arguments: dict[str, list[Any]] = {
        "send": [chance.choice(BODIES), chance.choice(FLAGS), chance.random() < 0.7],
        "send_multipart": [
            [chance.choice(BODIES[:7]) for _ in range(chance.randint(0, 3))],
            chance.choice(FLAGS[:4]),
            chance.random() < 0.7,
        ],
        "send_json": [chance.choice(FLAGS[:4])],
        "recv": [receiving, chance.random() < 0.7],
        "recv_multipart": [receiving, chance.random() < 0.7],
        "recv_into": [chance.choice([0, 3, 60]), receiving],
        "poll": [chance.choice([0, 10_000]), chance.choice([1, 2, 3])],
        "poller": [chance.choice([0, 10_000]), chance.choice([1, 2, 3])],
        "get": [chance.choice([zmq.EVENTS, zmq.RCVMORE, zmq.SNDHWM, zmq.TYPE])],
    }
    return (name, end, chance.choice(["kill", "leave", "kill", "time out"]), *arguments.get(name, []))


def is_compared(pair: Pair, operation: tuple[Any, ...]) -> bool:
    """A green socket lets one greenlet wait at a time; and who takes off stamps has the next frame already, and so makes room a frame early."""
    name, end, *_ = operation
    sends = name.startswith("send")
    asks = name.startswith("recv") or name in {"poll", "poller"}
    if (sends or asks) and (pair.is_waited_for(end, True) or pair.is_waited_for(end, False)):
        return False
    return not (sends and pair.sockets[1 - end].rcvmore)


def run(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 -- the same each time
    pairing, wish = chance.choice(list(PAIRINGS)), chance.choice(WISHES)
    # a SUB or ROUTER that is asked for a message takes a frame ahead: at a mark, stamps show there (see test_room_at_the_mark.py)
    hwm = 2 if PAIRINGS[pairing][1] in {zmq.PULL, zmq.REP} or "stamp" not in wish.values() else 1000
    bare, wrapped = Pair(PAIRINGS[pairing], hwm, None), Pair(PAIRINGS[pairing], hwm, wish)
    done = []
    for _ in range(25):
        operation = an_operation(chance)
        if not is_compared(bare, operation):
            continue
        done.append(operation)
        for pair in (bare, wrapped):
            pair.begin(operation)
        same = have_come_to_the_same(bare, wrapped)
        for pair in (bare, wrapped):
            pair.end(operation[2])
        if not same or not have_come_to_the_same(bare, wrapped):
            differing = [
                both for both in zip(done, wrapped.told(), bare.told(), strict=True) if both[1] != both[2]
            ]
            print(f"seed {seed}: {pairing} {wish}: of {done}: {differing}"[:3000])
            break
    bare.close()
    wrapped.close()


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:3])
    for number in range(first, first + count):
        run(number)
