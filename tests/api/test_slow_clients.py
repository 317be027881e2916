"""Clients that never end a request, do not read, or are too many: they are cut off, and nobody else notices."""

import asyncio
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hopwatch_api import protocol, server
from hopwatch_api.live import LIVE_PATH, LiveClients, LiveResponse
from served import Client, Served, closed, serving, tls
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

BIG = b"x" * 5_000_000
"""Far more than the buffers of both ends hold."""
LONG, SHORT = 60.0, 0.3
ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(autouse=True)
def long_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test time to do its part. It shortens the one time that it is about."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", LONG)
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", LONG)
    monkeypatch.setattr(protocol, "CONNECTIONS", 5)


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    # in memory of its own, as every answer is
    told = Response(bytes(bytearray(BIG)) if scope["path"] == "/big" else b"small")
    if scope["path"] == LIVE_PATH:
        told = LiveResponse(LiveClients(lambda after, _: (after + 1, BIG)), 0, 200)
    await told(scope, receive, send)


def answer_with_short_heads(monkeypatch: pytest.MonkeyPatch) -> ASGIApp:
    """Shorten the time for heads from the first request on."""

    async def hurried(scope: Scope, receive: Receive, send: Send) -> None:
        monkeypatch.setattr(protocol, "HEAD_SECONDS", SHORT / 2)
        await answer(scope, receive, send)

    return hurried


async def until(client: Client, end: bytes) -> None:
    """Reads up to the end of an answer after which nothing comes."""
    came = b""
    while not came.endswith(end):
        came = came[-len(end) :] + await asyncio.wait_for(client[0].read(len(BIG)), LONG)


def test_a_request_that_is_never_ended_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", SHORT)

    async def run() -> None:
        async with serving(answer) as served:
            silent, slow = await served.client(), await served.client()
            slow[1].write(ASK)
            assert await closed(silent) == b""
            assert await closed(slow) == b""

    asyncio.run(run())


def test_a_kept_connection_may_pause_for_longer_than_a_head_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        async with serving(answer_with_short_heads(monkeypatch), keep_alive=int(LONG)) as served:
            client = await served.client()
            client[1].write(ASK + b"\r\n")
            await until(client, b"small")
            await asyncio.sleep(SHORT)
            client[1].write(ASK + b"Connection: close\r\n\r\n")
            assert (await closed(client)).endswith(b"small")

    asyncio.run(run())


def test_an_idle_connection_is_closed() -> None:
    async def run() -> None:
        async with serving(answer, keep_alive=1) as served:
            client = await served.client()
            client[1].write(ASK + b"\r\n")
            assert (await closed(client)).endswith(b"small")

    asyncio.run(run())


class Connections:
    """Those of the server, in the order in which they came."""

    def __init__(self) -> None:
        self.all: list[protocol.BoundedProtocol] = []
        self.lost: list[protocol.BoundedProtocol] = []

    async def until(self, condition: Callable[[], object]) -> None:
        async def wait() -> None:
            while not condition():
                await asyncio.sleep(0.01)

        await asyncio.wait_for(wait(), LONG)

    async def until_one_is_lost(self) -> None:
        await self.until(lambda: self.lost)

    async def until_unread(self, number: int) -> None:
        """Wait until an answer to this connection is written, and most of it is not sent."""
        await self.until(lambda: len(self.all) > number and unsent(self.all[number]) > len(BIG) / 2)


def unsent(connection: protocol.BoundedProtocol) -> int:
    return protocol.unsent_bytes(connection.transport)


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Connections:
    connections = Connections()

    class Watched(protocol.BoundedProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            connections.all.append(self)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            connections.lost.append(self)

    monkeypatch.setattr(server, "BoundedProtocol", Watched)
    return connections


def ask_for(client: Client, *paths: str) -> None:
    """Ask for all of these at once."""
    for path in paths:
        client[1].write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())


@pytest.mark.parametrize("path", ["/big", LIVE_PATH])
@pytest.mark.parametrize("keep_alive", [0, int(LONG)])
@pytest.mark.parametrize("secured", [False, True])
def test_an_answer_that_is_not_read_is_cut_off_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    connections: Connections,
    secured: bool,
    keep_alive: int,
    path: str,
) -> None:
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", SHORT)

    async def run() -> None:
        app = answer if keep_alive else answer_with_short_heads(monkeypatch)
        async with serving(app, keep_alive=keep_alive, tls=tls(tmp_path) if secured else None) as served:
            deaf = await served.client()
            asked = asyncio.get_running_loop().time()
            ask_for(deaf, path)
            await connections.until_one_is_lost()
            assert asked + SHORT <= asyncio.get_running_loop().time() < asked + LONG / 2
            assert len(await closed(deaf)) < len(BIG)

    asyncio.run(run())


@pytest.mark.parametrize("secured", [False, True])
def test_what_a_client_did_not_read_is_freed_with_its_connection(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, connections: Connections, secured: bool
) -> None:
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", 1.0)

    async def run() -> None:
        async with serving(answer, keep_alive=int(LONG), tls=tls(tmp_path) if secured else None) as served:
            deaf = await served.client()
            tracemalloc.start()
            ask_for(deaf, "/big")
            await connections.until_unread(0)
            assert tracemalloc.get_traced_memory()[0] > len(BIG) / 2
            await connections.until_one_is_lost()
            await connections.until(lambda: tracemalloc.get_traced_memory()[0] < len(BIG) / 2)

    try:
        asyncio.run(run())
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("secured", [False, True])
def test_an_answer_that_is_read_slowly_comes_whole_and_the_connection_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, connections: Connections, secured: bool
) -> None:
    async def run() -> None:
        app = answer_with_short_heads(monkeypatch)
        async with serving(app, keep_alive=0, tls=tls(tmp_path) if secured else None) as served:
            client = await served.client()
            ask_for(client, "/big")
            await connections.until_unread(0)
            await asyncio.sleep(SHORT)  # longer than it would be kept after an answer
            monkeypatch.setattr(protocol, "HEAD_SECONDS", LONG)
            connections.all[0].timeout_keep_alive = int(LONG)
            came = bytearray()
            while not came.endswith(BIG):
                came += await asyncio.wait_for(client[0].read(len(BIG)), LONG)
            assert came.startswith(b"HTTP/1.1 200")
            await connections.until(
                lambda: connections.all[0].ends_at > asyncio.get_running_loop().time() + LONG
            )
            ask_for(client, "/")
            await until(client, b"small")

    asyncio.run(run())


@pytest.mark.parametrize("secured", [False, True])
def test_requests_that_come_at_once_are_answered_one_after_the_other_each_in_its_own_time(
    tmp_path: Path, connections: Connections, secured: bool
) -> None:
    began: list[float] = []
    ends: list[float] = []

    async def timed(scope: Scope, receive: Receive, send: Send) -> None:
        began.append(asyncio.get_running_loop().time())
        ends.append(connections.all[0].ends_at)
        await answer(scope, receive, send)

    async def run() -> None:
        async with serving(timed, keep_alive=int(LONG), tls=tls(tmp_path) if secured else None) as served:
            client = await served.client()
            ask_for(client, "/big", "/big", "/")
            await connections.until_unread(0)
            await asyncio.sleep(2 * protocol.LOOK_SECONDS)
            assert len(began) == 1
            await until(client, b"small")

    asyncio.run(run())
    assert len(ends) == 3
    assert all(end > begin + LONG / 2 for begin, end in zip(began, ends, strict=True))
    assert sorted(set(ends)) == ends


def test_more_requests_give_no_answer_more_time(
    monkeypatch: pytest.MonkeyPatch, connections: Connections
) -> None:
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", 1.0)

    async def run() -> None:
        async with serving(answer, keep_alive=int(LONG)) as served:
            deaf = await served.client()
            ask_for(deaf, "/big")
            await connections.until_unread(0)
            time = connections.all[0].ends_at
            ask_for(deaf, "/", "/", "/")
            await connections.until(lambda: connections.lost or connections.all[0].ends_at != time)
            assert connections.lost

    asyncio.run(run())


def test_of_answers_that_take_too_much_memory_the_one_with_the_least_time_left_goes(
    monkeypatch: pytest.MonkeyPatch, connections: Connections
) -> None:
    monkeypatch.setattr(protocol, "UNREAD_BYTES", len(BIG) * 3 // 2)

    async def run() -> None:
        async with serving(answer, keep_alive=int(LONG)) as served:
            for number in range(3):
                assert not connections.lost
                ask_for(await served.client(), "/big")
                await connections.until_unread(number)
            await connections.until_one_is_lost()
            assert connections.lost == connections.all[:1]

    asyncio.run(run())


def test_who_is_one_too_many_takes_the_place_of_the_one_that_has_waited_longest() -> None:
    async def run() -> None:
        async with serving(answer) as served:
            waiting = [await served.client() for _ in range(5)]
            late = await served.client()
            late[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert (await closed(late)).endswith(b"small")
            assert await closed(waiting[0]) == b""
            for client in waiting[1:]:
                assert not client[0].at_eof()
                client[1].close()

    asyncio.run(run())


def test_a_head_that_is_too_long_is_refused() -> None:
    async def run() -> None:
        async with serving(answer) as served:
            client = await served.client()
            client[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000)
            assert (await closed(client)).startswith(b"HTTP/1.1 400")

    asyncio.run(run())


def test_requests_past_the_bound_are_told_to_come_again_and_health_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from hopwatch_api import guard

    monkeypatch.setattr(guard, "REQUESTS_AT_ONCE", 1)
    entered, hold = asyncio.Event(), asyncio.Event()

    async def held(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/held":
            entered.set()
            await hold.wait()
        await answer(scope, receive, send)

    async def ask(served: Served, path: str) -> Client:
        client = await served.client()
        client[1].write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return client

    async def run() -> None:
        async with serving(held) as served:
            first = await ask(served, "/held")
            await entered.wait()
            assert (await closed(await ask(served, "/other"))).startswith(b"HTTP/1.1 503")
            assert (await closed(await ask(served, "/healthz"))).startswith(b"HTTP/1.1 200")
            hold.set()
            assert (await closed(first)).startswith(b"HTTP/1.1 200")

    asyncio.run(run())
