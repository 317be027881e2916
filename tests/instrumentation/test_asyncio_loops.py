"""asyncio sockets live longer than a loop: in the next one, and with futures that a closed one has left, they are as bare ones."""

import asyncio
from collections.abc import Callable
from typing import Any

import hopwatch
import pytest
import zmq
import zmq.asyncio
from journal_reader import Journal

LOOPS = ["asyncio", "uvloop"]
"""Modules of event loops."""

WAYS: list[dict[str, Any] | None] = [None, {}, {"sequence": "stamp"}]
"""Bare, and two ways to wrap."""


def state(future: "asyncio.Future[Any]") -> object:
    if not future.done() or future.cancelled():
        return "cancelled" if future.cancelled() else "pending"
    return future._exception or future.result()


class Sockets:
    """A pair over inproc that holds four messages, and loops to use it in, one after the other."""

    def __init__(
        self, new_loop: Callable[[], asyncio.AbstractEventLoop], wish: dict[str, Any] | None
    ) -> None:
        self.new_loop = new_loop
        self.context = zmq.asyncio.Context()
        self.push, self.pull = self.context.socket(zmq.PUSH), self.context.socket(zmq.PULL)
        self.push.sndhwm = self.pull.rcvhwm = 2
        for name, socket in (("push", self.push), ("pull", self.pull)) if wish is not None else ():
            hopwatch.wrap(socket, name=name, **(wish or {}))
        self.push.bind("inproc://loops")
        self.pull.connect("inproc://loops")
        self.seen: list[object] = []

    def run(self, use: Callable[[], Any]) -> Any:
        loop = self.new_loop()
        loop.set_exception_handler(lambda _, told: self.seen.append(str(told.get("exception"))))
        asyncio.set_event_loop(loop)
        try:
            return loop.run_until_complete(use())
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    async def receive(self, seconds: float = 5) -> object:
        try:
            return await asyncio.wait_for(self.pull.recv_multipart(), seconds)
        except asyncio.TimeoutError:
            return "timed out"


def in_one_loop_after_the_other(sockets: Sockets) -> None:
    async def use() -> None:
        waiting = sockets.pull.recv_multipart()
        await sockets.push.send_multipart([b"topic", b"x"])
        sockets.seen.append(await waiting)
        sockets.seen.append(await sockets.receive(0.001))
        left = [sockets.pull.recv(), sockets.pull.poll(1000)]
        await asyncio.sleep(0)
        for future in left:
            future.cancel()
        await asyncio.sleep(0.001)
        sockets.seen += map(state, left)

    for _ in range(3):
        sockets.run(use)


def with_sends_that_a_closed_loop_left(sockets: Sockets) -> None:
    async def leave() -> list[Any]:
        return [sockets.push.send(b"%d" % number) for number in range(7)]

    async def go_on() -> None:
        for _ in range(2):
            sockets.seen.append(await sockets.receive())
        sockets.push.send(b"one more")
        while "Event loop is closed" not in sockets.seen:
            await asyncio.sleep(0.001)

    left = sockets.run(leave)
    sockets.seen += map(state, left)
    sockets.run(go_on)
    sockets.seen += map(state, left)


@pytest.mark.parametrize("use", [in_one_loop_after_the_other, with_sends_that_a_closed_loop_left])
@pytest.mark.parametrize("loop", LOOPS)
def test_loops_that_end_are_survived_as_by_bare_sockets(
    journal: Journal, loop: str, use: Callable[[Sockets], None]
) -> None:
    new_loop = pytest.importorskip(loop).new_event_loop
    seen: list[list[object]] = []
    for wish in WAYS:
        sockets = Sockets(new_loop, wish)
        use(sockets)
        sockets.context.destroy(linger=0)
        seen.append(sockets.seen)
    assert seen[1:] == [seen[0]] * 2
    assert len(seen[0]) > 6
    assert journal.events("fault", "gap") == []
    sent, received = (
        {event["counters"][word] for event in journal.events("closed")} - {0} for word in ("sent", "received")
    )
    assert (len(sent), len(received)) == (1, 1)
