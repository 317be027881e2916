"""gevent's sockets: what waits in a greenlet. They send and receive without blocking, and wait on the hub where that is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hopwatch.sockets.backend import RECEIVES_INTO
from hopwatch.sockets.hooks import state_of
from hopwatch.sockets.state import SocketState
from hopwatch.words import WAITED_RECEIVES

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


class GreenletWaits(GreenSocket):
    """Comes above pyzmq's green socket: with DONTWAIT a refusal is the application's answer, else its greenlet waits."""

    _hopwatch: SocketState

    def send(self, data: Any, flags: int = 0, copy: bool = True, track: bool = False, **kwargs: Any) -> Any:
        """As the bare socket's."""
        state = state_of(self)
        if state is None:
            return self.send(data, flags, copy, track, **kwargs)
        with state.way.answers(flags):
            return super().send(data, flags, copy, track, **kwargs)

    def recv(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As the bare socket's."""
        state = state_of(self)
        if state is None:
            return self.recv(flags, copy, track)
        with state.way.answers(flags):
            return super().recv(flags, copy, track)

    if RECEIVES_INTO:

        def recv_into(self, buffer: Any, /, *, nbytes: int = 0, flags: int = 0) -> int:
            """As the bare socket's."""
            state = state_of(self)
            if state is None:
                return self.recv_into(buffer, nbytes=nbytes, flags=flags)
            with state.way.answers(flags):
                return super().recv_into(buffer, nbytes=nbytes, flags=flags)

    def _wait_write(self) -> None:
        state = self._hopwatch
        began = state.begin_wait()
        try:
            super()._wait_write()
        finally:
            state.end_wait(began)

    def _wait_read(self) -> None:
        self._hopwatch.slot.words[WAITED_RECEIVES] += 1
        super()._wait_read()
