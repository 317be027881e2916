"""``/v1/live``: what goes on, pushed each second, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

LIVE_PATH = "/v1/live"
CLIENTS = 16
PUSH_SECONDS = 1.0
SEND_SECONDS = 10.0
"""How long a client may take to read a message; then it is cut off."""

Frame = tuple[int, bytes]
"""(number of the newest event in it, what is pushed as JSON)"""


class LiveClients:
    """Those who watch. ``frame`` makes what is pushed, from the number of the last event that the client has, of so many sockets at most."""

    def __init__(self, frame: Callable[[int, int], Frame]) -> None:
        self.frame = frame
        self._watching = 0
        self._ended: asyncio.Event | None = None
        self._ending = False

    @property
    def full(self) -> bool:
        """Whether no further one may come."""
        return self._watching >= CLIENTS or self._ending

    def end(self) -> None:
        """Ends every answer, in order."""
        self._ending = True
        if self._ended is not None:
            self._ended.set()

    async def ended(self, seconds: float) -> bool:
        """Waits so long; True as soon as it ends."""
        if self._ended is None:
            self._ended = asyncio.Event()
        try:
            await asyncio.wait_for(self._ended.wait(), seconds)
        except asyncio.TimeoutError:
            return self._ending
        return True

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Counts one who watches, while the block runs."""
        self._watching += 1
        try:
            yield
        finally:
            self._watching -= 1


class EventStream(Response):
    """What the interface's description says of such an answer."""

    media_type = "text/event-stream"


class LiveResponse(EventStream):
    """One client's answer, which goes on until it leaves or the agent stops."""

    def __init__(self, clients: LiveClients, after: int, sockets: int) -> None:
        super().__init__()
        self._clients = clients
        self._after = after
        self._sockets = sockets

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Pushes until one of both ends it."""
        pushing = asyncio.ensure_future(self._push(send))
        leaving = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({pushing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            pushing.cancel()
            await asyncio.gather(pushing, leaving, return_exceptions=True)

    async def _push(self, send: Send) -> None:
        with self._clients.watching():
            headers = [(b"content-type", b"text/event-stream")]
            await _send(send, {"type": "http.response.start", "status": 200, "headers": headers})
            ended = False
            while not ended:
                # it waits for whoever holds the board, which all other requests must not
                self._after, told = await asyncio.to_thread(self._clients.frame, self._after, self._sockets)
                await _send(send, _body(_event(b"live", told, self._after), more=True))
                ended = await self._clients.ended(PUSH_SECONDS)
            await _send(send, _body(_event(b"end", b"{}", self._after), more=False))


def _event(name: bytes, data: bytes, number: int) -> bytes:
    return b"event: %b\nid: %d\ndata: %b\n\n" % (name, number, data)


def _body(data: bytes, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def _send(send: Send, message: Message) -> None:
    await asyncio.wait_for(send(message), SEND_SECONDS)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
