"""Monitors tell of connections, and are never in the way of an application that ends or has a monitor of its own."""

import contextlib
import os
import threading
import time
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.instrument import PROCESS
from hopwatch.monitors.addresses import addresses_of
from hopwatch.monitors.room import Room
from hopwatch.monitors.thread import MonitorThread
from hopwatch.monitors.watched import EVENT, Watched
from hopwatch.settings import from_environment
from journal_reader import Journal


def finishes(action, seconds: float = 20) -> bool:
    """Whether it returns within this time, in a thread of its own."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def descriptors_of(file: str) -> list[int]:
    """Open descriptors of one file; those of others come and go with the sockets of earlier tests."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if str(descriptor.readlink()) == file:
                found.append(int(descriptor.name))
    return found


@pytest.fixture
def pair(context: zmq.Context, journal: Journal, link, until):
    """A connected PUSH (bound) and PULL, whose handshakes have been journaled."""
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    link(push, pull)
    until(lambda: journal.of("push", "handshake") and journal.of("pull", "handshake"))
    return push, pull


def test_both_ends_of_a_connection_name_the_same_two_addresses(pair, journal: Journal) -> None:
    bound, connected = (journal.of(name, "connected")[0] for name in ("push", "pull"))
    assert (bound["local"], bound["remote"]) == (connected["remote"], connected["local"])
    assert bound["local"] == journal.of("push", "bind")[0]["endpoint"].removeprefix("tcp://")
    assert (bound["accepted"], connected["accepted"]) == (True, False)
    assert (bound["connection"], connected["connection"]) == (1, 1)


def test_a_disconnection_names_its_connection_and_what_was_sent_by_then(
    pair, journal: Journal, until
) -> None:
    push, pull = pair
    for _ in range(3):
        push.send(b"x")
        pull.recv()
    pull.close()
    until(lambda: journal.of("push", "disconnected"))
    (connected,), (disconnected,) = (journal.of("push", kind) for kind in ("connected", "disconnected"))
    for key in ("connection", "local", "remote"):
        assert disconnected[key] == connected[key]
    assert (disconnected["sent"], connected["sent"]) == (3, 0)


def test_a_connect_to_nobody_is_journaled_as_retried(context: zmq.Context, journal: Journal, until) -> None:
    free = context.socket(zmq.PULL)
    port = free.bind_to_random_port("tcp://127.0.0.1")
    free.close()
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    push.connect(f"tcp://127.0.0.1:{port}")
    until(lambda: journal.of("push", "retried"))


def test_over_ipc_each_peer_is_told_of_at_the_place_where_both_met_and_without_addresses(
    context: zmq.Context, journal: Journal, tmp_path, until
) -> None:
    place = f"ipc://{tmp_path}/pipe"
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    push.bind(place)
    known = hopwatch.wrap(context.socket(zmq.PULL), name="known")
    for pull in (known, context.socket(zmq.PULL)):
        pull.connect(place)
    until(lambda: len(journal.of("push", "connected")) == 2 and journal.of("known", "connected"))
    told = journal.of("push", "connected") + journal.of("known", "connected")
    assert [(event["endpoint"], event["accepted"]) for event in told] == [
        (place, True),
        (place, True),
        (place, False),
    ]
    assert {(event["local"], event["remote"]) for event in told} == {(None, None)}


def test_a_connection_over_ipc_that_breaks_is_told_of_by_both_ends_that_stay(
    context: zmq.Context, journal: Journal, tmp_path, until
) -> None:
    place = f"ipc://{tmp_path}/pipe"
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    push.bind(place)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    pull.maxmsgsize = 1000
    pull.connect(place)
    began = time.time_ns()
    push.send(b"x" * 1001)
    until(lambda: journal.of("push", "disconnected") and journal.of("pull", "disconnected"))
    told = [journal.of(name, "disconnected")[0] for name in ("push", "pull")]
    assert [event["endpoint"] for event in told] == [place, place]
    assert all(began <= event["t"] <= time.time_ns() for event in told)


def test_of_inproc_no_monitor_tells(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    push.bind("inproc://pipe")
    pull.connect("inproc://pipe")
    push.send(b"x")
    pull.recv()
    pull.close()
    push.close()
    assert not [event for name in ("push", "pull") for event in journal.of(name, "connected")]


def test_a_descriptor_that_is_no_socket_any_more_leaves_none_open() -> None:
    read, write = os.pipe()
    pipe = str(Path(f"/proc/self/fd/{read}").readlink())
    assert {addresses_of(read, "tcp://127.0.0.1:1", accepted=True) for _ in range(5)} == {(None, None)}
    assert sorted(descriptors_of(pipe)) == sorted([read, write])
    os.close(read)
    os.close(write)


def test_a_disconnection_told_after_the_close_has_the_sockets_own_counts(
    context: zmq.Context, journal: Journal, until
) -> None:
    for _ in range(20):
        push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
        pull = context.socket(zmq.PULL)
        pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
        push.send(b"x")
        pull.recv()
        pull.close()
        push.close()
        other = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
        other.close()
    closed = {event["socket"]: event["counters"]["sent"] for event in journal.events("closed")}
    for event in journal.events("disconnected"):
        assert event["sent"] == closed[event["socket"]]
    for event in journal.events("lanes"):
        assert {stream for stream, *_ in event["lanes"]} == {event["socket"]}


def test_a_context_ends_promptly_after_its_socket_was_closed(journal: Journal) -> None:
    context = zmq.Context()
    socket = hopwatch.wrap(context.socket(zmq.PUB))
    socket.bind_to_random_port("tcp://127.0.0.1")
    socket.close()
    assert finishes(context.term)


def test_a_context_ends_promptly_when_another_thread_closes_the_socket_upon_its_end(journal: Journal) -> None:
    context = zmq.Context()
    socket = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    socket.bind_to_random_port("tcp://127.0.0.1")

    def receive_until_terminated() -> None:
        with pytest.raises(zmq.ContextTerminated):
            socket.recv()
        socket.close()

    receiving = threading.Thread(target=receive_until_terminated)
    receiving.start()
    assert finishes(context.term)
    receiving.join()
    assert len(journal.of("pull", "closed")) == 1
    assert (journal.header()["faults"], journal.of("pull", "fault")) == (0, [])


def test_a_context_can_be_destroyed_by_another_thread(journal: Journal) -> None:
    context = zmq.Context()
    names = [f"socket-{number}" for number in range(10)]
    sockets = [hopwatch.wrap(context.socket(zmq.DEALER), name=name) for name in names]
    for socket in sockets:
        socket.bind_to_random_port("tcp://127.0.0.1")
    assert finishes(context.destroy)
    assert all(journal.of(name, "closed") for name in names)
    assert journal.header()["faults"] == 0


def test_after_one_context_has_ended_sockets_of_another_are_still_watched(
    journal: Journal, context: zmq.Context, link, until
) -> None:
    ended = zmq.Context()
    with hopwatch.wrap(ended.socket(zmq.PULL)):
        ended.destroy(linger=0)
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    link(push, context.socket(zmq.PULL))
    until(lambda: journal.of("push", "handshake"))


class Failing:
    """A chore that fails twice, and is over the third time."""

    def __init__(self, context: zmq.Context) -> None:
        self.socket = context.socket(zmq.PAIR)
        self.tried = 0

    def run(self) -> float | None:
        self.tried += 1
        if self.tried <= 2:
            raise ValueError("no good")
        self.socket.close()
        return None


def test_a_fault_in_the_monitor_thread_is_counted_and_ends_nothing(
    context: zmq.Context, journal: Journal, link, until
) -> None:
    monitors = PROCESS.instrument(from_environment()).monitors
    failing = Failing(context)
    monitors.take(failing.run)
    until(lambda: failing.socket.closed)
    garbling, garbled = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    garbling.bind("inproc://garbled"), garbled.connect("inproc://garbled")
    push, pull = (hopwatch.wrap(context.socket(kind), name=str(kind)) for kind in (zmq.PUSH, zmq.PULL))
    monitors.take(Watched(garbled, push._hopwatch))
    garbling.send_multipart([b"short", b"tcp://127.0.0.1:1"])
    until(lambda: len(journal.events("fault")) == 2)
    garbling.send_multipart([EVENT.pack(zmq.EVENT_CONNECT_RETRIED, 0), b"tcp://127.0.0.1:1"])
    until(lambda: journal.events("retried"))
    assert journal.header()["faults"] == 2 + 1
    assert "ValueError: no good" in journal.events("fault")[0]["text"]
    link(push, pull)
    until(lambda: journal.events("handshake"))
    garbling.send_multipart([EVENT.pack(zmq.EVENT_MONITOR_STOPPED, 0), b""])
    until(lambda: garbled.closed)


class HandsOverAtTheEnd:
    """A chore in which a monitor is handed over, and the thread is asked to end."""

    def __init__(self, monitors: MonitorThread, watched: Watched) -> None:
        self.over = False
        self._monitors, self._watched = monitors, watched
        self.ending = threading.Thread(target=monitors.end)

    def run(self) -> float | None:
        self._monitors.take(self._watched)
        self.ending.start()
        while not self._monitors.is_ending:
            time.sleep(0.001)
        self.over = True
        return None


def test_a_monitor_that_is_handed_over_while_the_thread_ends_is_drained(
    context: zmq.Context, journal: Journal, until
) -> None:
    ended, end = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    ended.bind("inproc://ended"), end.connect("inproc://ended")
    ended.send_multipart([EVENT.pack(zmq.EVENT_MONITOR_STOPPED, 0), b""])
    instrument = PROCESS.instrument(from_environment())
    monitors = MonitorThread(instrument.journal, Room())
    state = hopwatch.wrap(context.socket(zmq.PUSH))._hopwatch
    chore = HandsOverAtTheEnd(monitors, Watched(end, state))
    monitors.take(chore.run)
    until(lambda: chore.over)
    chore.ending.join(10)
    assert end.closed


def test_a_context_ends_promptly_after_a_fault_in_the_monitor_thread(journal: Journal, until) -> None:
    with zmq.Context() as other:
        failing = Failing(other)
        PROCESS.instrument(from_environment()).monitors.take(failing.run)
        until(lambda: failing.tried)
        context = zmq.Context()
        socket = hopwatch.wrap(context.socket(zmq.PUB))
        socket.bind_to_random_port("tcp://127.0.0.1")
        socket.close()
        assert finishes(context.term)
        until(lambda: failing.socket.closed)


def test_a_failed_bind_says_why_as_from_a_bare_socket(context: zmq.Context, journal: Journal) -> None:
    taken = context.socket(zmq.PULL)
    port = taken.bind_to_random_port("tcp://127.0.0.1")
    errors = []
    for socket in (context.socket(zmq.PULL), hopwatch.wrap(context.socket(zmq.PULL))):
        with pytest.raises(zmq.ZMQError) as error:
            socket.bind(f"tcp://127.0.0.1:{port}")
        errors.append((type(error.value), error.value.errno, str(error.value)))
    assert errors[0] == errors[1]
    assert errors[0][1] == zmq.EADDRINUSE


def test_monitors_leave_half_of_a_contexts_sockets_to_the_application(journal: Journal) -> None:
    with zmq.Context() as context:
        context.max_sockets = 40
        sockets = [hopwatch.wrap(context.socket(zmq.PUSH), name=f"push-{number}") for number in range(18)]
        found = [finding.rule for socket in sockets for finding in hopwatch.findings(socket)]
        assert 0 < len(found) < 18
        assert set(found) == {"connections_not_watched"}
        assert journal.header()["faults"] == 0
        for socket in sockets:
            socket.close()


class Standing:
    """A chore that holds up the monitor thread until it may go on."""

    def __init__(self) -> None:
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        self.over = False

    def run(self) -> float | None:
        self.begun.set()
        self.may_go_on.wait(30)
        self.over = True
        return None


def test_a_burst_of_connections_does_not_hold_up_the_application(
    context: zmq.Context, journal: Journal, until
) -> None:
    """Not even where the monitor thread does not come to draining."""
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    port = pull.bind_to_random_port("tcp://127.0.0.1")
    standing = Standing()
    PROCESS.instrument(from_environment()).monitors.take(standing.run)
    assert standing.begun.wait(10)

    def connect_and_send() -> None:
        for number in range(100):
            with context.socket(zmq.PUSH) as push:
                push.connect(f"tcp://127.0.0.1:{port}")
                push.send(b"%d" % number)
                pull.recv()

    assert finishes(connect_and_send)
    assert not standing.may_go_on.is_set()
    assert not standing.over
    assert len(journal.of("pull", "disconnected")) < 100
    standing.may_go_on.set()
    until(lambda: len(journal.of("pull", "disconnected")) == 100)
