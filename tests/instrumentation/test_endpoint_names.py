"""Events name an endpoint as the application gave it, whatever address libzmq has resolved it to."""

from collections.abc import Callable

import hopwatch
import pytest
import zmq
from hopwatch.monitors.addresses import MOST_ADDRESSES, Called
from journal_reader import Journal
from set_up_sockets import bind_below_calling_ports, bind_once_free

Until = Callable[[Callable[[], object]], None]
EVENTS = ("connected", "handshake", "disconnected", "retried")


def bound(context: zmq.Context) -> tuple[zmq.Socket, int]:
    socket = context.socket(zmq.PULL)
    return socket, bind_below_calling_ports(socket)


def bound_again(context: zmq.Context, port: int, until: Until) -> zmq.Socket:
    socket = context.socket(zmq.PULL)
    bind_once_free(socket, f"tcp://127.0.0.1:{port}", until)
    return socket


def gone_and_back(
    context: zmq.Context, journal: Journal, until: Until, server: zmq.Socket, port: int
) -> None:
    """The server of the socket "push" ends, and comes again at its place, twice."""
    for times in (1, 2):
        until(lambda times=times: len(journal.of("push", "handshake")) == times)
        server.close()
        until(lambda times=times: len(journal.of("push", "disconnected")) == times)
        until(lambda times=times: len(journal.of("push", "retried")) >= times)
        server = bound_again(context, port, until)
    until(lambda: len(journal.of("push", "handshake")) == 3)
    server.close()


def test_libzmq_itself_names_it_by_its_address_from_the_second_connection_on(
    context: zmq.Context, until: Until
) -> None:
    server, port = bound(context)
    push = context.socket(zmq.PUSH)
    monitor = push.get_monitor_socket(zmq.EVENT_DISCONNECTED | zmq.EVENT_CONNECTED)
    push.connect(f"tcp://localhost:{port}")
    names = [monitor.recv_multipart()[1]]
    server.close()
    names.append(monitor.recv_multipart()[1])
    server = bound_again(context, port, until)
    names.append(monitor.recv_multipart()[1])
    push.disable_monitor()
    monitor.close()
    server.close()
    assert names == [b"tcp://localhost:%d" % port] * 2 + [b"tcp://127.0.0.1:%d" % port]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_each_event_of_an_endpoint_has_the_name_that_it_was_given(
    context: zmq.Context, journal: Journal, until: Until, host: str
) -> None:
    server, port = bound(context)
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    push.connect(f"tcp://{host}:{port}")
    gone_and_back(context, journal, until, server, port)
    assert {told["endpoint"] for event in EVENTS for told in journal.of("push", event)} == {
        f"tcp://{host}:{port}"
    }


def test_a_socket_that_is_connected_before_it_is_wrapped_has_them_too(
    context: zmq.Context, journal: Journal, until: Until
) -> None:
    server, port = bound(context)
    push = context.socket(zmq.PUSH)
    push.connect(f"tcp://localhost:{port}")
    hopwatch.wrap(push, name="push")
    server.close()
    until(lambda: journal.of("push", "retried"))
    server = bound_again(context, port, until)
    until(lambda: journal.of("push", "connected"))
    server.close()
    assert {told["endpoint"] for event in EVENTS for told in journal.of("push", event)} <= {
        f"tcp://localhost:{port}",
        f"tcp://127.0.0.1:{port}",  # of which it is not known that they are one
    }


def test_what_the_application_calls_by_its_address_keeps_that() -> None:
    called = Called()
    called.learn("tcp://feed:5556", "10.0.0.7:5556")
    assert called.name("tcp://10.0.0.7:5556", ()) == "tcp://feed:5556"
    assert called.name("tcp://10.0.0.7:5556", ("tcp://10.0.0.7:5556",)) == "tcp://10.0.0.7:5556"


def test_a_name_that_moved_is_known_by_each_of_its_addresses() -> None:
    called = Called()
    for address in ("10.0.0.7:5556", "10.0.0.8:5556", "[fd00::8]:5556"):
        called.learn("tcp://feed:5556", address)
    for address in ("10.0.0.7:5556", "10.0.0.8:5556", "[fd00::8]:5556"):
        assert called.name(f"tcp://{address}", ()) == "tcp://feed:5556"
    assert called.name("tcp://10.0.0.9:5556", ()) == "tcp://10.0.0.9:5556"


def test_a_name_that_moves_for_ever_is_known_by_its_newest_addresses_alone() -> None:
    called = Called()
    for number in range(3000):
        called.learn("tcp://feed:5556", f"10.0.{number // 250}.{number % 250}:5556")
    assert len(called.resolved) == MOST_ADDRESSES
    assert called.name("tcp://10.0.11.249:5556", ()) == "tcp://feed:5556"


def test_one_that_went_before_it_was_known_where_it_led_is_known_by_its_port_if_no_other_has_that() -> None:
    called = Called()
    called.learn("tcp://feed:5556", None)
    called.learn("tcp://other:5557", None)
    assert called.name("tcp://10.0.0.7:5556", ()) == "tcp://feed:5556"
    called.learn("tcp://second:5556", None)
    assert called.name("tcp://10.0.0.7:5556", ()) == "tcp://10.0.0.7:5556"


@pytest.mark.parametrize(
    "endpoint", ["inproc://5", "ipc:///tmp/x:1", "tcp://feed:5556", "", "tcp://eth0;feed:1"]
)
def test_what_is_no_address_is_left_as_it_is(endpoint: str) -> None:
    called = Called()
    called.learn("tcp://feed:1", None)
    assert called.name(endpoint, ()) == endpoint
