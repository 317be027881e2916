"""HTTP connections with an end: whoever sends or reads too slowly, or is one too many, is cut off."""

import asyncio
from collections.abc import Collection
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from hopwatch_api.guard import CERTIFICATE
from hopwatch_api.live import LIVE_PATH
from hopwatch_api.problems import MEDIA_TYPE, UNREADABLE, problem_body

CONNECTIONS = 256
HEAD_SECONDS = 10.0
"""For a request's whole head, from the connection on; after an answer, from when an idle client is let go."""
ANSWER_SECONDS = 30.0
"""From a request's head until all of the answer has left; each message of ``/v1/live`` has its own."""
UNREAD_BYTES = 64 * 1024 * 1024
"""For all answers that wait for their clients, beside the newest one."""
LOOK_SECONDS = 0.25
"""How often to look whether an answer has left. A client that asks again is looked at when it does."""
HEAD_BYTES = 16 * 1024


def room_beside(connections: Collection[object]) -> int:
    """For how many more connections there is room."""
    return CONNECTIONS - len(connections)


def unsent_bytes(transport: asyncio.WriteTransport) -> int:
    """Return how many bytes have not left this process.

    Under TLS most wait in a transport below, which asyncio keeps to itself. From Python 3.11 on the transport
    above does not count them; that of 3.10 counts nothing else, so that they count twice.
    """
    tls = getattr(transport, "_ssl_protocol", transport)
    if tls is transport:
        return transport.get_write_buffer_size()
    below = getattr(tls, "_transport", None)
    # none where the connection is gone, or closed for the second time
    return 0 if below is None else transport.get_write_buffer_size() + int(below.get_write_buffer_size())


class BoundedProtocol(H11Protocol):
    """uvicorn's own, which waits for ever for a client that never ends its request, or does not read."""

    _timer: asyncio.TimerHandle | None = None
    _look_timer: asyncio.TimerHandle | None = None
    """While an answer is complete, and has not left."""
    _served: object = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        tls = transport.get_extra_info("ssl_object")
        if tls is not None and tls.getpeercert():
            self.app = _with_certificate(self.app)
        self._end_in(HEAD_SECONDS)
        if len(self.connections) > CONNECTIONS:
            self._one_too_many()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._end_in(None)
        if self._look_timer is not None:
            self._look_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A client that asks again may have read the answer before."""
        if self._look_timer is not None:
            self._look_timer.cancel()
            self._look()
        super().data_received(data)

    def handle_events(self) -> None:
        """Something has come in."""
        super().handle_events()
        if self.serving and self._served is not self.cycle:
            self._served = self.cycle
            endless = self._is_live and not self.flow.write_paused
            self._end_in(None if endless else ANSWER_SECONDS)

    def pause_writing(self) -> None:
        """A client does not read: not even one who watches may leave that so for long."""
        super().pause_writing()
        if self._timer is None:
            self._end_in(ANSWER_SECONDS)

    def resume_writing(self) -> None:
        """It has read."""
        super().resume_writing()
        if self.serving and self._is_live:
            self._end_in(None)

    def on_response_complete(self) -> None:
        """An answer is written. Until it has left, its time goes on and the next request waits."""
        if unsent_bytes(self.transport):
            if self._timer is None:
                self._end_in(ANSWER_SECONDS)
            self._make_room()
        self._look()

    def _look(self) -> None:
        self._look_timer = None
        if unsent_bytes(self.transport):
            self._look_timer = self.loop.call_later(LOOK_SECONDS, self._look)
            return
        self._end_in(self.timeout_keep_alive + HEAD_SECONDS)
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """A request cannot be read: the answer is a problem, as all others are."""
        body = problem_body(UNREADABLE, msg)
        told = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), "connection": "close"}
        start = h11.Response(status_code=UNREADABLE.status, headers=list(told.items()), reason=b"Bad Request")
        for event in (start, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    @property
    def serving(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def _is_live(self) -> bool:
        return bool(self.scope["path"] == LIVE_PATH)

    @property
    def ends_at(self) -> float:
        """By the loop's clock, when it will be cut off."""
        return self._timer.when() if self._timer is not None else float("inf")

    def _end_in(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)

    def _make_room(self) -> None:
        """Cut off clients with the least time left while answers that wait for them take too much memory."""
        others = (
            other for other in self.connections if isinstance(other, BoundedProtocol) and other is not self
        )
        unread = {other: unsent_bytes(other.transport) for other in others}
        total = sum(unread.values())
        for other in sorted(unread, key=lambda other: other.ends_at):
            if total <= UNREAD_BYTES:
                break
            if unread[other]:
                total -= unread[other]
                other.transport.abort()

    def _one_too_many(self) -> None:
        idle = (
            other for other in self.connections if isinstance(other, BoundedProtocol) and not other.serving
        )
        oldest = min(idle, key=lambda other: other.ends_at, default=self)
        oldest.transport.abort()


def _with_certificate(app: Any) -> Any:
    async def proven(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, CERTIFICATE: True}, receive, send)

    return proven
