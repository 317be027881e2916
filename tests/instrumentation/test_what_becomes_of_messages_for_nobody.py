"""What libzmq does with messages for who is not there, is behind a proxy, or ends, shown by bare sockets: the documents rest on it (docs/when-zeromq-is-full.md)."""

import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
import zmq
from numbered_messages import Until, all_of, numbered, sent_in_step
from set_up_sockets import NOWHERE, bind

Narrow = Callable[[int], zmq.Socket]


def test_a_publisher_without_a_subscriber_takes_all_and_keeps_nothing(
    context: zmq.Context, until: Until
) -> None:
    pub, sub = context.socket(zmq.PUB), context.socket(zmq.SUB)
    endpoint = bind(pub)
    for number in range(100):
        pub.send(b"before %d" % number, zmq.DONTWAIT)
    sub.subscribe(b"")
    sub.connect(endpoint)
    until(lambda: [pub.send(b"after"), sub.poll(1)][1])
    assert set(all_of(sub)) == {b"after"}


def test_a_bound_push_without_a_peer_refuses_and_one_that_connects_keeps_up_to_its_mark(
    context: zmq.Context,
) -> None:
    bound, connecting = context.socket(zmq.PUSH), context.socket(zmq.PUSH)
    bound.sndhwm = connecting.sndhwm = 10
    bind(bound)
    connecting.connect(NOWHERE)
    with pytest.raises(zmq.Again):
        bound.send(b"x", zmq.DONTWAIT)
    for _ in range(10):
        connecting.send(b"x", zmq.DONTWAIT)
    with pytest.raises(zmq.Again):
        connecting.send(b"x", zmq.DONTWAIT)


def test_a_context_ends_though_its_receiver_has_read_nothing(context: zmq.Context) -> None:
    pull = context.socket(zmq.PULL)
    endpoint = bind(pull)
    sending = zmq.Context()
    push = sending.socket(zmq.PUSH)
    push.connect(endpoint)
    for _ in range(100):
        push.send(b"small")
    push.close()
    sending.term()
    assert len(all_of(pull, 100)) == 100


ENDS = """
import sys, zmq
context = zmq.Context.instance()
push = context.socket(zmq.PUSH)
push.sndbuf = 4096
push.connect(sys.argv[1])
for number in range(1000):
    push.send(b"%010d" % number + b"x" * 2000)
print("sent", flush=True)
sys.stdin.readline()
if sys.argv[2] == "term":
    push.close()
    context.term()
"""


@pytest.mark.parametrize(("ending", "loses"), [("exit", True), ("term", False)])
def test_a_python_program_that_ends_without_ending_its_context_takes_its_queue_along(
    context: zmq.Context, ending: str, loses: bool
) -> None:
    pull = context.socket(zmq.PULL)
    pull.rcvhwm, pull.rcvbuf = 10, 4096
    command = [sys.executable, "-c", ENDS, bind(pull), ending]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stdout.readline() == "sent\n"
        program.stdin.close()
        if loses:
            program.wait()
        got = all_of(pull, 0 if loses else 1000)
    assert (len(got) < 1000) is loses


def test_behind_a_proxy_the_slow_subscribers_messages_are_dropped_at_the_backend_alone(
    narrow: Narrow, context: zmq.Context, until: Until
) -> None:
    front, back = context.socket(zmq.XSUB), narrow(zmq.XPUB)
    back.sndhwm = 1000
    endpoints = [bind(front), bind(back)]
    pub, slow, fast = context.socket(zmq.PUB), narrow(zmq.SUB), context.socket(zmq.SUB)
    control, steer = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    control.bind("inproc://control")
    steer.connect("inproc://control")
    passing = threading.Thread(target=zmq.proxy_steerable, args=(front, back, None, control))
    passing.start()
    pub.sndhwm = 0
    pub.connect(endpoints[0])
    fast.subscribe(b"")
    for sub in (slow, fast):
        sub.connect(endpoints[1])
    until(lambda: [pub.send(b"begin"), slow.poll(5) and fast.poll(5)][1])
    got = sent_in_step(pub, fast, until)
    assert [body for body in got if body != b"begin"] == list(numbered(5000))
    assert len(all_of(slow)) < 2500
    steer.send(b"TERMINATE")
    passing.join()


def test_a_router_throws_away_what_is_for_nobody_and_with_mandatory_raises(context: zmq.Context) -> None:
    router = context.socket(zmq.ROUTER)
    bind(router)
    router.send_multipart([b"nobody", b"lost"], zmq.DONTWAIT)
    router.router_mandatory = 1
    with pytest.raises(zmq.ZMQError) as raised:
        router.send_multipart([b"nobody", b"refused"], zmq.DONTWAIT)
    assert raised.value.errno == zmq.EHOSTUNREACH


def test_statistics_of_a_proxy_count_frames(context: zmq.Context, until: Until) -> None:
    front, back = context.socket(zmq.PULL), context.socket(zmq.PUSH)
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.connect(bind(front))
    pull.connect(bind(back))
    control, steer = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    control.bind("inproc://control")
    steer.connect("inproc://control")
    passing = threading.Thread(target=zmq.proxy_steerable, args=(front, back, None, control))
    passing.start()
    for _ in range(10):
        push.send_multipart([b"three", b"frames", b"each"])
        assert pull.poll(5000)
        pull.recv_multipart()
    steer.send(b"STATISTICS")
    assert int.from_bytes(steer.recv_multipart()[0], "little") == 30
    steer.send(b"TERMINATE")
    passing.join()


def test_a_conflating_receiver_has_the_newest_message_and_no_other(context: zmq.Context) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    pull.conflate = 1
    push.bind("inproc://newest")
    pull.connect("inproc://newest")
    for number in range(100):
        push.send(b"%d" % number)
    assert all_of(pull) == [b"99"]


def test_a_routing_id_makes_no_subscriber_durable(context: zmq.Context, until: Until) -> None:
    pub = context.socket(zmq.PUB)
    endpoint = bind(pub)

    def named_subscriber() -> zmq.Socket:
        sub = context.socket(zmq.SUB)
        sub.routing_id = b"durable"
        sub.subscribe(b"")
        sub.connect(endpoint)
        return sub

    monitor = pub.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    former = named_subscriber()
    until(lambda: [pub.send(b"before"), former.poll(1)][1])
    former.close(linger=0)
    until(lambda: monitor.poll(1))
    for _ in range(10):
        pub.send(b"meanwhile")
    later = named_subscriber()
    until(lambda: [pub.send(b"after"), later.poll(1)][1])
    assert set(all_of(later)) == {b"after"}
    pub.disable_monitor()
