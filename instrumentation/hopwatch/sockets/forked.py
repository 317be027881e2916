"""A parent's socket in a forked child: libzmq cannot serve it there, and its counters are the parent's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.journal.journal import Journal
from hopwatch.sockets import polls
from hopwatch.sockets.backend import BARE, RECEIVES_INTO
from hopwatch.sockets.classes import instrumented
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.state import SocketState


class ForkedSocket(HookedSocket):
    """Behaves as the bare socket would; that it is used at all is a finding, in the child's own journal."""

    def send(self, *args: Any, **kwargs: Any) -> Any:
        """As ``zmq.Socket.send``."""
        self._hopwatch_used()
        return BARE.send(self, *args, **kwargs)

    def recv(self, *args: Any, **kwargs: Any) -> Any:
        """As ``zmq.Socket.recv``."""
        self._hopwatch_used()
        return BARE.recv(self, *args, **kwargs)

    if RECEIVES_INTO:

        def recv_into(self, *args: Any, **kwargs: Any) -> Any:
            """As ``zmq.Socket.recv_into``."""
            self._hopwatch_used()
            return BARE.recv_into(self, *args, **kwargs)

    def poll(self, *args: Any, **kwargs: Any) -> Any:
        """As ``zmq.Socket.poll``."""
        self._hopwatch_used()
        return BARE.poll(self, *args, **kwargs)

    def bind(self, addr: str | bytes) -> Any:
        """As ``zmq.Socket.bind``."""
        self._hopwatch_used()
        return super().bind(addr)

    def connect(self, addr: str | bytes) -> Any:
        """As ``zmq.Socket.connect``."""
        self._hopwatch_used()
        return super().connect(addr)

    def unbind(self, addr: str | bytes) -> None:
        """As ``zmq.Socket.unbind``."""
        self._hopwatch_used()
        super().unbind(addr)

    def disconnect(self, addr: str | bytes) -> None:
        """As ``zmq.Socket.disconnect``."""
        self._hopwatch_used()
        super().disconnect(addr)

    def get(self, option: int) -> Any:
        """As ``zmq.Socket.get``; event loops ask for ZMQ_EVENTS before they receive."""
        if option == zmq.EVENTS:
            self._hopwatch_used()
        return BackendSocket.get(self, option)

    getsockopt = get

    def _hopwatch_used(self) -> None:
        polls.tell_of_use(self._hopwatch)


def leave_to_parent(state: SocketState, open_journal: Callable[[], Journal]) -> None:
    """In a forked child: touch nothing of the parent's, and tell if the socket is used all the same."""
    state.leave_to_parent()
    state.open_journal = open_journal
    if not state.closed:
        polls.PROCESS.look_for_forked()
    for member in state.members:
        member._hopwatch_words = state.slot.words
        member.__class__ = instrumented(member._hopwatch_bare, (ForkedSocket,))
