"""Clients that never end a request, do not read, or are too many: they are cut off, and nobody else notices."""

import asyncio
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
    told = Response(BIG if scope["path"] == "/big" else b"small")
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
    """Reads an answer up to its end."""
    came = b""
    while not came.endswith(end):
        came += await asyncio.wait_for(client[0].read(1), LONG)


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


@pytest.mark.parametrize("path", ["/big", LIVE_PATH])
@pytest.mark.parametrize("secured", [False, True])
def test_an_answer_that_is_not_read_is_cut_off_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, secured: bool, path: str
) -> None:
    cut_off = asyncio.Event()

    class Watched(protocol.BoundedProtocol):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            cut_off.set()

    monkeypatch.setattr(server, "BoundedProtocol", Watched)
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", SHORT)

    async def run() -> None:
        app = answer_with_short_heads(monkeypatch)
        async with serving(app, keep_alive=0, tls=tls(tmp_path) if secured else None) as served:
            deaf = await served.client()
            asked = asyncio.get_running_loop().time()
            deaf[1].write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            await asyncio.wait_for(cut_off.wait(), LONG)
            assert asyncio.get_running_loop().time() >= asked + protocol.ANSWER_SECONDS
            assert len(await closed(deaf)) < len(BIG)

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
