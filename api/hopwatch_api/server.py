"""The HTTP server of one agent."""

import asyncio
import contextlib
import functools
import socket
import ssl
from collections.abc import Callable, Iterator

import uvicorn
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.settings.sections import AccessSettings, ListenSettings
from starlette.types import ASGIApp

from hopwatch_api.accepting import Acceptor
from hopwatch_api.guard import Guard, demands_of
from hopwatch_api.hosts import Hosts
from hopwatch_api.protocol import HEAD_BYTES, BoundedProtocol
from hopwatch_api.stopping import Stop
from hopwatch_api.tls import Tls
from hopwatch_api.tokens import Token

KEEP_ALIVE_SECONDS = 5
SHUTDOWN_SECONDS = 2
REFRESH_SECONDS = 1.0
log = EventLogger(__name__)


class Access:
    """Who may ask: token and certificates, as they are now."""

    def __init__(self, settings: AccessSettings) -> None:
        """Raises ``SettingsError`` with all that is wrong."""
        problems: list[str] = []
        self.token: Token | None = None
        self.tls: Tls | None = None
        try:
            self.token = Token(settings) if settings.token is not None or settings.token_file else None
        except SettingsError as error:
            problems += error.problems
        try:
            self.tls = Tls(settings.tls, start_closed=settings.start_closed) if settings.tls else None
        except SettingsError as error:
            problems += error.problems
        if problems:
            raise SettingsError(*problems)
        self._settings = settings

    def guard(self, app: ASGIApp, listen: ListenSettings) -> Guard:
        """The application, for those who may ask."""
        hosts = Hosts((listen.host, *listen.allowed_hosts))
        return Guard(app, hosts, self.token, demands_of(self._settings))

    def refresh(self) -> dict[str, str | None]:
        """Takes up what has changed in the files; what is wrong with them, by file."""
        problems: dict[str, str | None] = {}
        if self.token is not None:
            self.token.refresh()
            problems["token"] = self.token.problem
        if self.tls is not None:
            self.tls.refresh()
            problems["tls"] = self.tls.problem
        return problems


class _Server(uvicorn.Server):
    """Leaves the signals to the agent, which has more to end than HTTP, and looks once a second whether to stop, not ten times.

    It listens on no socket of uvicorn's: an ``Acceptor`` gives it its connections.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        listener: socket.socket,
        tls: ssl.SSLContext | None,
        each_second: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._listener = listener
        self._tls = tls
        self._each_second = each_second
        self._ending = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        protocol = functools.partial(
            BoundedProtocol,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        acceptor = Acceptor(self._listener, self._tls, protocol, self.server_state.connections)
        self._accepting = asyncio.create_task(acceptor.run())
        self._accepting.add_done_callback(self._accepted)

    def _accepted(self, accepting: asyncio.Task[None]) -> None:
        """One that accepts nobody any more is of no use: whoever keeps it running begins it anew."""
        if not accepting.cancelled():
            log.error("accepts_nobody", text=repr(accepting.exception()))
            self.end()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._accepting.cancel()
        await asyncio.wait([self._accepting])
        self._listener.close()
        await super().shutdown(sockets)

    def end(self) -> None:
        """Ends it; to be called in its loop."""
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            self._each_second()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._ending.wait(), REFRESH_SECONDS)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(
    app: ASGIApp,
    listener: socket.socket,
    tls: Tls | None,
    stop: Stop,
    each_second: Callable[[], None],
    *,
    started: Callable[[str], None],
    stopping: Callable[[], None],
    linger: float = 0.0,
    keep_alive: int = KEEP_ALIVE_SECONDS,
) -> None:
    """Serves until told to stop, and ``linger`` seconds longer; clients that do not ask again are kept for ``keep_alive`` seconds. ``started`` is given the URL."""
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        h11_max_incomplete_event_size=HEAD_BYTES,
        log_config=None,
        log_level="warning",
        access_log=False,
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=keep_alive,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    server = _Server(config, listener, None if tls is None else tls.context, each_second)
    loop = asyncio.get_running_loop()

    def end() -> None:
        # who has a connection would go on using it
        server.server_state.default_headers.append((b"connection", b"close"))
        loop.call_later(linger, server.end) if linger else server.end()
        stopping()

    # called from a signal handler, in the midst of whatever the loop does
    stop.call(functools.partial(_in_loop, loop, end))
    serving = asyncio.create_task(server.serve(sockets=[]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        started(_url(listener, "http" if tls is None else "https"))
    await serving


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with contextlib.suppress(RuntimeError):  # it has ended by itself
        loop.call_soon_threadsafe(call)


def _url(listener: socket.socket, scheme: str) -> str:
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
