"""An application that comes to its last descriptors, or to the last sockets of a context, has as many of them as without hopwatch."""

import os
import resource
from collections.abc import Callable, Iterator
from functools import cache
from itertools import zip_longest
from pathlib import Path

import hopwatch
import pytest
import zmq
from as_bare import outcome
from hopwatch.monitors import room
from journal_reader import Journal

WAYS = ("wrap", "install", "run")
SOFT_LIMIT = 1024
"""What users have."""

EACH_NUMBER_LEFT = f"""
import os, resource, signal, sys, zmq
act, wraps = sys.argv[1], sys.argv[2] == "wrap"
if wraps:
    import hopwatch
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, ({SOFT_LIMIT}, hard))

def wrapped(socket):
    return hopwatch.wrap(socket) if wraps else socket

def until_refused(take):
    taken = []
    try:
        while True:
            taken.append(take())
    except (OSError, zmq.ZMQError):
        return taken

def with_descriptors(left):
    context = zmq.Context()
    first, second = wrapped(context.socket(zmq.PULL)), context.socket(zmq.PUSH)
    transport, _, what = act.partition(" ")
    first.bind("inproc://first" if transport == "inproc" else "tcp://127.0.0.1:*")
    held = until_refused(lambda: os.dup(0))
    for descriptor in held[:left]:
        os.close(descriptor)
    try:
        second = wrapped(second)
        if what == "connect":
            second.connect(first.last_endpoint)
        else:
            second.bind("inproc://second" if transport == "inproc" else "tcp://127.0.0.1:*")
        done = "done"
    except zmq.ZMQError as error:
        done = str(error)
    more = len(until_refused(lambda: os.dup(0))) if transport == "inproc" else ""
    return f"{{done}} {{more}}"

def with_sockets(left):
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, 60)
    sockets = [wrapped(context.socket(zmq.PUSH)) for _ in range(60 - left)]
    for number, socket in enumerate(sockets):
        socket.bind(f"inproc://{{number}}")
    return len(until_refused(lambda: wrapped(context.socket(zmq.PUSH))))

for left in map(int, sys.argv[3].split(",")):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        print(left, with_sockets(left) if act == "sockets" else with_descriptors(left), flush=True)
        os._exit(0)
    print(os.waitpid(child, 0)[1], flush=True)
"""


SOME = (0, 1, 2, 3, 5, 8, 40)
EACH = tuple(range(41))


@pytest.fixture(scope="module")
def bare() -> Callable[[str, str], str]:
    """What the program prints without hopwatch."""

    @cache
    def run(act: str, left: str) -> str:
        status, printed, _ = outcome(EACH_NUMBER_LEFT, "bare", act, "bare", left)
        assert status == 0
        assert printed.count("\n") > len(left.split(","))
        return printed

    return run


@pytest.mark.parametrize("left", [SOME, pytest.param(EACH, marks=pytest.mark.extended("each number"))])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("act", ["inproc connect", "inproc bind", "tcp connect", "tcp bind", "sockets"])
def test_with_few_left_a_call_has_the_same_result_and_as_many_are_left_as_bare(
    journal: Journal, bare: Callable[[str, str], str], act: str, way: str, left: tuple[int, ...]
) -> None:
    numbers = ",".join(map(str, left))
    status, printed, _ = outcome(EACH_NUMBER_LEFT, "bare" if way == "wrap" else way, act, way, numbers)
    assert status == 0
    for line, expected in zip_longest(printed.splitlines(), bare(act, numbers).splitlines(), fillvalue=""):
        assert line in {expected, with_two_more(expected)}


def with_two_more(line: str) -> str:
    """The line of an application that has two more left: a monitor was given up while it took what there was."""
    done, _, more = line.rpartition(" ")
    return f"{done} {int(more) + 2}" if done and more.isdigit() else line


MANY_SOCKETS = f"""
import os, resource, sys, zmq
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, ({SOFT_LIMIT}, hard))
context = zmq.Context()
pull = context.socket(zmq.PULL)
pull.bind("inproc://pull")
connected = sys.argv[1] == "connected"
port = pull.bind_to_random_port("tcp://127.0.0.1")
sockets = []
for _ in range(330 if connected else 1000):
    sockets.append(context.socket(zmq.PUSH))
    sockets[-1].connect(f"tcp://127.0.0.1:{{port}}" if connected else "inproc://pull")
    sockets[-1].send(b"")
    pull.recv()
print(len(sockets))
os._exit(0)
"""


@pytest.mark.parametrize("kind", ["connected", "within"])
@pytest.mark.parametrize("way", ["install", "run"])
def test_who_could_open_a_thousand_can_do_so_wrapped(journal: Journal, way: str, kind: str) -> None:
    assert outcome(MANY_SOCKETS, way, kind) == outcome(MANY_SOCKETS, "bare", kind)
    found = [event for event in journal.events("finding") if event["rule"] == "connections_not_watched"]
    assert len(found) == 1
    states = [event["state"] for event in journal.events("monitor")]
    assert 0 < states.count("attached") <= states.count("stopped")


def test_what_a_process_opens_besides_is_left_to_it_too(
    context: zmq.Context, journal: Journal, until, few_descriptors: None
) -> None:
    sockets = [hopwatch.wrap(context.socket(zmq.PUSH)) for _ in range(40)]
    for number, socket in enumerate(sockets):
        socket.bind(f"inproc://{number}")
    assert len(journal.events("monitor")) == 40
    held = []
    while room.spare_descriptors() > -10:
        held.append(os.dup(0))
    until(lambda: room.spare_descriptors() >= 0)
    assert {event["state"] for event in journal.events("monitor")} == {"attached", "stopped"}
    for descriptor in held:
        os.close(descriptor)
    for socket in sockets:
        socket.close()
    assert journal.header()["faults"] == 0


def test_a_process_that_begins_short_of_descriptors_is_counted_once_it_has_some(
    context: zmq.Context, journal: Journal, few_descriptors: None
) -> None:
    early, late = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    held = []
    while room.spare_descriptors() > 0:
        held.append(os.dup(0))
    hopwatch.wrap(early, name="early", sequence="stamp").bind("inproc://early")
    for descriptor in held:
        os.close(descriptor)
    hopwatch.wrap(late, name="late", sequence="stamp").connect("inproc://early")
    early.send(b"x")
    assert late.recv_multipart() == [b"x"]
    assert journal.socket("late")["received"] == 1
    assert [event["name"] for event in journal.events("opened")] == ["late"]


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """At most 300 more than are open now."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 300, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
