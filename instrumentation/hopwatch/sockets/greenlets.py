"""gevent's sockets: what waits in a greenlet. They send and receive without blocking, and wait on the hub where that is refused."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import zmq

from hopwatch.sockets.backend import RECEIVES_INTO
from hopwatch.sockets.state import SocketState
from hopwatch.words import PENDING_SENDS, WAITED_NS, WAITED_RECEIVES, WAITED_SENDS

if TYPE_CHECKING:

    class GreenSocket:
        """What is used here of pyzmq's green socket."""

        def send(self, data: Any, flags: int, copy: bool, track: bool, **kwargs: Any) -> Any: ...
        def recv(self, flags: int, copy: bool, track: bool) -> Any: ...
        def recv_into(self, buffer: Any, /, *, nbytes: int, flags: int) -> int: ...
        def _wait_write(self) -> None: ...
        def _wait_read(self) -> None: ...
else:
    GreenSocket = object

DONTWAIT = int(zmq.DONTWAIT)


class GreenletWaits(GreenSocket):
    """Comes above pyzmq's green socket: with DONTWAIT a refusal is the application's answer, else its greenlet waits."""

    _hopwatch: SocketState

    def send(self, data: Any, flags: int = 0, copy: bool = True, track: bool = False, **kwargs: Any) -> Any:
        """As the bare socket's."""
        if not (isinstance(flags, int) and flags & DONTWAIT):
            return super().send(data, flags, copy, track, **kwargs)
        way = self._hopwatch.way
        before, way.sends_deferred = way.sends_deferred, False
        try:
            return super().send(data, flags, copy, track, **kwargs)
        finally:
            way.sends_deferred = before

    def recv(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As the bare socket's."""
        if not (isinstance(flags, int) and flags & DONTWAIT):
            return super().recv(flags, copy, track)
        way = self._hopwatch.way
        before, way.receives_deferred = way.receives_deferred, False
        try:
            return super().recv(flags, copy, track)
        finally:
            way.receives_deferred = before

    if RECEIVES_INTO:

        def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
            """As the bare socket's."""
            if not (isinstance(flags, int) and flags & DONTWAIT):
                return super().recv_into(buffer, nbytes=nbytes, flags=flags)
            way = self._hopwatch.way
            before, way.receives_deferred = way.receives_deferred, False
            try:
                return super().recv_into(buffer, nbytes=nbytes, flags=flags)
            finally:
                way.receives_deferred = before

    def _wait_write(self) -> None:
        words = self._hopwatch.slot.words
        words[WAITED_SENDS] += 1
        words[PENDING_SENDS] += 1
        began = time.monotonic_ns()
        try:
            super()._wait_write()
        finally:
            words[WAITED_NS] += time.monotonic_ns() - began
            words[PENDING_SENDS] = max(words[PENDING_SENDS] - 1, 0)

    def _wait_read(self) -> None:
        self._hopwatch.slot.words[WAITED_RECEIVES] += 1
        super()._wait_read()
