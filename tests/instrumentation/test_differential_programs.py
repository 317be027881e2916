"""Programs drawn at random, which fork and get signals within their calls, print the same with hopwatch and without, and end alike."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alike import SEQUENCES, differential
from hypothesis import given
from hypothesis import strategies as st

PROGRAM = """
import json
import os
import signal
import sys

import zmq
from zmq.backend import Socket as BackendSocket

ALARM_S = 0.01
BUSY_S = 1.0  # some uses of a parent's socket never return, at full CPU
steps, wish = json.loads(sys.argv[1]), json.loads(sys.argv[2])
if wish is not None:
    import hopwatch

    hopwatch.install(**wish)


class Rung(Exception):
    pass


class Sockets:
    '''Pairs over inproc; those that a parent made are its own.'''

    def __init__(self):
        self.context, self.made = zmq.Context(), {}
        self.context.linger = 0

    def open(self, place, kinds):
        one, other = (self.context.socket(getattr(zmq, kind)) for kind in kinds)
        for socket in (one, other):
            socket.sndhwm = socket.rcvhwm = 2
            socket.sndtimeo = socket.rcvtimeo = 100
        if other.type == zmq.ROUTER:
            one.routing_id = b"one"
        one.bind(f"inproc://{place}")
        other.connect(f"inproc://{place}")
        self.made[place] = os.getpid(), (one, other)

    def socket(self, place, end):
        process, ends = self.made[place]
        if process == os.getpid():
            for each in ends:
                if not each.closed:
                    BackendSocket.get(each, zmq.EVENTS)
        return ends[end]


sockets = Sockets()


def mine(place):
    '''Whether receiving comes back: from a parent's socket it never does.'''
    return sockets.made[place][0] == os.getpid()


def do(name, *arguments):
    if name == "open":
        return sockets.open(*arguments)
    if name == "fork":
        return fork(*arguments)
    place, end, *rest = arguments
    if name == "alarm":
        return alarm(place, end, *rest) if mine(place) else "left"
    socket = sockets.socket(place, end)
    if name == "send":
        return repr(socket.send_multipart([b"x" * size for size in rest[0]], rest[1]))
    if name == "close":  # both: when libzmq tells a peer is its own affair
        return [each.close() for each in sockets.made[place][1]]
    if not mine(place):
        return "left"
    if name == "recv":
        return repr(socket.recv(rest[0]))
    if name == "recv_multipart":
        return repr(socket.recv_multipart(rest[0]))
    if name == "poll":
        return socket.poll(0, rest[0])
    return socket.set(getattr(zmq, rest[0]), rest[1])


def alarm(place, end, then):
    '''A signal while a receive waits.'''
    socket, peer = sockets.socket(place, end), sockets.socket(place, 1 - end)

    def ring(*_):
        if then == "raise":
            raise Rung
        if then == "send":
            peer.send(b"rung", zmq.DONTWAIT)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, ALARM_S)
    try:
        return repr(socket.recv())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def fork(nested, ending):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        signal.setitimer(signal.ITIMER_PROF, BUSY_S)
        sockets.context = zmq.Context()
        sockets.context.linger = 0
        run(nested)
        sys.stdout.flush()
        if ending == "os._exit":
            os._exit(3)
        if ending == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        sockets.context.destroy(linger=0)
        os._exit(0)
    return os.waitpid(child, 0)[1]


def run(steps):
    for step in steps:
        try:
            came = do(*step)
        except zmq.ZMQError as error:
            came = f"{type(error).__name__} {error.errno}"
        except Exception as error:
            came = f"{type(error).__name__} {error}"
        print(json.dumps([step[0], came]))


run(steps)
sockets.context.destroy(linger=0)
print("ended")
"""

PLACES, ENDS = st.integers(0, 2), st.integers(0, 1)
FLAGS = st.sampled_from([0, 1])
KINDS = st.sampled_from([("PUSH", "PULL"), ("PAIR", "PAIR"), ("DEALER", "ROUTER"), ("DEALER", "DEALER")])
SIZES = st.lists(st.sampled_from([0, 1, 48, 70_000]), min_size=1, max_size=3)
OPTIONS = st.sampled_from(
    [("LINGER", 0), ("SNDHWM", 5), ("RCVTIMEO", 1), ("SNDTIMEO", 1), ("MAXMSGSIZE", 99)]
)

USES = st.one_of(
    st.tuples(st.just("send"), PLACES, ENDS, SIZES, FLAGS),
    st.tuples(st.just("send"), PLACES, st.just(0), SIZES, st.just(0)),
    st.tuples(st.sampled_from(["recv", "recv_multipart"]), PLACES, ENDS, FLAGS),
    st.tuples(st.sampled_from(["recv", "recv_multipart"]), PLACES, st.just(1), st.just(0)),
    st.tuples(st.just("poll"), PLACES, ENDS, st.sampled_from([1, 2, 3])),
    st.tuples(st.just("alarm"), PLACES, ENDS, st.sampled_from(["return", "raise", "send"])),
    OPTIONS.flatmap(lambda option: st.tuples(st.just("set"), PLACES, ENDS, *map(st.just, option))),
    st.tuples(st.just("close"), PLACES, ENDS),
    st.tuples(st.just("open"), st.integers(3, 5).map(str), KINDS),
)
OPENED = KINDS.flatmap(lambda kinds: st.just([("open", place, kinds) for place in range(3)]))
FORKS = st.tuples(
    st.just("fork"), st.lists(USES, max_size=8), st.sampled_from(["os._exit", "killed", "destroy"])
)
PROGRAMS = st.tuples(OPENED, st.lists(st.one_of(USES, USES, USES, FORKS), max_size=16)).map(
    lambda parts: [*parts[0], *parts[1]]
)


def told(program: Path, steps: list[Any], wish: dict[str, Any] | None) -> Any:
    """What a program prints, and how it ends."""
    command = [sys.executable, "-W", "ignore", str(program), json.dumps(steps), json.dumps(wish)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return ended.stdout, ended.stderr, ended.returncode


WISHES = {
    name: wish
    for name, wish in SEQUENCES.items()
    if all(isinstance(value, str | int) for value in wish.values())
}


@pytest.mark.parametrize("sequence", WISHES)
@differential(3)
@given(steps=PROGRAMS)
def test_a_program_that_forks_and_gets_signals_behaves_as_without(
    tmp_path_factory: pytest.TempPathFactory, sequence: str, steps: list[Any]
) -> None:
    program = tmp_path_factory.mktemp("programs") / "program.py"
    program.write_text(PROGRAM)
    bare = told(program, steps, None)
    assert told(program, steps, WISHES[sequence]) == bare
    assert bare[1:] == ("", 0)
