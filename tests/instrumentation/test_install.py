"""``install`` wraps every socket made from then on, by whatever way it is made; ``uninstall`` undoes all of it."""

import asyncio
import copy
import gc
import logging
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import hopwatch
import pytest
import zmq
import zmq.asyncio
import zmq.devices
import zmq.utils.garbage
from background_threads import background_threads
from hopwatch.sockets.hooks import HookedSocket
from journal_reader import Journal
from pyzmq_attributes import changed, pyzmq_attributes


@pytest.fixture(autouse=True)
def uninstalled() -> Iterator[None]:
    hopwatch.uninstall()  # puts back what closed sockets of other tests had needed
    yield
    hopwatch.uninstall()


class Announced(zmq.Socket):
    """An application's own socket: its ``__init__`` goes on after pyzmq's, and its subclasses are registered."""

    subclasses: ClassVar[list[type]] = []

    def __init_subclass__(cls) -> None:
        cls.subclasses.append(cls)

    def __init__(self, context: zmq.Context) -> None:
        super().__init__(context, zmq.PUSH)
        self.linger = 0


WAYS = {
    "by its context": lambda context: context.socket(zmq.PUSH),
    "by its class": lambda context: zmq.Socket(context, zmq.PUSH),
    "by a subclass": Announced,
    "by the class of another": lambda context: type(context.socket(zmq.PULL))(context, zmq.PUSH),
    "by another context's class": lambda context: context.socket(zmq.PUSH, socket_class=zmq.Socket),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_socket_is_wrapped_however_it_is_made(
    way: str, context: zmq.Context, journal: Journal, link
) -> None:
    hopwatch.install()
    with WAYS[way](context) as push, context.socket(zmq.PULL) as pull:
        link(push, pull)
        push.send(b"x")
        assert pull.recv() == b"x"
    counters = [event["counters"] for event in journal.events("closed")]
    assert (sum(c["sent"] for c in counters), sum(c["received"] for c in counters)) == (1, 1)
    assert Announced.subclasses == []


def test_an_installed_socket_is_probed_and_watched_as_a_wrapped_one(
    context: zmq.Context, journal: Journal
) -> None:
    hopwatch.install()
    for kind in (zmq.PUB, zmq.XPUB, zmq.SUB):
        context.socket(kind).bind("tcp://127.0.0.1:0")
    assert [event["probed"] for event in journal.events("opened")] == [True, True, False]
    assert [event["state"] for event in journal.events("monitor")] == ["attached"] * 3
    context.setsockopt(zmq.XPUB_NODROP, 1)
    pub = context.socket(zmq.PUB)
    pub.send(b"x")
    assert len(journal.events("probing_stopped")) == 1


def test_arguments_of_install_are_those_of_wrap(context: zmq.Context, journal: Journal, link) -> None:
    hopwatch.install(sequence="stamp")
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    link(push, pull)
    push.send(b"x")
    assert pull.recv_multipart() == [b"x"]
    assert {event["sequence"] for event in journal.events("opened")} == {"stamp"}
    assert len(journal.lanes()) == 2


def test_arguments_that_cannot_be_used_are_refused_by_install(journal: Journal) -> None:
    with pytest.raises(hopwatch.UsageError, match="stmp"):
        hopwatch.install(sequence="stmp")
    assert not hasattr(zmq.Socket.__init__, "__wrapped__")


def test_an_unusable_setting_of_the_environment_is_left_out(
    context: zmq.Context, journal: Journal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hopwatch.install()
    monkeypatch.setenv("HOPWATCH_SEQUENCE", "stmp")
    push = context.socket(zmq.PUSH)
    assert isinstance(push, HookedSocket)
    push.bind("tcp://127.0.0.1:0")
    assert [event["sequence"] for event in journal.events("opened")] == [None]
    assert "stmp" in caplog.text


def test_nothing_is_changed_after_uninstall(context: zmq.Context, journal: Journal) -> None:
    before = pyzmq_attributes()
    hopwatch.install()
    assert changed(before)
    context.socket(zmq.PUB)
    hopwatch.uninstall()
    assert changed(before) == set()


def test_no_thread_is_left_after_uninstall_and_the_next_socket_is_watched_again(
    context: zmq.Context, journal: Journal, link, until
) -> None:
    others = background_threads()

    def watching() -> bool:
        return background_threads() > others

    def files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    held: list[int] = []
    for times in (1, 2, 3):
        hopwatch.install()
        push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        link(push, pull)
        push.send(b"x")
        pull.recv()
        until(lambda times=times: len(journal.events("connected")) == 2 * times)
        assert watching()
        hopwatch.uninstall()
        until(lambda: not watching())
        push.close()
        pull.close()
        until(lambda: not held or files() <= held[0])
        held.append(files())
    assert journal.header()["faults"] == 0


def test_a_socket_wrapped_by_hand_is_watched_on_after_uninstall(
    context: zmq.Context, journal: Journal, link, until
) -> None:
    hopwatch.install()
    mine = hopwatch.wrap(context.socket(zmq.PULL), name="mine")
    context.socket(zmq.PUSH).bind("inproc://installed")
    mine.bind("tcp://127.0.0.1:*")
    hopwatch.uninstall()
    theirs = context.socket(zmq.PUSH)
    theirs.connect(mine.LAST_ENDPOINT.decode())
    until(lambda: journal.of("mine", "connected"))


def test_modules_loaded_while_installed_are_as_bare_ones_after_uninstall(
    tmp_path: Path, journal: Journal
) -> None:
    program = """
        import zmq, hopwatch
        hopwatch.install()
        import zmq.asyncio, zmq.devices
        assert zmq.devices.basedevice.proxy is zmq.proxy is not zmq.backend.cython._zmq.__dict__.get("bare")
        installed = zmq.proxy, zmq._future._AsyncSocket.__init__, zmq.devices.monitored_queue
        assert [function.__module__ for function in installed if not hasattr(function, "__wrapped__")] == []
        hopwatch.uninstall()
        bare = zmq.proxy, zmq.devices.basedevice.proxy, zmq._future._AsyncSocket.__init__, zmq.devices.monitored_queue
        assert [function for function in bare if hasattr(function, "__wrapped__")] == []
        assert "__init_subclass__" not in vars(zmq.Socket)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60)


def test_sockets_of_install_are_unwrapped_and_others_are_not(
    context: zmq.Context, journal: Journal, link
) -> None:
    mine = hopwatch.wrap(context.socket(zmq.PULL), name="mine")
    hopwatch.install()
    theirs = context.socket(zmq.PUSH)
    attributes = {name for name in vars(theirs) if not name.startswith("_hopwatch")}
    hopwatch.uninstall()
    assert type(theirs) is zmq.Socket
    assert set(vars(theirs)) == attributes
    assert isinstance(mine, HookedSocket)
    link(theirs, mine)
    theirs.send(b"x")
    assert mine.recv() == b"x"
    assert journal.socket("mine")["received"] == 1


def test_installing_and_uninstalling_may_be_repeated(context: zmq.Context, journal: Journal) -> None:
    before = pyzmq_attributes()
    hopwatch.uninstall()
    for _ in range(2):
        hopwatch.install()
        hopwatch.install(sequence="stamp")
        assert isinstance(context.socket(zmq.PUSH), HookedSocket)
        hopwatch.uninstall()
        hopwatch.uninstall()
        assert type(context.socket(zmq.PUSH)) is zmq.Socket
    assert changed(before) == set()
    assert [event["sequence"] for event in journal.events("opened")] == ["stamp", "stamp"]


def test_somebody_elses_patch_on_top_stays(context: zmq.Context, journal: Journal) -> None:
    bare = zmq.Socket.__init__
    hopwatch.install()
    ours = zmq.Socket.__init__
    made = []

    def theirs(socket: zmq.Socket, *args: object, **kwargs: object) -> None:
        ours(socket, *args, **kwargs)
        made.append(socket)

    zmq.Socket.__init__ = theirs
    try:
        hopwatch.uninstall()
        assert zmq.Socket.__init__ is theirs
        assert type(context.socket(zmq.PUSH)) is zmq.Socket
        assert len(made) == 1
    finally:
        zmq.Socket.__init__ = bare


def test_an_explicit_wrap_takes_the_place_of_the_installed_one(
    context: zmq.Context, journal: Journal, link
) -> None:
    hopwatch.install()
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    assert hopwatch.wrap(push, name="push", sequence="stamp") is push
    hopwatch.wrap(pull, name="pull", sequence="stamp")
    link(push, pull)
    push.send_multipart([b"a", b"b"])
    assert pull.recv_multipart() == [b"a", b"b"]
    assert journal.of("push", "opened")[0]["sequence"] == "stamp"
    assert (journal.socket("push")["sent"], len(journal.lanes())) == (1, 2)
    assert [event["state"] for event in journal.of("push", "monitor")] == ["attached"]
    hopwatch.uninstall()
    assert isinstance(push, HookedSocket)


def test_subscriptions_made_before_an_explicit_wrap_stay_known(
    context: zmq.Context, journal: Journal, link
) -> None:
    hopwatch.install()
    sub = context.socket(zmq.SUB)
    sub.subscribe(b"a")
    sub.subscribe(b"")
    hopwatch.wrap(sub, name="sub", sequence="stamp")
    assert sorted(event["topic"] for event in journal.of("sub", "subscribe")) == ["", "61"]


def test_a_shadow_is_not_wrapped_on_its_own(context: zmq.Context, journal: Journal) -> None:
    hopwatch.install()
    push = context.socket(zmq.PUSH)
    shadows = [
        zmq.Socket(push),
        zmq.Socket.shadow(push.underlying),
        type(push).shadow(push),
        copy.copy(push),
    ]
    assert not any(shadow.closed for shadow in shadows)
    assert len(journal.events("opened")) == 1


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("how", ["shadow(address)", "asyncio shadow(address)", "asyncio Socket(socket)"])
def test_a_shadow_by_whatever_way_sends_and_receives_as_part_of_its_socket(
    journal: Journal, how: str, sequence: str | None
) -> None:
    async def exchange() -> None:
        kind = zmq.asyncio.Context if how == "shadow(address)" else zmq.Context
        with kind() as context, context.socket(zmq.PUSH) as push, context.socket(zmq.PULL) as pull:
            push.bind("inproc://way")
            pull.connect("inproc://way")
            if how == "shadow(address)":
                second_push, second_pull = (zmq.Socket.shadow(socket.underlying) for socket in (push, pull))
                await push.send(b"1")
                second_push.send_multipart([b"2", b"3"])
                assert second_pull.recv_multipart() == [b"1"]
                assert await pull.recv_multipart() == [b"2", b"3"]
            else:
                by_address = how == "asyncio shadow(address)"
                made = zmq.asyncio.Socket.shadow if by_address else zmq.asyncio.Socket
                second_push, second_pull = (
                    made(socket.underlying if by_address else socket) for socket in (push, pull)
                )
                push.send(b"1")
                await second_push.send_multipart([b"2", b"3"])
                assert await second_pull.recv_multipart() == [b"1"]
                assert pull.recv_multipart() == [b"2", b"3"]

    hopwatch.install(sequence=sequence)
    asyncio.run(asyncio.wait_for(exchange(), 20))
    counted = {event["type"]: event for event in journal.events("opened")}
    assert len(journal.events("opened")) == 2
    closed = {event["socket"]: event["counters"] for event in journal.events("closed")}
    assert closed[counted["PUSH"]["socket"]]["sent"] == 2
    assert closed[counted["PULL"]["socket"]]["received"] == 2
    assert closed[counted["PULL"]["socket"]]["received_more_frames"] == 1
    assert journal.events("fault") == []


def test_what_pyzmq_frees_buffers_with_is_left_bare(context: zmq.Context, journal: Journal, link) -> None:
    zmq.utils.garbage.gc.stop()  # it is started when it is needed, once a process
    hopwatch.install()
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    link(push, pull)
    push.send(b"x" * 1_000_000, copy=False, track=True)
    assert len(pull.recv()) == 1_000_000
    assert [event["type"] for event in journal.events("opened")] == ["PUSH", "PULL"]


def test_asyncio_sockets_are_wrapped_until_uninstall(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    async def exchange() -> None:
        with (
            zmq.asyncio.Context() as context,
            context.socket(zmq.ROUTER) as router,
            context.socket(zmq.DEALER) as dealer,
        ):
            dealer.routing_id = b"dealer"
            router.bind("inproc://asyncio")
            dealer.connect("inproc://asyncio")
            await dealer.send(b"1")
            assert await router.recv_multipart() == [b"dealer", b"1"]
            await router.send_multipart([b"nobody", b"2"])
            await router.send_multipart([b"dealer", b"3"])
            assert await dealer.recv_multipart() == [b"3"]
            hopwatch.uninstall()
            await router.send_multipart([b"dealer", b"4"])
            assert await dealer.recv_multipart() == [b"4"]

    hopwatch.install(sequence="stamp")
    with caplog.at_level(logging.WARNING, "hopwatch"):
        asyncio.run(exchange())
    assert caplog.text == ""
    counters = [event["counters"] for event in journal.events("closed")]
    assert sorted((c["sent"], c["received"], c["unroutable"]) for c in counters) == [(1, 1, 0), (2, 1, 1)]
    assert journal.events("fault") == []


def test_hopwatchs_own_sockets_are_never_wrapped(context: zmq.Context, journal: Journal, until) -> None:
    hopwatch.install()
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
    until(lambda: journal.events("handshake"))
    assert sorted(event["type"] for event in journal.events("opened")) == ["PULL", "PUSH"]


def test_a_collected_socket_is_forgotten(context: zmq.Context, journal: Journal) -> None:
    hopwatch.install()
    zmq.Socket(context, zmq.PUSH).close()
    gc.collect()
    before = pyzmq_attributes()
    hopwatch.uninstall()
    assert changed(before)
    assert len(journal.events("opened")) == len(journal.events("closed")) == 1


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("frames", [1, 2])
def test_a_receive_that_waits_during_uninstall_ends_as_it_would_have(
    context: zmq.Context, journal: Journal, link, until, sequence: str | None, frames: int
) -> None:
    hopwatch.install(sequence=sequence)
    push, pull = zmq.Socket(zmq.Context.instance(), zmq.PUSH), context.socket(zmq.PULL)
    hopwatch.unwrap(push)
    link(push, pull)
    got: list[object] = []

    def receive() -> None:
        got.append("waits")
        got.append(pull.recv_multipart())
        got.append(pull.recv())

    thread = threading.Thread(target=receive)
    thread.start()
    until(lambda: got)
    until(lambda: is_waiting(thread))
    hopwatch.uninstall()
    push.send_multipart([b"x"] * frames)
    push.send(b"y")
    thread.join(10)
    assert got[1:] == [[b"x"] * frames, b"y"]
    push.close()
    zmq.Context.instance().term()


def is_waiting(thread: threading.Thread) -> bool:
    """Whether a thread sleeps in the kernel."""
    state = Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "S"


def test_a_send_that_waits_during_uninstall_ends_as_it_would_have(
    context: zmq.Context, journal: Journal, until
) -> None:
    hopwatch.install(sequence="stamp")
    push = context.socket(zmq.PUSH)
    sent: list[object] = []

    def send() -> None:
        sent.append("waits")
        sent.append(push.send(b"x"))

    thread = threading.Thread(target=send)
    thread.start()
    until(lambda: sent)
    until(lambda: is_waiting(thread))
    hopwatch.uninstall()
    pull = context.socket(zmq.PULL)
    pull.connect(f"inproc://{push.bind('inproc://waiting') and 'waiting'}")
    thread.join(10)
    assert sent == ["waits", None]
    assert pull.recv()[:-48] == b"x"


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_methods_held_since_before_uninstall_are_bare_ones(
    context: zmq.Context, journal: Journal, link, sequence: str | None
) -> None:
    hopwatch.install(sequence=sequence)
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    sub.subscribe(b"")
    link(pub, sub)
    send, recv = pub.send, sub.recv
    send(b"1")
    assert recv() == b"1"
    hopwatch.uninstall()
    for flags in (0, zmq.DONTWAIT):
        send(b"2", flags)
        assert recv() == b"2"
    send(b"3", zmq.SNDMORE)
    send(b"4")
    assert (recv(), recv()) == (b"3", b"4")
    assert not sub.poll(50)


def test_slots_of_unwrapped_sockets_come_back_with_the_end_of_the_socket(journal: Journal) -> None:
    with zmq.Context() as context:
        for _ in range(200):
            with context.socket(zmq.PUSH) as socket:
                hopwatch.wrap(socket)
                hopwatch.unwrap(socket)
    del socket
    assert len(list(journal.directory.glob("*.counters"))) == 1
