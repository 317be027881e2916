"""asyncio and tornado sockets: what waits in pyzmq's own queues, and the hooks of the object that the application holds.

Such a socket sends and receives through a plain one of its own on the same handle, always without blocking. That one is
instrumented as any synchronous socket is; here is what only the outer one sees: which refusals pyzmq waits for, in a
future, and how many of those there are. Nothing here runs for a message that goes through at once, but for building its arguments.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.sockets.backend import POLLOUT
from hopwatch.sockets.hooks import HookedSocket, state_of
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.ways import asks_at_once
from hopwatch.words import (
    EAGAIN_RECEIVES,
    EAGAIN_SENDS,
    WAITED_RECEIVES,
)

if TYPE_CHECKING:
    from asyncio import Future
    from collections import deque

    class AsyncSocket:
        """What is used here of pyzmq's asynchronous socket."""

        _recv_futures: deque[Any]
        _send_futures: deque[Any]

        def _add_io_state(self, state: int) -> None: ...
        def _add_send_event(
            self, kind: str, msg: Any = ..., kwargs: dict[str, Any] | None = ..., future: Any = ...
        ) -> Any: ...
else:
    AsyncSocket = object


class Front(HookedSocket):
    """Comes below pyzmq's asynchronous socket."""

    def get(self, option: int) -> Any:
        """As the bare socket's."""
        state = state_of(self)
        value = BackendSocket.get(self, option)
        return value if state is None else state.without_stamp_room(option, value)

    getsockopt = get


class Pending(AsyncSocket):
    """Comes above pyzmq's asynchronous socket."""

    _hopwatch: SocketState

    def send(self, data: Any, flags: int = 0, copy: bool = True, track: bool = False, **kwargs: Any) -> Any:
        """As the bare socket's."""
        state = state_of(self)
        if state is None:
            return self.send(data, flags, copy, track, **kwargs)
        kwargs["flags"], kwargs["copy"], kwargs["track"] = flags, copy, track
        if not flags:
            return self._add_send_event("send", msg=data, kwargs=kwargs)
        with state.way.answers(flags):
            return self._add_send_event("send", msg=data, kwargs=kwargs)

    def send_multipart(
        self, msg_parts: Any, flags: int = 0, copy: bool = True, track: bool = False, **kwargs: Any
    ) -> Any:
        """As the bare socket's."""
        state = state_of(self)
        if state is None:
            return self.send_multipart(msg_parts, flags, copy, track, **kwargs)
        kwargs["flags"], kwargs["copy"], kwargs["track"] = flags, copy, track
        if not flags:
            return self._add_send_event("send_multipart", msg=msg_parts, kwargs=kwargs)
        with state.way.answers(flags):
            return self._add_send_event("send_multipart", msg=msg_parts, kwargs=kwargs)

    def _add_io_state(self, state: int) -> None:
        """Where pyzmq begins to wait for the send or receive that it has queued last."""
        super()._add_io_state(state)
        with Guard(self._hopwatch):
            if state == POLLOUT:
                send_waits(self._hopwatch, self._send_futures[-1])
            else:
                receive_waits(self._hopwatch, self._recv_futures[-1])


class JoinedPending(Pending):
    """The same over a worker that the application sends on as well: only what comes this way is waited for."""

    def _add_send_event(
        self, kind: str, msg: Any = None, kwargs: dict[str, Any] | None = None, future: Any = None
    ) -> Any:
        way = self._hopwatch.way
        way.sends_deferred = not asks_at_once((kwargs or {}).get("flags", 0))
        try:
            return super()._add_send_event(kind, msg=msg, kwargs=kwargs, future=future)
        finally:
            way.sends_deferred = False


def send_waits(state: SocketState, event: Any) -> None:
    """Count a send that has become pending, until its future is done."""
    if event.kind == "poll":
        return
    event.future.add_done_callback(partial(send_waited, state, state.begin_wait()))


def send_waited(state: SocketState, began: int, future: Future[Any]) -> None:
    """A pending send was accepted, timed out or was cancelled."""
    state.end_wait(began)
    if timed_out(future):
        state.slot.words[EAGAIN_SENDS] += 1


def receive_waits(state: SocketState, event: Any) -> None:
    """Count a receive that found no message; pyzmq's stand-in for a timer is a class."""
    if event.kind == "poll":
        return
    state.slot.words[WAITED_RECEIVES] += 1
    if not isinstance(event.timer, type):
        event.future.add_done_callback(partial(receive_waited, state))


def receive_waited(state: SocketState, future: Future[Any]) -> None:
    """A receive with a time limit has ended."""
    if timed_out(future):
        state.slot.words[EAGAIN_RECEIVES] += 1


def timed_out(future: Future[Any]) -> bool:
    """Whether EAGAIN is what came of it. Asked for by ``exception()``, asyncio would no longer report an error that nobody looked at."""
    return isinstance(future._exception, zmq.Again)
