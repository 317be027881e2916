"""Further objects for a wrapped socket: shadows of it share its counts and numbers, and break neither."""

import asyncio
import copy
import gc
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal
from zmq.backend import Socket as BackendSocket

Link = Callable[[zmq.Socket, zmq.Socket], None]


def run(main: Awaitable[Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(main, 20)

    return asyncio.run(limited())


SHADOWS: dict[str, Callable[[zmq.Socket], zmq.Socket]] = {
    "Socket(socket)": zmq.Socket,
    "Socket.shadow(socket)": zmq.Socket.shadow,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("shadow", SHADOWS.values(), ids=SHADOWS.keys())
def test_a_shadow_of_a_wrapped_socket_sends_and_receives_as_part_of_it(
    context: zmq.Context,
    journal: Journal,
    link: Link,
    sequence: str | None,
    shadow: Callable[[zmq.Socket], zmq.Socket],
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence=sequence)
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence=sequence)
    link(push, pull)
    second_push, second_pull = shadow(push), shadow(pull)
    for socket in (push, second_push, push, second_push):
        socket.send_multipart([b"a", b"b"])
    assert [socket.recv_multipart() for socket in (pull, second_pull, second_pull, pull)] == [
        [b"a", b"b"]
    ] * 4
    push.send(b"last")
    assert second_pull.recv() == b"last"
    assert (journal.socket("push")["sent"], journal.socket("pull")["received"]) == (5, 5)
    assert (journal.socket("pull")["lost"], journal.socket("pull")["duplicated"]) == (0, 0)
    assert journal.events("fault") == []


class Deferring(zmq.Socket):
    """As of an application's own event loop: what it is told to do, a shadow of it does."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        object.__setattr__(self, "within", zmq.Socket.shadow(self.underlying))

    def send(self, *arguments: Any, **options: Any) -> Any:
        return self.within.send(*arguments, **options)

    def recv(self, *arguments: Any, **options: Any) -> Any:
        return self.within.recv(*arguments, **options)

    def poll(self, *arguments: Any, **options: Any) -> Any:
        return self.within.poll(*arguments, **options)

    def get(self, *arguments: Any, **options: Any) -> Any:
        return self.within.get(*arguments, **options)


class FurtherDeferring(Deferring):
    """Of more than one class of the application's."""

    def send(self, *arguments: Any, **options: Any) -> Any:
        return super().send(*arguments, **options)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("kind", [Deferring, FurtherDeferring])
def test_a_shadow_passes_over_what_the_applications_class_does(
    context: zmq.Context, journal: Journal, link: Link, sequence: str | None, kind: type[Deferring]
) -> None:
    hopwatch.install(sequence=sequence)
    try:
        push, pull = kind(context, zmq.PUSH), kind(context, zmq.PULL)
        link(push, pull)
        for _ in range(3):
            push.send(b"x")
        assert pull.poll(5_000) == zmq.POLLIN
        assert [pull.recv() for _ in range(3)] == [b"x"] * 3
        counted = [journal.events("opened")[number]["name"] for number in range(2)]
        for socket in (push, pull):
            socket.close(linger=0)
    finally:
        hopwatch.uninstall()
    assert sum(journal.socket(name)["sent"] + journal.socket(name)["received"] for name in set(counted)) == 6
    assert journal.events("fault") == []


@pytest.mark.parametrize("wrapped_too", [False, True])
def test_a_shadow_by_address_is_part_of_the_socket(
    context: zmq.Context, journal: Journal, link: Link, wrapped_too: bool
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence="stamp")
    link(push, pull)
    second_push, second_pull = (zmq.Socket.shadow(socket.underlying) for socket in (push, pull))
    if wrapped_too:
        hopwatch.wrap(second_push, name="second", sequence="stamp")
        hopwatch.wrap(second_pull, name="second", sequence="stamp")
    for socket in (push, second_push, push):
        socket.send(b"x")
    assert [socket.recv() for socket in (second_pull, pull, second_pull)] == [b"x"] * 3
    assert journal.socket("push")["sent"] == 3
    assert [event["name"] for event in journal.events("opened")] == ["push", "pull"]
    assert journal.socket("pull")["lost"] == 0


def test_a_socket_is_part_of_its_shadow_that_was_wrapped_before_it(
    context: zmq.Context, journal: Journal
) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    shadow: zmq.Socket = zmq.Socket.shadow(push)
    push.bind("inproc://push")
    pull.connect("inproc://push")
    for socket in (shadow, push):
        hopwatch.wrap(socket, name="push", sequence="stamp").send(b"x")
    hopwatch.wrap(pull, sequence="stamp")
    assert [pull.recv_multipart() for _ in range(2)] == [[b"x"]] * 2
    assert journal.socket("push")["sent"] == 2


def test_who_receives_past_pyzmqs_sockets_gets_stamps_which_is_found_when_the_address_is_asked_for(
    context: zmq.Context, journal: Journal, link: Link
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull", sequence="stamp")
    link(push, pull)
    known = [copy.copy(pull), zmq.Socket.shadow(pull), zmq.asyncio.Socket.from_socket(pull)]
    assert len(known) == 3
    assert push.underlying
    assert "address_taken" not in [event["rule"] for event in journal.events("finding")]
    past_us = BackendSocket(shadow=pull.underlying)
    assert [event["rule"] for event in journal.of("pull", "finding")] == ["address_taken"]
    push.send(b"x")
    assert len(past_us.recv()) == 1 + 48


def test_a_stamp_that_one_object_meets_is_known_to_the_other(
    context: zmq.Context, journal: Journal, link: Link
) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push", sequence="stamp")
    pull = hopwatch.wrap(context.socket(zmq.PULL), name="pull")
    link(push, pull)
    second = zmq.Socket(pull)
    for _ in range(4):
        push.send(b"x")
    assert [socket.recv() for socket in (pull, second, pull, second)] == [b"x"] * 4
    assert journal.socket("pull")["received"] == 4


def test_closing_one_object_ends_the_stream_once(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    second = zmq.Socket(push)
    assert type(second) is zmq.Socket
    second.close()
    assert push.closed
    push.close()
    assert len(journal.of("push", "closed")) == 1


def test_a_shadow_that_is_let_go_leaves_the_socket_open(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    second = zmq.Socket(push)
    gone = weakref.ref(second)
    del second
    gc.collect()
    assert gone() is None
    assert not push.closed
    assert journal.of("push", "closed") == []


def test_unwrapping_makes_every_object_bare(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    second = zmq.Socket(push)
    hopwatch.unwrap(push)
    assert type(push) is zmq.Socket
    assert type(second) is zmq.Socket
    assert "send" not in second.__dict__


def test_a_shadow_may_send_past_us_so_probing_stops(context: zmq.Context, journal: Journal) -> None:
    publisher = hopwatch.wrap(context.socket(zmq.PUB), name="pub")
    publisher.send(b"x")
    zmq.Socket(publisher).send(b"x")
    assert len(journal.of("pub", "probing_stopped")) == 1
    assert journal.socket("pub")["sent"] == 2


def test_a_further_socket_of_the_same_class_is_bare(context: zmq.Context, journal: Journal) -> None:
    push = hopwatch.wrap(context.socket(zmq.PUSH), name="push")
    other = type(push)(context, zmq.PUSH)
    assert type(other) is zmq.Socket
    assert other.type == zmq.PUSH
    other.close()


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_a_synchronous_shadow_of_an_asyncio_socket(journal: Journal, sequence: str | None) -> None:
    async def main() -> list[bytes]:
        with zmq.asyncio.Context() as context:
            push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
            for socket, name in ((push, "push"), (pull, "pull")):
                hopwatch.wrap(socket, name=name, sequence=sequence)
            push.bind("inproc://way")
            pull.connect("inproc://way")
            plain_push, plain_pull = zmq.Socket(push), zmq.Socket(pull)
            await push.send(b"1")
            plain_push.send(b"2")
            await push.send(b"3")
            got = [plain_pull.recv(), await pull.recv(), plain_pull.recv()]
            push.close()
            pull.close()
            return got

    assert run(main()) == [b"1", b"2", b"3"]
    sent, received = (journal.of(name, "closed")[0]["counters"] for name in ("push", "pull"))
    assert (sent["sent"], received["received"], received["lost"]) == (3, 3, 0)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize("outer_too", [False, True], ids=["inner-wrapped", "both-wrapped"])
def test_an_asyncio_socket_made_of_a_wrapped_one(
    context: zmq.Context, journal: Journal, sequence: str | None, outer_too: bool
) -> None:
    push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
    push.sndhwm = pull.rcvhwm = 1
    for socket, name in ((push, "push"), (pull, "pull")):
        hopwatch.wrap(socket, name=name, sequence=sequence)
    pull.bind("inproc://way")
    push.connect("inproc://way")

    async def main() -> list[bytes]:
        outer_push, outer_pull = zmq.asyncio.Socket.from_socket(push), zmq.asyncio.Socket(pull)
        if outer_too:
            hopwatch.wrap(outer_push)
            hopwatch.wrap(outer_pull)
        push.send(b"0")
        await outer_push.send(b"1")
        pending = asyncio.ensure_future(outer_push.send(b"2"))
        got = [await outer_pull.recv(), pull.recv()]
        await pending
        with pytest.raises(zmq.Again):
            pull.recv(zmq.DONTWAIT) and pull.recv(zmq.DONTWAIT)
        return got

    assert run(main()) == [b"0", b"1"]
    sent, received = journal.socket("push"), journal.socket("pull")
    assert (sent["sent"], received["received"], received["lost"]) == (3, 3, 0)
    if outer_too:
        assert (sent["waited_sends"], sent["eagain_sends"], received["eagain_receives"]) == (1, 0, 1)
    assert journal.events("fault") == []


def test_an_asyncio_poller_of_a_synchronous_socket_leaves_its_probing_alone(
    context: zmq.Context, journal: Journal, link: Link
) -> None:
    publisher = hopwatch.wrap(context.socket(zmq.XPUB), name="xpub", sequence="stamp")
    subscriber = hopwatch.wrap(context.socket(zmq.SUB), name="sub", sequence="stamp")
    publisher.bind("inproc://polled")
    subscriber.connect("inproc://polled")

    async def main() -> list[Any]:
        poller = zmq.asyncio.Poller()
        poller.register(publisher, zmq.POLLIN)
        poller.register(subscriber, zmq.POLLIN)
        waiting = asyncio.ensure_future(poller.poll(5000))
        await asyncio.sleep(0.01)
        subscriber.subscribe(b"")
        seen = [dict(await waiting) == {publisher: zmq.POLLIN}, publisher.recv()]
        publisher.send(b"x")
        seen += [dict(await poller.poll(5000)) == {subscriber: zmq.POLLIN}, subscriber.recv()]
        return [*seen, await poller.poll(1)]

    assert run(main()) == [True, b"\x01", True, b"x", []]
    assert journal.of("xpub", "probing_stopped") == []
    assert journal.socket("sub")["lost"] == 0


def test_an_asyncio_socket_made_of_a_publisher_sends_by_it_and_sees_its_drops(
    context: zmq.Context, journal: Journal
) -> None:
    publisher, subscriber = context.socket(zmq.XPUB), context.socket(zmq.SUB)
    publisher.sndhwm = subscriber.rcvhwm = 5
    subscriber.subscribe(b"")
    hopwatch.wrap(publisher, name="pub", sequence="stamp")
    hopwatch.wrap(subscriber, name="sub", sequence="stamp")
    publisher.bind("inproc://dropped")
    subscriber.connect("inproc://dropped")
    assert publisher.recv() == b"\x01"

    async def main() -> None:
        outer = zmq.asyncio.Socket(publisher)
        for socket in (outer, publisher) * 10:
            sent = socket.send(b"x")
            if sent is not None:
                await asyncio.wait_for(sent, 10)

    asyncio.run(main())
    assert journal.of("pub", "probing_stopped") == []
    assert journal.socket("pub")["sent"] == 20
    assert journal.socket("pub")["onsets"] >= 1
    assert journal.events("fault") == []
