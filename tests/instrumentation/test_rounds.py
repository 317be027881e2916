"""After many rounds of wrapping and unwrapping, and of ``install`` and ``uninstall``, all is as it was: whatever kind of socket it is."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from interpreters import frees_classes
from journal_reader import Journal

PROGRAM = """
    import asyncio, ctypes, gc, itertools, os, sys, threading, time
    from types import ModuleType
    import zmq
    import hopwatch
    from hopwatch.instrument import PROCESS

    names = map("inproc://{}".format, itertools.count())
    way = "bare"

    def begin(*sockets):
        for socket in sockets if way == "wrap" else ():
            hopwatch.wrap(socket, sequence="stamp")

    def end(*sockets):
        if way == "install":
            hopwatch.uninstall()
        for socket in sockets:
            hopwatch.unwrap(socket)
            assert "hopwatch" not in str([*vars(socket), *type(socket).__mro__])

    def exchange(push, pull):
        for parts in ([b"x"], [b"topic", b"x"]):
            push.send_multipart(parts)
            assert pull.poll(5000)
            assert pull.recv_multipart() == parts

    def connected(make, *kinds):
        bound, other = map(make, kinds)
        begin(bound, other)
        if other.type == zmq.SUB:
            other.subscribe(b"")
        name = next(names)
        bound.bind(name)
        other.connect(name)
        return bound, other

    def synchronous(context, make=None):
        make = make or context.socket
        push, pull = connected(make, zmq.PUSH, zmq.PULL)
        pub, sub = connected(make, zmq.PUB, zmq.SUB)
        for using in (lambda: None, lambda: end(push, pull, pub, sub)):
            using()
            exchange(push, pull)
            exchange(pub, sub)
        for socket in (push, pull, pub, sub):
            socket.close()

    def rounds(times, *ways):
        global way
        for _ in range(times):
            for way in ways:
                if way == "install":
                    hopwatch.install(sequence="stamp")
                a_round()

KIND

    def attributes():
        found = {}
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "zmq" and isinstance(module, ModuleType):
                for key, value in vars(module).items():
                    found[name, key] = value
                    for item in vars(value) if isinstance(value, type) else ():
                        if item != "__annotations__":  # pyzmq has Python make an empty one when an option is first set
                            found[name, key, item] = vars(value)[item]
        return found

    def held():
        PROCESS.rest()
        gc.collect()
        seen, now, alike, deadline = None, (), 0, time.monotonic() + 10
        while alike < 4 and time.monotonic() < deadline:  # libzmq lets go of closed sockets a little later
            time.sleep(0.05)
            seen, now = now, (threading.active_count(), len(os.listdir("/proc/self/fd")))
            alike = alike + 1 if seen == now else 0
        mapped = sum("counters" in line for line in open("/proc/self/maps").readlines())
        return [*now, len(gc.get_objects()), mapped, len(sys.modules)]

    rounds(2, "bare")
    before, modules = attributes(), set(sys.modules)
    rounds(10, "wrap", "install")
    at_first = held()
    rounds(40, "wrap", "install")
    at_last, after = held(), attributes()
    changed = {key for key in before.keys() | after.keys() if before.get(key) is not after.get(key)}
    assert changed == set(), changed
    assert not [name for name in set(sys.modules) - modules if not name.startswith("hopwatch")]
    print([now - then for now, then in zip(at_last, at_first)])
"""

KINDS = {
    "sync": """
    def a_round():
        with zmq.Context() as context:
            synchronous(context)
    """,
    "subclass": """
    class Own(zmq.Socket):
        def send(self, *args, **kwargs):
            return zmq.Socket.send(self, *args, **kwargs)
        def recv(self, *args, **kwargs):
            return zmq.Socket.recv(self, *args, **kwargs)

    def a_round():
        with zmq.Context() as context:
            synchronous(context, lambda kind: Own(context, kind))
    """,
    "shadow": """
    def a_round():
        with zmq.Context() as context:
            push, pull = connected(context.socket, zmq.PUSH, zmq.PULL)
            further = zmq.Socket.shadow(push), zmq.Socket.shadow(pull.underlying)
            begin(further[1])
            exchange(further[0], pull)
            end(push, pull, *further)
            exchange(*further)
            push.close()
            pull.close()
    """,
    "asyncio": """
    import zmq.asyncio

    async def exchange_asynchronously(push, pull):
        waiting = pull.recv_multipart()
        await push.send_multipart([b"topic", b"x"])
        assert await waiting == [b"topic", b"x"]

    async def use(context):
        push, pull = connected(context.socket, zmq.PUSH, zmq.PULL)
        await exchange_asynchronously(push, pull)
        waiting = pull.recv()
        end(push, pull)
        await push.send(b"x")
        assert await waiting == b"x"
        await exchange_asynchronously(push, pull)
        push.close()
        pull.close()

    def a_round():
        with zmq.asyncio.Context() as context:
            asyncio.run(use(context))
    """,
    "green": """
    import gevent
    import zmq.green

    def a_round():
        with zmq.green.Context() as context:
            gevent.spawn(synchronous, context).get()
    """,
    "device": """
    def a_round():
        with zmq.Context() as context:
            front, ins = connected(context.socket, zmq.PULL, zmq.PUSH)
            back, outs = connected(context.socket, zmq.PUSH, zmq.PULL)
            control, controlled = connected(context.socket, zmq.PAIR, zmq.PAIR)
            proxy = threading.Thread(target=zmq.proxy_steerable, args=(front, back, None, controlled))
            proxy.start()
            exchange(ins, outs)
            hopwatch.unwrap(control).send(b"TERMINATE")
            proxy.join()
            end(front, ins, back, outs, control, controlled)
            for socket in (front, ins, back, outs, control, controlled):
                socket.close()
    """,
    "one and the same": """
    lasting = zmq.Context()
    push, pull = lasting.socket(zmq.PUSH), lasting.socket(zmq.PULL)
    push.bind("inproc://lasting")
    pull.connect("inproc://lasting")
    counted = itertools.count()

    def a_round():
        for use in (begin, end):
            use(push, pull)
            exchange(push, pull)
        if next(counted) % 10 == 0:
            gc.collect()  # so that few mapped slots will do
    """,
}


IN_GATE = ("sync", "asyncio", "device")
LONG = pytest.mark.extended("hundreds of rounds; three kinds are in the gate")


@frees_classes
@pytest.mark.parametrize(
    "kind", [kind if kind in IN_GATE else pytest.param(kind, marks=LONG) for kind in KINDS]
)
def test_nothing_is_left_of_many_rounds(tmp_path: Path, journal: Journal, kind: str) -> None:
    if kind == "green":
        pytest.importorskip("gevent")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM.replace("KIND", KINDS[kind])))
    command = [sys.executable, str(program)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert ended.returncode == 0, ended.stderr
    threads, files, objects, mapped, modules = map(int, ended.stdout.strip("[]\n").split(","))
    assert (threads, files, mapped, modules) == (0, 0, 0, 0)
    assert objects < 50
    assert (journal.sockets(), journal.lanes()) == ({}, [])
    assert len(list(journal.directory.glob("*.counters"))) == 1
    assert journal.header() == {"events_lost": 0, "faults": 0}
