"""The HTTP server of an agent within this process, and clients of it."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

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


class Served:
    """A server in this process, in whose loop the clients are as well."""

    def __init__(self, app: ASGIApp, keep_alive: int, tls: Tls | None) -> None:
        self._app = Guard(app, Hosts(()))
        self._keep_alive = keep_alive
        self._tls = tls
        self._stop = Stop()
        self._url: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Until the end of the block."""
        self._listener = socket.create_server(("127.0.0.1", 0))
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
        await self._url
        yield
        self._stop.note(15, None)
        await self.ended()

    async def ended(self) -> None:
        """Waits until it serves no more."""
        await asyncio.wait_for(self._serving, 10)

    async def silent(self) -> Client:
        """A client that has connected, and says nothing of TLS."""
        return await asyncio.open_connection(*self._listener.getsockname())

    async def client(self) -> Client:
        """One that has agreed on TLS, if there is any."""
        secured = ssl.create_default_context() if self._tls else None
        if secured:
            secured.check_hostname, secured.verify_mode = False, ssl.CERT_NONE
        return await asyncio.open_connection(*self._listener.getsockname(), limit=100, ssl=secured)


def tls(folder: Path) -> Tls:
    """A certificate for it."""
    made = Authority(folder).certificate("served")
    return Tls(TlsSettings(made.cert, made.key))


async def closed(client: Client, within: float = 20.0) -> bytes:
    """What still comes until the other end closes."""
    try:
        return await asyncio.wait_for(client[0].read(), within)
    except ConnectionResetError:
        return b""
    finally:
        client[1].close()
