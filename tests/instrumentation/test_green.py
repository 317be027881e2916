"""gevent's sockets, each test in a process of its own: gevent changes the whole of one."""

import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest
from journal_reader import Journal

pytestmark = pytest.mark.skipif(
    find_spec("gevent") is None, reason="gevent is not there for every interpreter"
)

PRELUDE = """
import gevent.monkey
{patching}
import gevent
import hopwatch
import zmq.green as zmq

def pair(context, kinds, wrapped=True, hwm=1000, **options):
    sender, receiver = context.socket(kinds[0]), context.socket(kinds[1])
    for socket in (sender, receiver):
        socket.linger = 0
        socket.hwm = hwm
        if wrapped:
            hopwatch.wrap(socket, name="sender" if socket is sender else "receiver", **options)
    if kinds[1] == zmq.SUB:
        receiver.subscribe(b"")
    port = sender.bind_to_random_port("tcp://127.0.0.1")
    receiver.connect(f"tcp://127.0.0.1:{{port}}")
    return sender, receiver
"""

PATCHED = "gevent.monkey.patch_all()"


@pytest.fixture(params=["", PATCHED], ids=["unpatched", "patched"])
def patching(request: pytest.FixtureRequest) -> str:
    return request.param


def run(program: str, journal: Journal, patching: str, folder: Path) -> list[str]:
    """Lines that a program with green sockets prints; it must end by itself."""
    file = folder / "program.py"
    file.write_text(PRELUDE.format(patching=patching) + textwrap.dedent(program))
    ended = subprocess.run(
        [sys.executable, "-W", "error", str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert journal.events("fault") == []
    return ended.stdout.splitlines()


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_messages_are_counted_and_arrive_as_they_were_sent(
    journal: Journal, patching: str, sequence: str | None, tmp_path: Path
) -> None:
    program = f"""
        context = zmq.Context()
        sender, receiver = pair(context, (zmq.PUSH, zmq.PULL), sequence={sequence!r})
        waiting = gevent.spawn(receiver.recv)
        gevent.sleep(0.01)
        sender.send(b"one")
        print(waiting.get())
        sender.send_multipart([b"two", b"frames"])
        sender.send_json({{"three": 3}}, zmq.NOBLOCK)
        print(receiver.recv_multipart(), receiver.recv_json())
        sender.send(b"four", copy=False)
        buffer = bytearray(4)
        receiver.recv_into(buffer)
        print(buffer)
        sender.close()
        receiver.close()
        context.term()
    """
    told = run(program, journal, patching, tmp_path)
    assert told == ["b'one'", "[b'two', b'frames'] {'three': 3}", "bytearray(b'four')"]
    sender, receiver = (journal.of(name, "closed")[0]["counters"] for name in ("sender", "receiver"))
    assert (sender["sent"], sender["sent_more_frames"], sender["sent_bytes"]) == (4, 1, 28)
    assert (receiver["received"], receiver["received_more_frames"], receiver["received_bytes"]) == (4, 1, 28)
    assert (sender["eagain_sends"], receiver["eagain_receives"], receiver["lost"]) == (0, 0, 0)
    assert receiver["waited_receives"] >= 1


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_full_pipe_makes_only_the_sending_greenlet_wait(
    journal: Journal, patching: str, sequence: str | None, tmp_path: Path
) -> None:
    program = f"""
        context = zmq.Context()
        for wrapped in (False, True):
            sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
            sender.sndhwm = receiver.rcvhwm = 1
            if wrapped:
                hopwatch.wrap(sender, name="sender", sequence={sequence!r})
                hopwatch.wrap(receiver, name="receiver", sequence={sequence!r})
            receiver.bind(f"inproc://full-{{wrapped}}")
            sender.connect(f"inproc://full-{{wrapped}}")
            sending = gevent.spawn(lambda: [sender.send(b"%d" % number) for number in range(9)])
            gevent.sleep(0.05)
            refused = 0
            try:
                sender.send(b"no", zmq.NOBLOCK)
            except zmq.Again:
                refused += 1
            print(sending.ready(), refused, [receiver.recv() for _ in range(9)])
            sending.get()
            try:
                receiver.recv(zmq.NOBLOCK)
            except zmq.Again:
                print("empty")
            sender.close()
            receiver.close()
        context.term()
    """
    told = run(program, journal, patching, tmp_path)
    assert told[:2] == told[2:]
    assert told[0].startswith("False 1 [b'0', b'1'")
    sender, receiver = (journal.of(name, "closed")[0]["counters"] for name in ("sender", "receiver"))
    assert (sender["sent"], sender["eagain_sends"], receiver["eagain_receives"]) == (9, 1, 1)
    assert sender["waited_sends"] >= 1
    assert sender["waited_ns"] > 40_000_000
    assert receiver["lost"] == 0


def test_a_publisher_drops_as_a_bare_one_and_its_onsets_are_seen(
    journal: Journal, patching: str, tmp_path: Path
) -> None:
    program = """
        context = zmq.Context()
        for wrapped in (False, True):
            sender, receiver = context.socket(zmq.PUB), context.socket(zmq.SUB)
            sender.sndhwm = receiver.rcvhwm = 5
            if wrapped:
                hopwatch.wrap(sender, name="sender", sequence="stamp")
                hopwatch.wrap(receiver, name="receiver", sequence="stamp")
            receiver.subscribe(b"")
            sender.bind(f"inproc://drops-{wrapped}")
            receiver.connect(f"inproc://drops-{wrapped}")
            sender.getsockopt(zmq.EVENTS)
            got = []
            for burst in range(3):
                for number in range(100 * burst, 100 * burst + 50):
                    sender.send(b"%d" % number)
                while receiver.poll(20):
                    got.append(receiver.recv())
            print(got)
            sender.close()
            receiver.close()
        context.term()
    """
    bare, wrapped = run(program, journal, patching, tmp_path)
    assert wrapped == bare
    sender, receiver = (journal.of(name, "closed")[0]["counters"] for name in ("sender", "receiver"))
    assert (sender["sent"], sender["onsets"], sender["waited_sends"]) == (150, 3, 0)
    assert (receiver["received"], receiver["gaps"], receiver["lost"]) == (30, 2, 80)


@pytest.mark.extended("a machine that stands still holds them up, too")
def test_monitors_never_hold_up_the_other_greenlets(journal: Journal, patching: str, tmp_path: Path) -> None:
    program = """
        import time
        context = zmq.Context()
        longest = 0.0

        def tick():
            global longest
            while True:
                began = time.monotonic()
                gevent.sleep(0.001)
                longest = max(longest, time.monotonic() - began)

        ticking = gevent.spawn(tick)
        sender, receiver = pair(context, (zmq.PUSH, zmq.PULL))
        for _ in range(200):
            sender.send(b"x")
            receiver.recv()
        gevent.sleep(0.3)
        receiver.close()
        gevent.sleep(0.3)
        ticking.kill()
        sender.close()
        context.term()
        print(longest < 0.25)
    """
    runs = 1
    while run(program, journal, patching, tmp_path) != ["True"]:
        assert runs < 10, "they were held up each time"
        runs += 1
    assert len(journal.of("receiver", "connected")) == 1
    assert len(journal.of("sender", "connected")) == 1
    assert len(journal.of("sender", "disconnected")) == 1


def test_synchronous_sockets_of_a_patched_process_have_their_connections_journaled(
    journal: Journal, tmp_path: Path
) -> None:
    program = """
        import zmq as plain
        context = plain.Context()
        push, pull = hopwatch.wrap(context.socket(plain.PUSH), name="push"), context.socket(plain.PULL)
        pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
        push.send(b"x")
        print(pull.recv())
        gevent.sleep(0.2)
        pull.close()
        push.close()
        context.term()
    """
    assert run(program, journal, PATCHED, tmp_path) == ["b'x'"]
    [connected] = journal.of("push", "connected")
    assert connected["remote"].startswith("127.0.0.1:")


def test_a_green_device_passes_messages_between_wrapped_sockets(
    journal: Journal, patching: str, tmp_path: Path
) -> None:
    program = """
        context = zmq.Context()
        source, entrance = pair(context, (zmq.PUSH, zmq.PULL), sequence="stamp")
        way_out, sink = pair(context, (zmq.PUSH, zmq.PULL), wrapped=False)
        hopwatch.wrap(way_out, name="out", sequence="stamp")
        hopwatch.wrap(sink, name="sink", sequence="stamp")
        from zmq.green.device import device
        running = gevent.spawn(device, zmq.STREAMER, entrance, way_out)
        for number in range(5):
            source.send_multipart([b"%d" % number, b"x"])
        print([sink.recv_multipart()[0] for _ in range(5)])
        running.kill()
        for socket in (source, entrance, way_out, sink):
            socket.close()
        context.term()
    """
    [told] = run(program, journal, patching, tmp_path)
    assert told == "[b'0', b'1', b'2', b'3', b'4']"
    assert journal.of("sink", "closed")[0]["counters"]["lost"] == 0


def test_unwrapping_makes_a_green_socket_bare(journal: Journal, patching: str, tmp_path: Path) -> None:
    program = """
        context = zmq.Context()
        socket = context.socket(zmq.PUB)
        before, said = type(socket), repr(socket)
        hopwatch.wrap(socket, name="pub", sequence="stamp")
        print(repr(socket) == said, type(socket) is before)
        hopwatch.unwrap(socket)
        print(type(socket) is before, "_hopwatch" in socket.__dict__)
        socket.close()
        context.term()
    """
    assert run(program, journal, patching, tmp_path) == ["True False", "True False"]


def test_an_applications_own_subclass_keeps_its_ways(journal: Journal, patching: str, tmp_path: Path) -> None:
    program = """
        class Shouting(zmq.Socket):
            def send(self, data, flags=0, **kwargs):
                return super().send(data.upper().encode(), flags, **kwargs)

        context = zmq.Context()
        sender, receiver = Shouting(context, zmq.PUSH), context.socket(zmq.PULL)
        hopwatch.wrap(sender, name="sender")
        sender.bind("inproc://shouting")
        receiver.connect("inproc://shouting")
        sender.send("quiet")
        print(receiver.recv())
        sender.close()
        receiver.close()
        context.term()
    """
    assert run(program, journal, patching, tmp_path) == ["b'QUIET'"]
    assert journal.of("sender", "closed")[0]["counters"]["sent"] == 1
