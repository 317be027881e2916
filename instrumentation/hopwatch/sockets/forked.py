"""A parent's socket in a forked child: libzmq cannot serve it there, and its counters are the parent's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.journal.journal import Journal
from hopwatch.sockets import polls
from hopwatch.sockets.backend import BARE, RECEIVES_INTO
from hopwatch.sockets.classes import instrumented
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.state import SocketState


def telling(name: str) -> Callable[..., Any]:
    """The bare socket's way, which tells that it is used."""

    @functools.wraps(getattr(zmq.Socket, name))
    def call(self: HookedSocket, *args: Any, **kwargs: Any) -> Any:
        polls.tell_of_use(self._hopwatch)
        return getattr(BARE, name)(self, *args, **kwargs)

    return call


class ForkedSocket(HookedSocket):
    """Behaves as the bare socket would; that it is used at all is a finding, in the child's own journal."""

    if not TYPE_CHECKING:
        send, recv, poll = telling("send"), telling("recv"), telling("poll")
        bind, connect = telling("bind"), telling("connect")
        unbind, disconnect = telling("unbind"), telling("disconnect")
        if RECEIVES_INTO:
            recv_into = telling("recv_into")

    def get(self, option: int) -> Any:
        """As ``zmq.Socket.get``; event loops ask for ZMQ_EVENTS before they receive."""
        if option == zmq.EVENTS:
            polls.tell_of_use(self._hopwatch)
        return BackendSocket.get(self, option)

    getsockopt = get


def leave_to_parent(state: SocketState, open_journal: Callable[[], Journal]) -> None:
    """In a forked child: touch nothing of the parent's, and tell if the socket is used all the same."""
    state.leave_to_parent()
    state.open_journal = open_journal
    if not state.closed:
        polls.PROCESS.look_for_forked()
    for member in state.members:
        member.__class__ = instrumented(member._hopwatch_bare, (ForkedSocket,))
