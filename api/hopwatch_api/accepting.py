"""Connections from the moment that they are accepted: how many may be agreeing on TLS at once, and for how long."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable, Collection

from hopwatch_agent.logs.events import EventLogger

from hopwatch_api.protocol import room_beside

HANDSHAKE_SECONDS = 5.0
LEAST_HANDSHAKES = 32
"""So many may agree on TLS at once, however many are served already."""
AGAIN_SECONDS = 1.0

log = EventLogger(__name__)


class Acceptor:
    """Accepts connections until it is cancelled, and hands each to a protocol of its own when TLS is agreed on.

    An ``asyncio.Server`` would not do: until then it tells nobody of a connection, has 300 kB for each, as many as come, and a minute's patience.
    Here the one that has been at it for longest gives way to a new one: an honest client is done long before that is its turn.
    """

    def __init__(
        self,
        listener: socket.socket,
        tls: ssl.SSLContext | None,
        protocol: Callable[[], asyncio.Protocol],
        served: Collection[object],
    ) -> None:
        """``served``: the protocols that have a connection."""
        listener.setblocking(False)
        self._listener = listener
        self._tls = tls
        self._protocol = protocol
        self._served = served
        self._greetings: dict[asyncio.Task[None], asyncio.Protocol] = {}
        """In the order in which they have come."""

    async def run(self) -> None:
        """Raises ``asyncio.CancelledError`` alone."""
        try:
            while True:
                client = await self._accept()
                if client is not None:
                    self._make_room()
                    self._begin(client)
                # where the next one waits already, accepting it gives nobody else a turn
                await asyncio.sleep(0)
        finally:
            for greeting in self._greetings:
                greeting.cancel()

    async def _accept(self) -> socket.socket | None:
        try:
            client, _ = await asyncio.get_running_loop().sock_accept(self._listener)
        except OSError as error:
            # out of descriptors, it would fail again at once
            log.warning("cannot_accept", text=str(error))
            await asyncio.sleep(AGAIN_SECONDS)
            return None
        return client

    def _make_room(self) -> None:
        # one that is served by now may not have been told so yet
        unfinished = [task for task, protocol in self._greetings.items() if protocol not in self._served]
        too_many = len(unfinished) + 1 - max(room_beside(self._served), LEAST_HANDSHAKES)
        for oldest in unfinished[: max(0, too_many)]:
            del self._greetings[oldest]
            oldest.cancel()

    def _begin(self, client: socket.socket) -> None:
        protocol = self._protocol()
        greeting = asyncio.get_running_loop().create_task(self._greet(client, protocol))
        self._greetings[greeting] = protocol
        greeting.add_done_callback(lambda done: self._greetings.pop(done, None))

    async def _greet(self, client: socket.socket, protocol: asyncio.Protocol) -> None:
        with contextlib.suppress(OSError):  # it has left, has been too slow, or does not speak TLS
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: protocol,
                client,
                ssl=self._tls,
                ssl_handshake_timeout=None if self._tls is None else HANDSHAKE_SECONDS,
            )
