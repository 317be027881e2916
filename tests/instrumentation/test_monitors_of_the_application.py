"""libzmq has one monitor a socket: the application's own comes first, whenever it comes, and messages pass meanwhile as ever."""

import threading
from collections.abc import Callable

import hopwatch
import pytest
import zmq
from journal_reader import Journal
from zmq.utils.monitor import recv_monitor_message


@pytest.mark.parametrize("by", ["get_monitor_socket", "monitor"])
def test_a_monitor_that_the_application_had_first_is_left_alone(
    context: zmq.Context, journal: Journal, link, by: str
) -> None:
    push = context.socket(zmq.PUSH)
    if by == "get_monitor_socket":
        monitor = push.get_monitor_socket()
    else:
        push.monitor("inproc://mine", zmq.EVENT_ALL)
        monitor = context.socket(zmq.PAIR)
        monitor.connect("inproc://mine")
    hopwatch.wrap(push, name="push")
    link(push, context.socket(zmq.PULL))
    assert recv_monitor_message(monitor)["event"] == zmq.EVENT_LISTENING
    assert [event["state"] for event in journal.of("push", "monitor")] == ["application"]
    push.disable_monitor()


def test_a_monitor_that_the_application_wants_later_takes_the_place_of_ours(
    context: zmq.Context, journal: Journal, link
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    monitor = push.get_monitor_socket()
    link(push, context.socket(zmq.PULL))
    assert recv_monitor_message(monitor)["event"] == zmq.EVENT_LISTENING
    push.disable_monitor()
    push.close()
    states = [event["state"] for event in journal.of("push", "monitor")]
    assert states == ["attached", "application", "stopped"]
    assert journal.header()["faults"] == 0


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_monitors_that_another_thread_attaches_and_detaches_disturb_no_message(
    context: zmq.Context,
    journal: Journal,
    link: Callable[[zmq.Socket, zmq.Socket], None],
    sequence: str | None,
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=sequence)
    link(push, pull)
    ended: list[bool] = []

    def attach_and_detach() -> None:
        for number in range(60):
            for socket in (push, pull):
                address = f"inproc://monitor-{number}-{socket.type}"
                socket.monitor(address, zmq.EVENT_ALL)
                with context.socket(zmq.PAIR) as monitor:
                    monitor.connect(address)
                    socket.disable_monitor() if number % 2 else socket.monitor(None, 0)
                    while monitor.poll(20_000):
                        if recv_monitor_message(monitor)["event"] == zmq.EVENT_MONITOR_STOPPED:
                            ended.append(True)
                            break

    thread = threading.Thread(target=attach_and_detach)
    thread.start()
    passed = 0
    while thread.is_alive() or passed < 100:
        push.send(b"%d" % passed)
        assert pull.recv() == b"%d" % passed
        passed += 1
    assert ended == [True] * 120
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (passed, passed)
    states = [event["state"] for event in journal.of("push", "monitor")]
    assert states == ["attached", *["application", "stopped"] * 60]
    assert journal.events("fault", "gap") == []
