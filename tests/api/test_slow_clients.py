"""Clients that never end a request, do not read, or are too many: they are cut off, and nobody else notices."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from hopwatch_api import protocol
from hopwatch_api.guard import Guard
from hopwatch_api.hosts import Hosts
from hopwatch_api.server import serve
from hopwatch_api.stopping import Stop
from starlette.responses import Response
from starlette.types import ASGIApp

BIG = b"x" * 50_000_000


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(protocol, "ANSWER_SECONDS", 0.6)
    monkeypatch.setattr(protocol, "CONNECTIONS", 5)
    return


async def answer(scope: object, receive: object, send: object) -> None:
    big = isinstance(scope, dict) and scope["path"] == "/big"
    await Response(BIG if big else b"small")(scope, receive, send)  # type: ignore[arg-type]


def nothing() -> None:
    """What is called each second, and at the end."""


@asynccontextmanager
async def serving(app: ASGIApp, keep_alive: int = 1) -> AsyncIterator["Served"]:
    served = Served(app, keep_alive)
    async with served.running():
        yield served


Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Served:
    """A server in this process, in whose loop the clients are as well."""

    def __init__(self, app: ASGIApp, keep_alive: int) -> None:
        self._app = Guard(app, Hosts(()))
        self._keep_alive = keep_alive
        self._stop = Stop()
        self._url: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self._listener = socket.create_server(("127.0.0.1", 0))
        told = {"started": self._url.set_result, "stopping": nothing}
        serving = asyncio.create_task(
            serve(
                self._app,
                self._listener,
                None,
                self._stop,
                nothing,
                **told,
                keep_alive=self._keep_alive,
            )
        )
        await self._url
        yield
        self._stop.note(15, None)
        await asyncio.wait_for(serving, 10)

    async def client(self) -> Client:
        return await asyncio.open_connection(*self._listener.getsockname(), limit=100)


async def closed(client: Client, within: float = 3.0) -> bytes:
    """What still comes until the other end closes."""
    try:
        return await asyncio.wait_for(client[0].read(), within)
    except ConnectionResetError:
        return b""
    finally:
        client[1].close()


async def until(client: Client, end: bytes) -> None:
    """Reads an answer up to its end."""
    came = b""
    while not came.endswith(end):
        came += await asyncio.wait_for(client[0].read(1), 10)


def test_a_request_that_is_never_ended_is_cut_off() -> None:
    async def run() -> None:
        async with serving(answer) as served:
            silent, slow = await served.client(), await served.client()
            slow[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            assert await closed(silent) == b""
            assert await closed(slow) == b""

    asyncio.run(run())


def test_who_does_not_ask_again_is_let_go_when_its_time_is_over() -> None:
    async def run() -> None:
        async with serving(answer, keep_alive=2) as served:
            client = await served.client()
            client[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await until(client, b"small")
            await asyncio.sleep(0.5)  # longer than a head may take
            client[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await until(client, b"small")
            assert await asyncio.wait_for(client[0].read(), 10) == b""
            client[1].close()

    asyncio.run(run())


def test_an_answer_that_is_not_read_is_cut_off() -> None:
    async def run() -> None:
        async with serving(answer) as served:
            deaf = await served.client()
            deaf[1].write(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await asyncio.sleep(1.0)  # longer than an answer may take
            assert len(await closed(deaf)) < len(BIG)

    asyncio.run(run())


def test_who_is_one_too_many_takes_the_place_of_one_that_waits() -> None:
    async def run() -> None:
        async with serving(answer) as served:
            waiting = [await served.client() for _ in range(5)]
            late = await served.client()
            late[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert (await closed(late)).endswith(b"small")
            for client in waiting:
                assert await closed(client) == b""

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

    async def held(scope: object, receive: object, send: object) -> None:
        if isinstance(scope, dict) and scope["path"] == "/held":
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
