"""Threads at work at the same moment, with an interpreter lock that changes hands all the time, or with none."""

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.journal.counters import CountersFile, Slots
from hopwatch.words import LANE_SLOT_WORDS, SOCKET_SLOT_WORDS
from journal_reader import Journal
from pyzmq_attributes import changed, pyzmq_attributes


@pytest.fixture(autouse=True)
def hasty() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(count: int, run: Callable[[int], None]) -> None:
    """Run in so many threads at once; the first error of any of them is raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def target(number: int) -> None:
        start.wait()
        try:
            run(number)
        except BaseException as error:  # noqa: BLE001 -- raised again below
            errors.append(error)

    threads = [threading.Thread(target=target, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_shadows_are_wrapped_while_other_threads_wrap(
    context: zmq.Context, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    def wrap_both(thread: int) -> None:
        for number in range(100):
            socket = hopwatch.wrap(context.socket(zmq.PUSH), name=f"{thread}-{number}")
            shadow = hopwatch.wrap(zmq.Socket.shadow(socket.underlying))
            assert type(shadow) is not zmq.Socket
            assert hopwatch.findings(shadow) == hopwatch.findings(socket)
            socket.close()

    with caplog.at_level(logging.WARNING):
        at_once(4, wrap_both)
    assert caplog.messages == []
    assert len(journal.events("opened")) == len(journal.events("closed")) == 400


class Own(zmq.Socket):
    """Calls past its class: while it is wrapped, others of pyzmq's functions are in place too."""

    def send(self, *arguments: object, **options: object) -> object:
        return zmq.Socket.send(self, *arguments, **options)


def test_what_wrapped_sockets_need_is_in_place_while_other_threads_wrap_and_unwrap(
    context: zmq.Context, journal: Journal
) -> None:
    hopwatch.uninstall()  # puts back what closed sockets of other tests had needed
    before = pyzmq_attributes()

    def go_round(thread: int) -> None:
        for number in range(50):
            push, pull = Own(context, zmq.PUSH), zmq.Socket(context, zmq.PULL)
            name = f"{thread}-{number}"
            hopwatch.wrap(push, name=name)
            push.bind(f"inproc://{name}")
            pull.connect(f"inproc://{name}")
            shadow = zmq.Socket(push) if number % 2 else zmq.Socket.shadow(push.underlying)
            for socket in (push, shadow):
                socket.send(b"x")
            assert (pull.recv(), pull.recv()) == (b"x", b"x")
            for socket in (hopwatch.unwrap(push), pull):
                socket.close()

    at_once(4, go_round)
    assert changed(before) == set()
    assert {event["counters"]["sent"] for event in journal.events("closed")} == {2}
    assert journal.events("fault") == []


def test_sockets_are_stamped_within_the_process_while_other_threads_wrap(
    context: zmq.Context, journal: Journal
) -> None:
    """Who is bound within the process is looked for among all sockets that are wrapped at that moment."""

    def exchange(thread: int) -> None:
        for number in range(60):
            push = hopwatch.wrap(context.socket(zmq.PUSH), sequence="stamp")
            pull = hopwatch.wrap(context.socket(zmq.PULL), sequence="stamp")
            pull.bind(f"inproc://{thread}-{number}")
            push.connect(f"inproc://{thread}-{number}")
            push.send(b"x")
            assert pull.recv_multipart() == [b"x"]
            push.close()
            pull.close()

    at_once(4, exchange)
    assert journal.events("fault") == []
    assert [event["rule"] for event in journal.events("finding") if "stamp" in event["rule"]] == []


def test_slots_that_others_give_back_meanwhile_stay_usable(tmp_path: Path) -> None:
    slots = Slots(lambda index: CountersFile(tmp_path, 1, index))
    kept = slots.take(SOCKET_SLOT_WORDS)

    def take_and_give_back(_: int) -> None:
        for number in range(20_000):
            socket, lane = slots.take(SOCKET_SLOT_WORDS), slots.take(LANE_SLOT_WORDS)
            socket.words[1] = lane.words[1] = number
            socket.give_back()
            lane.give_back()

    at_once(3, take_and_give_back)
    kept.words[1] = 7
    assert (kept.words[1], len(list(tmp_path.iterdir()))) == (7, 1)


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_socket_that_threads_share_by_a_lock_counts_every_message(
    context: zmq.Context, journal: Journal, sequence: str | None
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=sequence)
    port = push.bind_to_random_port("tcp://127.0.0.1")
    pull.connect(f"tcp://127.0.0.1:{port}")
    turn = threading.Lock()

    def send_or_receive(thread: int) -> None:
        for _ in range(3_000 if thread else 6_000):
            if thread == 0:
                assert pull.recv() == b"x"
            else:
                with turn:
                    push.send(b"x")

    at_once(3, send_or_receive)
    push.send(b"x", zmq.SNDMORE)
    push.send(b"y")
    assert pull.recv_multipart() == [b"x", b"y"]
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (6_001, 6_001)
    assert journal.socket("pull")["lost"] == 0
    assert journal.events("fault") == []
