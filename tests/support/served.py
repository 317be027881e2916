"""The HTTP server of an agent within this process, and clients of it."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from certificates import Authority
from hopwatch_agent.settings.sections import TlsSettings
from hopwatch_api.guard import Guard
from hopwatch_api.hosts import Hosts
from hopwatch_api.server import serve
from hopwatch_api.stopping import Stop
from hopwatch_api.tls import Tls
from starlette.types import ASGIApp


def nothing() -> None:
    """What is called each second, and at the end."""


@asynccontextmanager
async def serving(app: ASGIApp, keep_alive: int = 1, tls: Tls | None = None) -> AsyncIterator["Served"]:
    """The server, until the end of the block."""
    served = Served(app, keep_alive, tls)
    async with served.running():
        yield served


Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]
SECONDS = 60.0
"""Enough for anything that comes at all."""
BUFFER_BYTES = 64 * 1024
"""Of each end's kernel buffer, whatever the machine's own size is: what a client does not read soon fills them."""


class Served:
    """A server in this process, in whose loop the clients are as well."""

    def __init__(self, app: ASGIApp, keep_alive: int, tls: Tls | None) -> None:
        self._app = Guard(app, Hosts(()))
        self._keep_alive = keep_alive
        self._tls = tls
        self._stop = Stop()
        self._url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._clients: list[Client] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve until the end of the block; then close everything, also where the block has failed."""
        with socket.create_server(("127.0.0.1", 0)) as self._listener:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
            told = {"started": self._url.set_result, "stopping": nothing}
            self._serving = asyncio.create_task(
                serve(
                    self._app,
                    self._listener,
                    self._tls,
                    self._stop,
                    nothing,
                    **told,
                    keep_alive=self._keep_alive,
                )
            )
            try:
                await asyncio.wait_for(self._url, SECONDS)
                yield
            finally:
                for _, writer in self._clients:
                    writer.transport.abort()
                self._stop.note(15, None)
                await self.ended()

    async def ended(self) -> None:
        """Waits until it serves no more."""
        await asyncio.wait_for(self._serving, SECONDS)

    async def silent(self) -> Client:
        """A client that has connected, and says nothing of TLS."""
        return await self._connected()

    async def client(self) -> Client:
        """One that has agreed on TLS, if there is any."""
        if self._tls is None:
            return await self._connected(limit=100)
        secured = ssl.create_default_context()
        secured.check_hostname, secured.verify_mode = False, ssl.CERT_NONE
        return await self._connected(limit=100, ssl=secured, server_hostname="")

    async def _connected(self, **how: Any) -> Client:
        connecting = socket.socket()
        connecting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        connecting.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(connecting, self._listener.getsockname())
            client = await asyncio.open_connection(sock=connecting, **how)
        except BaseException:
            connecting.close()
            raise
        self._clients.append(client)
        return client


def tls(folder: Path) -> Tls:
    """A certificate for it."""
    made = Authority(folder).certificate("served")
    return Tls(TlsSettings(made.cert, made.key))


async def closed(client: Client, within: float = SECONDS) -> bytes:
    """What still comes until the other end closes."""
    try:
        return await asyncio.wait_for(client[0].read(), within)
    except ConnectionResetError:
        return b""
    finally:
        client[1].close()
