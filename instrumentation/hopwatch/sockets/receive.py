"""The ``recv`` of all instrumented sockets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hopwatch.sockets.hooks import HookedSocket


class Receive(HookedSocket):
    """Receives by the hot path that was made for the socket."""

    _hopwatch_recv_now: Callable[..., Any]

    def recv(self, flags: int = 0, copy: bool = True, track: bool = False) -> Any:
        """As ``zmq.Socket.recv``."""
        try:
            recv_now = self._hopwatch_recv_now
        except AttributeError:  # somebody held on to this method, and the socket is wrapped no more
            return self.recv(flags, copy, track)
        return recv_now(self, flags, copy, track)

    @staticmethod
    def _hopwatch_count_received(messages: int, size: int) -> None:
        """Count messages and bytes; made by the hot path."""
        raise NotImplementedError
