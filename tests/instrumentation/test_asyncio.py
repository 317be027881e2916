"""asyncio sockets: counted and stamped as synchronous ones are, and what waits in pyzmq's own queue is seen."""

import asyncio
import gc
import warnings
import weakref
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal

MOST_SECONDS = 20


class KeepingContext(zmq.asyncio.Context):
    """Keeps its sockets until it is destroyed, so that a test need not close each of them."""

    kept: list[zmq.Socket]

    def socket(self, *args: Any, **kwargs: Any) -> zmq.asyncio.Socket:
        socket = super().socket(*args, **kwargs)
        self.kept.append(socket)
        return socket


@pytest.fixture
def context() -> Iterator[zmq.asyncio.Context]:
    context = KeepingContext()
    context.kept = []
    yield context
    for socket in context.kept:
        socket.close(linger=0)
    context.destroy(linger=0)


@pytest.fixture(params=["tcp://127.0.0.1:0", "inproc://way"], ids=["tcp", "inproc"])
def endpoint(request: pytest.FixtureRequest) -> str:
    return request.param


def run(main: Awaitable[Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(main, MOST_SECONDS)

    return asyncio.run(limited())


def joined(
    context: zmq.asyncio.Context,
    kinds: tuple[int, int],
    endpoint: str = "inproc://way",
    *,
    wrapped: bool = True,
    **options: Any,
) -> tuple[zmq.asyncio.Socket, zmq.asyncio.Socket]:
    """A sender and a receiver, wrapped unless told otherwise, on one connection."""
    sender, receiver = context.socket(kinds[0]), context.socket(kinds[1])
    for socket in (sender, receiver):
        socket.linger = 0
        if wrapped:
            hopwatch.wrap(socket, name="sender" if socket is sender else "receiver", **options)
    sender.bind(endpoint)
    if kinds[1] == zmq.SUB:
        receiver.subscribe(b"")
    receiver.connect(sender.last_endpoint.decode())
    return sender, receiver


async def subscribed(publisher: zmq.asyncio.Socket) -> None:
    while not (publisher.get(zmq.EVENTS) and publisher.get(zmq.TOPICS_COUNT)):
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("sequence", [None, "stamp"])
@pytest.mark.parametrize(
    "kinds",
    [(zmq.PUSH, zmq.PULL), (zmq.PUB, zmq.SUB), (zmq.DEALER, zmq.DEALER), (zmq.PAIR, zmq.PAIR)],
    ids=["PUSH-PULL", "PUB-SUB", "DEALER-DEALER", "PAIR-PAIR"],
)
def test_messages_are_counted_and_arrive_as_they_were_sent(
    context: zmq.asyncio.Context,
    journal: Journal,
    kinds: tuple[int, int],
    sequence: str | None,
    endpoint: str,
) -> None:
    async def main() -> list[Any]:
        sender, receiver = joined(context, kinds, endpoint, sequence=sequence)
        if kinds[0] == zmq.PUB:
            await subscribed(sender)
        await sender.send(b"one")
        await sender.send_multipart([b"two", b"frames"])
        await sender.send_json({"three": 3})
        await sender.send_string("four", zmq.DONTWAIT)
        await sender.send(b"five", copy=False)
        got = [await receiver.recv(), await receiver.recv_multipart(), await receiver.recv_json()]
        buffer = bytearray(10)
        size = await receiver.recv_into(buffer)
        return [*got, bytes(buffer[:size]), (await receiver.recv(copy=False)).bytes]

    assert run(main()) == [b"one", [b"two", b"frames"], {"three": 3}, b"four", b"five"]
    sender, receiver = journal.socket("sender"), journal.socket("receiver")
    assert (sender["sent"], sender["sent_more_frames"], sender["sent_bytes"]) == (5, 1, 32)
    assert (receiver["received"], receiver["received_more_frames"], receiver["received_bytes"]) == (5, 1, 32)
    assert (receiver["lost"], receiver["duplicated"], sender["eagain_sends"]) == (0, 0, 0)
    assert len([lane for lane in journal.lanes() if lane["count"]]) == (4 if kinds[0] == zmq.PUB else 2) * (
        sequence == "stamp"
    )
    assert journal.events("fault") == []


def test_request_and_reply(context: zmq.asyncio.Context, journal: Journal) -> None:
    async def main() -> list[bytes]:
        replier, requester = joined(context, (zmq.REP, zmq.REQ), sequence="stamp")
        answers = []
        for number in range(3):
            await requester.send(b"%d" % number)
            await replier.send(b"re " + await replier.recv())
            answers.append(await requester.recv())
        return answers

    assert run(main()) == [b"re 0", b"re 1", b"re 2"]
    assert (journal.socket("sender")["received"], journal.socket("receiver")["received"]) == (3, 3)


def test_frames_read_one_by_one_say_whether_more_follow(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    async def main() -> list[tuple[bytes, int]]:
        sender, receiver = joined(context, (zmq.PUSH, zmq.PULL), sequence="stamp")
        await sender.send_multipart([b"a", b"b"])
        await sender.send(b"c")
        return [(await receiver.recv(), receiver.get(zmq.RCVMORE)) for _ in range(3)]

    assert run(main()) == [(b"a", 1), (b"b", 0), (b"c", 0)]


def test_a_frame_that_is_held_is_still_there_to_be_polled_for(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    async def main() -> tuple[Any, ...]:
        sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        hopwatch.wrap(receiver, name="receiver", sequence="stamp")
        sender.bind("inproc://held")
        receiver.connect("inproc://held")
        await sender.send_multipart([b"a", b"b"])
        first = await receiver.recv()
        polled = await receiver.poll(0)
        events = receiver.get(zmq.EVENTS) & zmq.POLLIN
        return first, polled, events, await receiver.recv(), await receiver.poll(0)

    assert run(main()) == (b"a", zmq.POLLIN, zmq.POLLIN, b"b", 0)


@pytest.mark.parametrize("call", ["recv", "recv_into", "recv_multipart"])
def test_a_receiver_that_nobody_told_of_stamps_waits_through_the_first_one(
    context: zmq.asyncio.Context, journal: Journal, call: str
) -> None:
    async def receive(socket: zmq.asyncio.Socket) -> bytes:
        if call == "recv":
            return await socket.recv()
        if call == "recv_multipart":
            [frame] = await socket.recv_multipart()
            return frame
        buffer = bytearray(100)
        size = await socket.recv_into(buffer)
        return bytes(buffer[:size])

    async def main() -> list[bytes]:
        sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        hopwatch.wrap(sender, name="sender", sequence="stamp")
        hopwatch.wrap(receiver, name="receiver")
        sender.bind("inproc://untold")
        receiver.connect("inproc://untold")
        await sender.send(b"one")
        first = await receive(receiver)
        waiting = asyncio.ensure_future(receive(receiver))
        await asyncio.sleep(0)
        await sender.send(b"two")
        await sender.send(b"three")
        return [first, await waiting, await receiver.recv()]

    assert run(main()) == [b"one", b"two", b"three"]
    assert journal.socket("receiver")["received"] == 3


def test_sends_above_the_mark_are_pending_until_there_is_room(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    async def main() -> tuple[list[bytes], dict[str, int], dict[str, int]]:
        sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        sender.sndhwm = receiver.rcvhwm = 2
        hopwatch.wrap(sender, name="sender", sequence="stamp")
        hopwatch.wrap(receiver, name="receiver", sequence="stamp")
        receiver.bind("inproc://pending")
        sender.connect("inproc://pending")
        sends = [asyncio.ensure_future(sender.send(b"%d" % number)) for number in range(10)]
        await asyncio.sleep(0.05)
        blocked = journal.socket("sender")
        got = [await receiver.recv() for _ in range(10)]
        await asyncio.gather(*sends)
        await asyncio.sleep(0)
        return got, blocked, journal.socket("sender")

    got, blocked, done = run(main())
    assert got == [b"%d" % number for number in range(10)]
    assert (blocked["sent"], blocked["pending_sends"], blocked["waited_sends"]) == (4, 6, 6)
    assert (done["sent"], done["pending_sends"], done["eagain_sends"]) == (10, 0, 0)
    assert done["waited_ns"] > 6 * 40_000_000
    assert journal.socket("receiver")["lost"] == 0


@pytest.mark.parametrize("sequence", [None, "stamp"])
def test_refusals_timeouts_and_cancellations_are_those_of_a_bare_socket(
    context: zmq.asyncio.Context, journal: Journal, sequence: str | None
) -> None:
    async def refused(call: Awaitable[Any]) -> tuple[type, int | None]:
        try:
            await call
        except (zmq.ZMQError, asyncio.CancelledError, asyncio.TimeoutError) as error:
            return type(error), getattr(error, "errno", None)
        raise AssertionError("nothing was raised")

    async def main(wrapped: bool) -> list[Any]:
        sender, receiver = context.socket(zmq.PUSH), context.socket(zmq.PULL)
        sender.sndhwm = receiver.rcvhwm = 1
        if wrapped:
            hopwatch.wrap(sender, name="sender", sequence=sequence)
            hopwatch.wrap(receiver, name="receiver", sequence=sequence)
        address = f"inproc://refusals-{wrapped}"
        receiver.bind(address)
        seen = [await refused(receiver.recv(zmq.DONTWAIT)), await receiver.poll(1)]
        seen.append(await refused(asyncio.wait_for(receiver.recv_multipart(), 0.01)))
        receiver.rcvtimeo = 1
        seen.append(await refused(receiver.recv()))
        receiver.rcvtimeo = -1
        seen.append(await refused(sender.send(b"nobody", zmq.DONTWAIT)))
        sender.sndtimeo = 1
        seen.append(await refused(sender.send(b"nobody")))
        sender.sndtimeo = -1
        sender.connect(address)
        seen.append(await sender.send(b"one"))
        seen.append(await sender.send(b"two"))
        seen.append(await refused(sender.send(b"three", zmq.DONTWAIT)))
        dropped = asyncio.ensure_future(sender.send_multipart([b"four", b"4"]))
        await asyncio.sleep(0)
        dropped.cancel()
        seen.append(await refused(dropped))
        kept = asyncio.ensure_future(sender.send_multipart([b"five", b"5"]))
        seen += [await receiver.recv_multipart() for _ in range(3)]
        seen.append(await kept)
        sender.close()
        seen.append(await refused(sender.send(b"closed")))
        return seen

    assert run(main(wrapped=True)) == run(main(wrapped=False))
    [closed] = journal.of("sender", "closed")
    counted = closed["counters"]
    assert (counted["sent"], counted["eagain_sends"], counted["waited_sends"]) == (3, 3, 3)
    assert journal.socket("receiver")["eagain_receives"] == 2
    assert journal.socket("receiver")["lost"] == 0
    assert journal.events("fault") == []


def test_a_publisher_drops_as_a_bare_one_and_its_onsets_are_seen(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    async def main(wrapped: bool) -> list[bytes]:
        sender, receiver = context.socket(zmq.PUB), context.socket(zmq.SUB)
        sender.sndhwm = receiver.rcvhwm = 5
        if wrapped:
            hopwatch.wrap(sender, name="sender", sequence="stamp")
            hopwatch.wrap(receiver, name="receiver", sequence="stamp")
        receiver.subscribe(b"")
        sender.bind(f"inproc://drops-{wrapped}")
        receiver.connect(f"inproc://drops-{wrapped}")
        await subscribed(sender)
        got = []
        for burst in range(3):
            sends = [sender.send(b"%d" % number) for number in range(100 * burst, 100 * burst + 50)]
            assert all(send.done() for send in sends)
            while await receiver.poll(50):
                got.append(await receiver.recv())
        return got

    assert run(main(wrapped=True)) == run(main(wrapped=False))
    sender, receiver = journal.socket("sender"), journal.socket("receiver")
    assert (sender["sent"], sender["onsets"], sender["waited_sends"], sender["eagain_sends"]) == (
        150,
        3,
        0,
        0,
    )
    assert (receiver["received"], receiver["gaps"], receiver["lost"]) == (30, 2, 80)


def test_setting_nodrop_stops_the_probing_of_the_socket_within(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    async def main() -> None:
        publisher = hopwatch.wrap(context.socket(zmq.PUB), name="pub")
        await publisher.send(b"x")
        publisher.xpub_nodrop = 0
        await publisher.send(b"x")

    run(main())
    assert len(journal.of("pub", "probing_stopped")) == 1
    assert journal.socket("pub")["sent"] == 2


def test_unwrapping_makes_both_objects_bare(context: zmq.asyncio.Context, journal: Journal) -> None:
    socket = context.socket(zmq.PUB)
    before = [(type(each), dict(each.__dict__)) for each in (socket, socket._shadow_sock)]
    said = repr(socket)
    assert hopwatch.wrap(socket, name="pub", sequence="stamp") is socket
    assert repr(socket) == said
    assert hopwatch.unwrap(socket) is socket
    assert [(type(each), dict(each.__dict__)) for each in (socket, socket._shadow_sock)] == before
    assert len(journal.of("pub", "closed")) == 1


def test_a_wrapped_socket_is_collected_like_a_bare_one(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    gc.disable()
    try:
        socket = hopwatch.wrap(zmq.asyncio.Socket(context, zmq.PUSH), name="forgotten", sequence="stamp")
        gone = [weakref.ref(socket), weakref.ref(socket._shadow_sock)]
        with pytest.warns(ResourceWarning, match="Unclosed socket"):
            del socket
        assert [reference() for reference in gone] == [None, None]
    finally:
        gc.enable()
    assert len(journal.of("forgotten", "closed")) == 1


def test_a_context_with_pending_sends_is_destroyed_like_a_bare_one(journal: Journal) -> None:
    async def main() -> bool:
        context = zmq.asyncio.Context()
        sender = hopwatch.wrap(context.socket(zmq.PUSH), name="sender")
        pending = sender.send(b"nobody")
        context.destroy(linger=0)
        await asyncio.sleep(0)
        return pending.cancelled()

    assert run(main())
    [closed] = journal.of("sender", "closed")
    assert (closed["counters"]["waited_sends"], closed["counters"]["pending_sends"]) == (1, 1)


def test_an_error_that_nobody_looked_at_is_reported_as_of_a_bare_socket(
    context: zmq.asyncio.Context, journal: Journal
) -> None:
    async def main(wrapped: bool) -> list[str]:
        told: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, said: told.append(said["message"]))
        sender = context.socket(zmq.PUSH)
        sender.sndtimeo = 1
        if wrapped:
            hopwatch.wrap(sender)
        future = sender.send(b"nobody")
        await asyncio.sleep(0.05)
        del future
        gc.collect()
        return told

    bare = run(main(wrapped=False))
    assert bare == ["Future exception was never retrieved"]
    assert run(main(wrapped=True)) == bare


def test_an_applications_own_subclass_keeps_its_ways(context: zmq.asyncio.Context, journal: Journal) -> None:
    class Shouting(zmq.asyncio.Socket):
        async def send(self, data: str, flags: int = 0, **kwargs: Any) -> Any:  # type: ignore[override]
            return await super().send(data.upper().encode(), flags, **kwargs)

    async def main() -> bytes:
        sender, receiver = Shouting(context, zmq.PUSH), context.socket(zmq.PULL)
        hopwatch.wrap(sender, name="sender")
        sender.bind("inproc://shouting")
        receiver.connect("inproc://shouting")
        await sender.send("quiet", zmq.DONTWAIT)
        got: bytes = await receiver.recv()
        sender.close()
        return got

    assert run(main()) == b"QUIET"
    [closed] = journal.of("sender", "closed")
    assert closed["counters"]["sent"] == 1


def test_the_monitor_of_the_application_stays_its_own(context: zmq.asyncio.Context, journal: Journal) -> None:
    async def main() -> int:
        sender = hopwatch.wrap(context.socket(zmq.PUSH), name="sender")
        monitor = sender.get_monitor_socket()
        sender.bind("tcp://127.0.0.1:0")
        event, _ = await monitor.recv_multipart()
        sender.disable_monitor()
        return int.from_bytes(event[:2], "little")

    assert run(main()) == zmq.Event.LISTENING
    assert [event["state"] for event in journal.of("sender", "monitor")] == [
        "attached",
        "application",
        "stopped",
    ]


def test_connections_are_journaled(
    context: zmq.asyncio.Context, journal: Journal, until: Callable[[Callable[[], object]], None]
) -> None:
    joined(context, (zmq.PUSH, zmq.PULL), "tcp://127.0.0.1:0")
    until(lambda: journal.of("sender", "connected") and journal.of("receiver", "connected"))
    assert journal.of("sender", "bind")
    assert journal.of("receiver", "connect")


def test_nothing_is_said_that_a_bare_socket_would_not_say(
    context: zmq.asyncio.Context, journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        sender, receiver = joined(context, (zmq.PUSH, zmq.PULL), sequence="stamp")
        await sender.send(b"x")
        await receiver.recv()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(main())
    assert caplog.records == []
